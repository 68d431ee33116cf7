import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'lowdb'
import { Failure } from '../../contract/failure.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import {
  diskFileSystem,
  isTemporary,
  readIfThere,
  removeFile,
  replaceFile,
  type FileSystem,
} from '../../lib/durable-file.ts'
import { documentEntry, type Inventory } from '../inventory.ts'
import type { DirectoryLock } from '../lock.ts'
import type { Store } from '../store.ts'
import { isDocumentName, openDocuments, type DocumentAdapter, type StoreOptions } from './document-store.ts'
import { DamagedDocument, decode, encode, type Envelope } from './envelope.ts'

/** Counts the starts of services on a data directory. */
export const startsFile = '.starts'
const projectPattern = /^project\/([^/]+)$/

/** The version of a document before the last one is in its file's name with this behind it. */
const previousSuffix = '.previous'
/** What could not be read of a document that began anew. */
const damagedSuffix = '.damaged'

export interface DocumentFilesOptions extends StoreOptions {
  readonly fs?: FileSystem
  readonly inventory?: Inventory
}

/**
 * Opens the store of a data directory: every document is read and migrated. What is damaged is set aside, or begins anew,
 * as `StoreOptions` says; a file that a newer version wrote stops the start.
 *
 * @param lock The directory, locked by this process; stays the caller's to release after `close`.
 */
export async function openStore({ directory }: DirectoryLock, options: DocumentFilesOptions = {}): Promise<Store> {
  const { fs = diskFileSystem, inventory } = options
  const isWritable = (options.readOnly ?? null) === null
  for (const name of await readdir(directory))
    if (isTemporary(name) && isWritable) await fs.unlink(join(directory, name))
  return openDocuments(new DocumentFiles(directory, fs, inventory), options)
}

/**
 * The file of a document: `project/<id>` is `<id>.json`, beside `<id>.git`; every other name gets a leading `_`
 * and dots for its slashes (`service` is `_service.json`), which no id has, so a project named `service` is safe.
 */
export function fileOf(document: string): string {
  if (!isDocumentName(document)) throw new Error(`not a document name: ${JSON.stringify(document)}`)
  const projectId = projectIdOf(document)
  return projectId === null ? `_${document.replaceAll('/', '.')}.json` : `${projectId}.json`
}

/** The project whose document it is; null for every other document. */
export function projectIdOf(document: string): string | null {
  return projectPattern.exec(document)?.[1] ?? null
}

/** The inverse of fileOf; null for a file that is no document's. */
export function documentOf(file: string): string | null {
  if (!file.endsWith('.json')) return null
  const stem = file.slice(0, -'.json'.length)
  const name = stem.startsWith('_') ? stem.slice(1).replaceAll('.', '/') : `project/${stem}`
  return isDocumentName(name) && fileOf(name) === file ? name : null
}

/** The document of which a file has the version before the last one, or what could not be read; null for any other. */
export function keptVersionOf(
  file: string,
): { readonly document: string; readonly kind: 'previous' | 'damaged' } | null {
  for (const [suffix, kind] of [[previousSuffix, 'previous'] as const, [damagedSuffix, 'damaged'] as const]) {
    const document = file.endsWith(suffix) ? documentOf(file.slice(0, -suffix.length)) : null
    if (document !== null) return { document, kind }
  }
  return null
}

/** A JSON file a document, replaced as a whole. */
class DocumentFiles implements DocumentAdapter {
  readonly #directory: string
  readonly #fs: FileSystem
  readonly #inventory: Inventory | undefined

  constructor(directory: string, fs: FileSystem, inventory: Inventory | undefined) {
    this.#directory = directory
    this.#fs = fs
    this.#inventory = inventory
  }

  async list(): Promise<readonly string[]> {
    return (await readdir(this.#directory)).map(documentOf).filter((name) => name !== null)
  }

  /**
   * lowdb's adapter over a durable file. lowdb's own one never flushes: after a power cut its acknowledged writes are
   * gone.
   */
  open(document: string): Adapter<Envelope> {
    const path = join(this.#directory, fileOf(document))
    return {
      read: async () => {
        const text = await readIfThere(this.#fs, path)
        return text === null ? null : decode(text, document, path)
      },
      write: async (envelope) => {
        const entry = documentEntry(document)
        if (envelope.document === undefined) {
          await this.#inventory?.forget([entry])
          await this.#fs.unlink(path + previousSuffix).catch(nullIfMissing)
          await removeFile(this.#fs, path)
          return
        }
        await this.#keepPrevious(path)
        await replaceFile(this.#fs, path, encode(envelope))
        this.#inventory?.note(entry, envelope.revision)
      },
    }
  }

  expected(): ReadonlyMap<string, number> {
    const prefix = documentEntry('')
    const entries = [...(this.#inventory?.all() ?? [])].filter(([name]) => name.startsWith(prefix))
    return new Map(entries.map(([name, revision]) => [name.slice(prefix.length), revision]))
  }

  async previous(document: string): Promise<Envelope | null> {
    const path = join(this.#directory, fileOf(document)) + previousSuffix
    try {
      const text = await readIfThere(this.#fs, path)
      return text === null ? null : decode(text, document, path)
    } catch (error) {
      if (error instanceof DamagedDocument) return null
      throw error
    }
  }

  async putAway(document: string): Promise<void> {
    const path = join(this.#directory, fileOf(document))
    await this.#fs.rename(path, path + damagedSuffix).catch(nullIfMissing)
  }

  async putBack(document: string, envelope: Envelope): Promise<void> {
    const path = join(this.#directory, fileOf(document))
    await this.#fs.unlink(path + damagedSuffix).catch(nullIfMissing)
    await this.#fs.link(path, path + damagedSuffix).catch(nullIfMissing)
    await replaceFile(this.#fs, path, encode(envelope))
    this.#inventory?.note(documentEntry(document), envelope.revision)
  }

  /** A second name for the file that is about to be replaced: no bytes are written, and the same flush keeps it. */
  async #keepPrevious(path: string): Promise<void> {
    try {
      await this.#fs.unlink(path + previousSuffix).catch(nullIfMissing)
      await this.#fs.link(path, path + previousSuffix)
    } catch (error) {
      // There is none yet; or the disk fails, of which the write will tell.
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }

  async countStart(): Promise<number> {
    const path = join(this.#directory, startsFile)
    const text = await readIfThere(this.#fs, path)
    const before = text === null ? 0 : Number(text)
    const known = this.#inventory?.start ?? 0
    const isCount = Number.isSafeInteger(before) && before >= 0
    if (!isCount && known === 0) {
      throw new Failure('unavailable', `${path} is damaged: it must hold the number of starts so far.`, {
        hint: 'Restore it from a backup.',
      })
    }
    const start = Math.max(isCount ? before : 0, known) + 1
    await replaceFile(this.#fs, path, `${start}\n`)
    this.#inventory?.begin(start)
    return start
  }
}
