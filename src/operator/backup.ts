import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { projectPrefix } from '../access/projects.ts'
import type { BackupSummary, LongRun } from '../contract/operator.ts'
import { diskFileSystem, readIfThere } from '../lib/durable-file.ts'
import { documentOf, fileOf } from '../storage/names.ts'
import { format, headerName, isServiceFile, partBytes, type Header } from './archive/format.ts'
import { inParts } from './archive/parts.ts'
import { Sums, sumsName } from './archive/sums.ts'
import { ArchiveWriter, textContent } from './archive/writer.ts'
import { reachableObjects } from './objects.ts'
import { whileHeld, type Operator } from './operator.ts'
import { addProjectFiles, type AddEntry } from './project-files.ts'
import type { DataDirectory, Snapshot } from './snapshot.ts'
import { isStillThere } from './still-there.ts'

/** Written last: what others refer to must be there. */
const lastFile = fileOf('service')

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
    const add: AddEntry = (name, content) => this.#writer.add(`projects/${slug}/${name}`, content, sums)
    await add('document.json', textContent(document))
    let failed: { readonly error: unknown } | null = null
    try {
      if (refs !== null) {
        await add('refs', textContent(refs.map(([ref, oid]) => `${oid} ${ref}\n`).join('')))
        let number = 0
        for await (const part of inParts(reachableObjects(this.#options, snapshot), partBytes))
          await add(`objects/${String(number++).padStart(6, '0')}`, { size: part.length, chunks: [part] })
      }
      await addProjectFiles({ directory: this.#options.directory, snapshot }, add)
    } catch (error) {
      failed = { error }
    }
    if (!(await isStillThere(this.#options.directory, slug, document))) {
      await this.#writer.add(`projects/${slug}/removed`, textContent(''), new Sums())
      return false
    }
    if (failed !== null) throw failed.error
    await this.#writer.add(`projects/${slug}/${sumsName}`, textContent(sums.toString()), this.#all)
    return true
  }

  async #service(): Promise<void> {
    const { directory } = this.#options
    const files = (await readdir(directory)).filter(isServiceFile).sort()
    const sums = new Sums()
    for (const file of [...files.filter((name) => name !== lastFile), lastFile]) {
      // A document may be gone by now, and nobody may have signed up yet.
      const text = await readIfThere(diskFileSystem, join(directory, file))
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
