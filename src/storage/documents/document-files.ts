import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'lowdb'
import { Failure } from '../../contract/failure.ts'
import {
  diskFileSystem,
  isTemporary,
  readIfThere,
  removeFile,
  replaceFile,
  type FileSystem,
} from '../../lib/durable-file.ts'
import type { DirectoryLock } from '../lock.ts'
import type { Store } from '../store.ts'
import { isDocumentName, openDocuments, type DocumentAdapter } from './document-store.ts'
import { decode, encode, type Envelope } from './envelope.ts'

/** Counts the starts of services on a data directory. */
export const startsFile = '.starts'
const projectPattern = /^project\/([^/]+)$/

/**
 * Opens the store of a data directory: every document is read and migrated, so that a file that this version cannot
 * read stops the start and not a request later.
 *
 * @param lock The directory, locked by this process; stays the caller's to release after `close`.
 * @param fs The disk.
 */
export async function openStore({ directory }: DirectoryLock, fs: FileSystem = diskFileSystem): Promise<Store> {
  for (const name of await readdir(directory)) if (isTemporary(name)) await unlink(join(directory, name))
  return openDocuments(new DocumentFiles(directory, fs))
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

/** A JSON file a document, replaced as a whole. */
class DocumentFiles implements DocumentAdapter {
  readonly #directory: string
  readonly #fs: FileSystem

  constructor(directory: string, fs: FileSystem) {
    this.#directory = directory
    this.#fs = fs
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
        if (envelope.document === undefined) await removeFile(this.#fs, path)
        else await replaceFile(this.#fs, path, encode(envelope))
      },
    }
  }

  async countStart(): Promise<number> {
    const path = join(this.#directory, startsFile)
    const text = await readIfThere(this.#fs, path)
    const before = text === null ? 0 : Number(text)
    if (!Number.isSafeInteger(before) || before < 0) {
      throw new Failure('unavailable', `${path} is damaged: it must hold the number of starts so far.`, {
        hint: 'Restore it from a backup.',
      })
    }
    await replaceFile(this.#fs, path, `${before + 1}\n`)
    return before + 1
  }
}
