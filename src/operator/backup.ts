import type { Writable } from 'node:stream'
import type { Client } from '../client/client.ts'
import { reachableObjects } from '../content/backup.ts'
import type { Git } from '../content/git/git.ts'
import { Failure } from '../contract/failure.ts'
import type { BackupSummary, LongRun, Snapshot } from '../contract/operator.ts'
import {
  Digests,
  digestsName,
  encodeCommonNames,
  format,
  headerName,
  partBytes,
  type CommonName,
  type Header,
} from './archive/format.ts'
import { ArchiveWriter, inParts, textContent, type EntryContent } from './archive/writer.ts'
import { isSameProject, readName, shownName, whileHeld, type OperatedDirectory } from './projects.ts'

export interface BackupOptions extends OperatedDirectory, LongRun {
  readonly git: Git
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
  /** Texts of documents about use that are of the instants of their projects, by their files. */
  readonly #use = new Map<string, string>()
  /** Names of files that are in the archive for all projects, by their identities. */
  readonly #common = new Map<string, string>()

  constructor(options: BackupOptions, writer: ArchiveWriter) {
    this.#options = options
    this.#writer = writer
  }

  async run(): Promise<BackupSummary> {
    const { directory, version, now, client, onProgress } = this.#options
    const header: Header = { format, version, createdAt: now().toISOString() }
    await this.#writer.add(headerName, textContent(`${JSON.stringify(header)}\n`), this.#all)
    await this.#commonFiles()
    const projectIds = await directory.projects()
    const removed: string[] = []
    for (const [index, projectId] of projectIds.entries()) {
      const name = await readName(directory, projectId)
      onProgress(`${name} (${index + 1} of ${projectIds.length})`)
      const kept = await whileHeld(client, projectId, (snapshot) => this.#project(snapshot))
      if (!kept) removed.push(name)
    }
    await this.#service()
    await this.#writer.add(digestsName, textContent(this.#all.toString()), new Digests())
    await this.#writer.end()
    const { entries, bytes, archiveBytes } = this.#writer
    return { projects: projectIds.length - removed.length, entries, bytes, archiveBytes, removed }
  }

  /** One that comes later is in each project that has it. */
  async #commonFiles(): Promise<void> {
    const digests = new Digests()
    for await (const file of this.#options.directory.commonFiles()) {
      await this.#writer.add(`common/${file.path}`, file, digests)
      this.#common.set(file.identity, file.path)
    }
    await this.#writer.add(`common/${digestsName}`, textContent(digests.toString()), this.#all)
  }

  /** Returns whether the project is there. */
  async #project(snapshot: Snapshot): Promise<boolean> {
    const { directory } = this.#options
    const { projectId, document, refs, grown, unreadable } = snapshot
    if (document === null) return false
    if (unreadable !== undefined) {
      throw new Failure(
        'unavailable',
        `The repository of ${shownName(projectId, document)} cannot be read: ${unreadable}`,
        {
          hint: 'Run quire admin check, and mend it or remove the project: a backup without it would look whole.',
        },
      )
    }
    const digests = new Digests()
    const add = (name: string, content: EntryContent): Promise<void> =>
      this.#writer.add(`projects/${projectId}/${name}`, content, digests)
    await add('document.json', textContent(document))
    let failed: { readonly error: unknown } | null = null
    try {
      if (refs !== null) {
        await add('refs', textContent(refs.map(([ref, oid]) => `${oid} ${ref}\n`).join('')))
        let number = 0
        for await (const part of inParts(this.#objects(projectId, refs), partBytes))
          await add(`objects/${String(number++).padStart(6, '0')}`, { size: part.length, chunks: [part] })
      }
      const common: CommonName[] = []
      for await (const file of directory.files(projectId, grown)) {
        const known = this.#common.get(file.identity)
        if (known === undefined) await add(`files/${file.path}`, file)
        else common.push({ file: known, path: file.path })
      }
      if (common.length > 0) await add('common', textContent(encodeCommonNames(common)))
    } catch (error) {
      failed = { error }
    }
    if (!(await isSameProject(directory, projectId, document))) {
      await this.#writer.add(`projects/${projectId}/removed`, textContent(''), new Digests())
      return false
    }
    if (failed !== null) throw failed.error
    for (const [file, text] of Object.entries(snapshot.use)) this.#use.set(file, text)
    await this.#writer.add(`projects/${projectId}/${digestsName}`, textContent(digests.toString()), this.#all)
    return true
  }

  async *#objects(projectId: string, refs: NonNullable<Snapshot['refs']>): AsyncGenerator<Buffer> {
    const { git, repositories } = this.#options
    yield* reachableObjects(
      git,
      await repositories.open(projectId),
      refs.map(([, oid]) => oid),
    )
  }

  async #service(): Promise<void> {
    const digests = new Digests()
    for await (const [file, text] of this.#options.directory.serviceTexts())
      await this.#writer.add(`service/${file}`, textContent(this.#use.get(file) ?? text), digests)
    await this.#writer.add(`service/${digestsName}`, textContent(digests.toString()), this.#all)
  }
}
