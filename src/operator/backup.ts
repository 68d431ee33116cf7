import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Client } from '../client/client.ts'
import type { BackupSummary, LongRun, Snapshot } from '../contract/operator.ts'
import { diskFileSystem, readIfThere } from '../lib/durable-file.ts'
import { fileOf } from '../storage/documents/document-files.ts'
import { Digests, digestsName, format, headerName, partBytes, type Header } from './archive/format.ts'
import { ArchiveWriter, inParts, textContent } from './archive/writer.ts'
import { addProjectFiles, reachableObjects, type AddEntry } from './backup-project.ts'
import { isSameProject, isServiceFile, projectsOf, type DataDirectory } from './data-directory.ts'
import { whileHeld } from './hold.ts'

/** Written last: what others refer to must be there. */
const lastFile = fileOf('service')

export interface BackupOptions extends DataDirectory, LongRun {
  /** Of the operator's endpoints. */
  readonly client: Pick<Client, 'events'>
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
  readonly #all = new Digests()

  constructor(options: BackupOptions, writer: ArchiveWriter) {
    this.#options = options
    this.#writer = writer
  }

  async run(): Promise<BackupSummary> {
    const { directory, version, now, client, onProgress } = this.#options
    const header: Header = { format, version, createdAt: now().toISOString() }
    await this.#writer.add(headerName, textContent(`${JSON.stringify(header)}\n`), this.#all)
    const slugs = await projectsOf(directory)
    const removed: string[] = []
    for (const [index, slug] of slugs.entries()) {
      onProgress(`${slug} (${index + 1} of ${slugs.length})`)
      const kept = await whileHeld(client, slug, (snapshot) => this.#project(snapshot))
      if (!kept) removed.push(slug)
    }
    await this.#service()
    await this.#writer.add(digestsName, textContent(this.#all.toString()), new Digests())
    await this.#writer.end()
    const { entries, bytes, archiveBytes } = this.#writer
    return { projects: slugs.length - removed.length, entries, bytes, archiveBytes, removed }
  }

  /** Returns whether the project is there. */
  async #project(snapshot: Snapshot): Promise<boolean> {
    const { slug, document, refs } = snapshot
    if (document === null) return false
    const digests = new Digests()
    const add: AddEntry = (name, content) => this.#writer.add(`projects/${slug}/${name}`, content, digests)
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
    if (!(await isSameProject(this.#options.directory, slug, document))) {
      await this.#writer.add(`projects/${slug}/removed`, textContent(''), new Digests())
      return false
    }
    if (failed !== null) throw failed.error
    await this.#writer.add(`projects/${slug}/${digestsName}`, textContent(digests.toString()), this.#all)
    return true
  }

  async #service(): Promise<void> {
    const { directory } = this.#options
    const files = (await readdir(directory)).filter(isServiceFile).sort()
    const digests = new Digests()
    for (const file of [...files.filter((name) => name !== lastFile), lastFile]) {
      // A document may be gone by now, and nobody may have signed up yet.
      const text = await readIfThere(diskFileSystem, join(directory, file))
      if (text !== null) await this.#writer.add(`service/${file}`, textContent(text), digests)
    }
    await this.#writer.add(`service/${digestsName}`, textContent(digests.toString()), this.#all)
  }
}
