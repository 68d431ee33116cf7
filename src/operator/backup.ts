import { open, readdir, readFile, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { projectPrefix } from '../access/projects.ts'
import type { BackupSummary, LongRun } from '../contract/operator.ts'
import type { DeployDocument } from '../deploying/state.ts'
import { Failure } from '../contract/failure.ts'
import { isMissing } from '../hosting/files.ts'
import { decode } from '../metadata/envelope.ts'
import { documentOf, fileOf } from '../metadata/names.ts'
import { format, headerName, isServiceFile, partBytes, type Header } from './archive/format.ts'
import { inParts } from './archive/parts.ts'
import { Sums, sumsName } from './archive/sums.ts'
import { ArchiveWriter, textContent, type EntryContent } from './archive/writer.ts'
import { reachableObjects } from './objects.ts'
import { whileHeld, type Operator } from './operator.ts'
import { filesBelow, type DataDirectory, type Snapshot } from './snapshot.ts'

/** Written last: what others refer to must be there. */
const lastFile = fileOf('service')
const packs = 'packs/'
const reports = 'deploys/'
const changelog = 'changelog'
/** Somebody who writes entries by hand is slower. */
const mostAttempts = 100
const chunkBytes = 256 * 1024

type Add = (name: string, content: EntryContent) => Promise<void>

export interface BackupOptions extends DataDirectory, LongRun {
  readonly operator: Pick<Operator, 'hold'>
  /** Ended with the archive. */
  readonly sink: Writable
  /** Of Quire. */
  readonly version: string
  readonly now: () => Date
}

/**
 * Writes a backup of a data directory, also while the service works on it. Each project is as it was at one instant, and
 * at another instant than its neighbours; accounts are younger than all projects that name them. No more of it is in
 * memory than a part of a pack. The format is described in archive/format.ts.
 *
 * Throws Failure `unavailable` when the service ends meanwhile, and what the disk or the sink throws.
 */
export async function backup(options: BackupOptions): Promise<BackupSummary> {
  const writer = new ArchiveWriter(options.sink, options.signal)
  try {
    return await new Backup(options, writer).run()
  } catch (error) {
    await writer.abort(error)
    throw error
  }
}

class Backup {
  readonly #options: BackupOptions
  readonly #writer: ArchiveWriter
  readonly #all = new Sums()

  constructor(options: BackupOptions, writer: ArchiveWriter) {
    this.#options = options
    this.#writer = writer
  }

  async run(): Promise<BackupSummary> {
    const { directory, version, now, operator, onProgress } = this.#options
    const header: Header = { format, version, createdAt: now().toISOString() }
    await this.#writer.add(headerName, textContent(`${JSON.stringify(header)}\n`), this.#all)
    const slugs = await projectsOf(directory)
    const removed: string[] = []
    for (const [index, slug] of slugs.entries()) {
      onProgress(`${slug} (${index + 1} of ${slugs.length})`)
      const kept = await whileHeld(operator, slug, (snapshot) => this.#project(snapshot))
      if (!kept) removed.push(slug)
    }
    await this.#service()
    await this.#writer.add(sumsName, textContent(this.#all.toString()), new Sums())
    await this.#writer.end()
    const { entries, bytes, archiveBytes } = this.#writer
    return { projects: slugs.length - removed.length, entries, bytes, archiveBytes, removed }
  }

  /** Returns whether the project is there. */
  async #project(snapshot: Snapshot): Promise<boolean> {
    const { slug, document, refs } = snapshot
    if (document === null) return false
    const sums = new Sums()
    const add: Add = (name, content) => this.#writer.add(`projects/${slug}/${name}`, content, sums)
    await add('document.json', textContent(document))
    try {
      if (refs !== null) {
        await add('refs', textContent(refs.map(([ref, oid]) => `${oid} ${ref}\n`).join('')))
        let number = 0
        for await (const part of inParts(reachableObjects(this.#options, snapshot), partBytes))
          await add(`objects/${String(number++).padStart(6, '0')}`, { size: part.length, chunks: [part] })
      }
      await this.#files(snapshot, document, add)
    } catch (error) {
      if (await isThere(join(this.#options.directory, `${slug}.json`))) throw error
      // Removed while it was read.
      await this.#writer.add(`projects/${slug}/removed`, textContent(''), new Sums())
      return false
    }
    await this.#writer.add(`projects/${slug}/${sumsName}`, textContent(sums.toString()), this.#all)
    return true
  }

  /** A release is in a pack before its manifest is there: packs are listed last, so none is missing that a manifest names. */
  async #files({ slug, grown }: Snapshot, document: string, add: Add): Promise<void> {
    const root = join(this.#options.directory, slug)
    const newest = newestDeploy(slug, document)
    const isWanted = (path: string): boolean => {
      if (path.startsWith(packs)) return false
      // A deploy that came after the snapshot has not happened.
      return !path.startsWith(reports) || path.slice(reports.length, -'.json'.length) <= newest
    }
    const isApart = (path: string): boolean => /^(?:audit|deliveries|changelog)\//.test(path)
    const files = (await filesBelow(root)).filter((path) => isWanted(path) && !isApart(path))
    for (const path of files) await addFile({ root, path, name: `files/${path}` }, add)
    for (const [path, size] of Object.entries(grown)) await addFile({ root, path, name: `files/${path}`, size }, add)
    await this.#changelog(slug, add)
    const last = await filesBelow(root, packs.slice(0, -1))
    for (const path of last) await addFile({ root, path, name: `files/${path}` }, add)
  }

  /** Its files refer to each other, and parts of them are blanked: a copy counts when nothing changed while it was made. */
  async #changelog(slug: string, add: Add): Promise<void> {
    const root = join(this.#options.directory, slug, changelog)
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const before = await stateOf(root)
      for (const path of before.keys()) await addFile({ root, path, name: `changelog/${attempt}/${path}` }, add)
      const after = await stateOf(root)
      if (before.size === after.size && [...before].every(([path, state]) => after.get(path) === state)) return
    }
    throw new Failure('unavailable', `The changelog of ${slug} changed all the time`, { hint: 'Try again.' })
  }

  async #service(): Promise<void> {
    const { directory } = this.#options
    const files = (await readdir(directory)).filter(isServiceFile).sort()
    const sums = new Sums()
    for (const file of [...files.filter((name) => name !== lastFile), lastFile]) {
      const text = await readFile(join(directory, file), 'utf8').catch((error: unknown) => {
        // A document that is gone by now, or a service that nobody has signed up to.
        if (isMissing(error)) return null
        throw error
      })
      if (text !== null) await this.#writer.add(`service/${file}`, textContent(text), sums)
    }
    await this.#writer.add(`service/${sumsName}`, textContent(sums.toString()), this.#all)
  }
}

/** Slugs of all projects in a data directory, sorted. */
export async function projectsOf(directory: string): Promise<string[]> {
  const documents = (await readdir(directory)).map(documentOf).filter((name) => name !== null)
  return documents
    .filter((name) => name.startsWith(projectPrefix))
    .map((name) => name.slice(projectPrefix.length))
    .sort()
}

/** Ids of deploys sort by time. */
function newestDeploy(slug: string, text: string): string {
  const { document } = decode(text, projectPrefix + slug, `${slug}.json`)
  const deploys = (document as DeployDocument).deploying?.deploys ?? []
  return deploys.map(({ id }) => id).reduce((a, b) => (a > b ? a : b), '')
}

interface CopiedFile {
  readonly root: string
  /** Below the root. */
  readonly path: string
  /** In the archive. */
  readonly name: string
  /** Bytes that belong to the snapshot; without it all. */
  readonly size?: number
}

/** A file that is gone was pruned: nothing refers to it. */
async function addFile({ root, path, name, size }: CopiedFile, add: Add): Promise<void> {
  const handle = await open(join(root, path), 'r').catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (handle === null) return
  try {
    const bytes = size ?? (await handle.stat()).size
    await add(name, { size: bytes, chunks: bytesOf(handle, bytes) })
  } finally {
    await handle.close()
  }
}

/**
 * The beginning of a file. The size of an entry is told before its content: of a file that is cut meanwhile, which only
 * takes away what was never acknowledged, zeros make up for the rest.
 */
async function* bytesOf(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < size;) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(Math.min(chunkBytes, size - done)),
      0,
      null,
      done,
    )
    const chunk = bytesRead === 0 ? buffer.fill(0) : buffer.subarray(0, bytesRead)
    yield chunk
    done += chunk.length
  }
}

/** What shows that a file changed, by path. */
async function stateOf(root: string): Promise<Map<string, string>> {
  const states = new Map<string, string>()
  for (const path of await filesBelow(root)) {
    const found = await stat(join(root, path), { bigint: true }).catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    if (found !== null) states.set(path, `${found.ino} ${found.size} ${found.mtimeNs}`)
  }
  return states
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
}
