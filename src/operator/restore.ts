import type { Readable } from 'node:stream'
import { projectDocument } from '../projects/document.ts'
import { RestoredRepository } from '../content/backup.ts'
import type { Git } from '../content/git/git.ts'
import { Failure } from '../contract/failure.ts'
import type { LongRun, OnProgress, RestoreSummary } from '../contract/operator.ts'
import { fileOf } from '../storage/documents/document-files.ts'
import { isTextOf, NewFiles, prepareDestination } from '../storage/directory/new-directory.ts'
import { diskFailure } from './archive/files.ts'
import { Digests, format, parseCommonNames, parseName, type Header } from './archive/format.ts'
import { damagedArchive, readArchive, type ReadEntry } from './archive/reader.ts'
import { shownName } from './projects.ts'

export interface RestoreOptions extends LongRun {
  readonly source: Readable
  /** Absent or empty. */
  readonly directory: string
  readonly git: Git
}

/** More text in one entry is no document and no list of digests. */
const maxText = 64 << 20
/** In a line of a list, up to the name. */
const digestLength = 66

/**
 * Makes a data directory of a backup. Every entry is compared with the lists of digests; the directory is there, whole
 * and durable, when this settles, or not at all. What is whole and only cannot be moved into its place is kept.
 *
 * Throws Failure `invalid_request` for an archive that is cut, damaged or of a newer version, and for a directory that
 * is not empty.
 */
export async function restore(options: RestoreOptions): Promise<RestoreSummary> {
  const { source, directory, git, onProgress, signal } = options
  const destination = await prepareDestination(directory)
  const restoring = new Restore(destination.draft, git, onProgress)
  let broken: Failure | null = null
  const onBroken = (failure: Failure): void => void (broken ??= failure)
  let summary: Omit<RestoreSummary, 'directory'>
  try {
    for await (const entry of readArchive(source, { signal, onBroken })) await restoring.take(entry)
    summary = await restoring.end()
  } catch (error) {
    restoring.abort()
    await destination.discard()
    // What became of a program that was reading the rest matters less.
    throw broken ?? diskFailure(error, 'The data directory')
  }
  await destination.commit()
  return { directory, ...summary }
}

/** A project of which entries come. */
interface RestoredProject {
  readonly projectId: string
  readonly repository: RestoredRepository
  readonly digests: Digests
}

/** Takes entries in the order in which a backup writes them. */
class Restore {
  readonly #draft: string
  readonly #git: Git
  readonly #onProgress: OnProgress
  readonly #files: NewFiles
  readonly #all = new Digests()
  #commonDigests = new Digests()
  #serviceDigests = new Digests()
  #header: Header | null = null
  #project: RestoredProject | null = null
  #whole = false
  #projects = 0
  #entries = 0
  #bytes = 0

  constructor(draft: string, git: Git, onProgress: OnProgress) {
    this.#draft = draft
    this.#git = git
    this.#onProgress = onProgress
    this.#files = new NewFiles(draft)
  }

  async take(read: ReadEntry): Promise<void> {
    const { name } = read
    const entry = parseName(name)
    if (entry === null) throw damagedArchive(`it has an entry ${JSON.stringify(name)}, which no backup has`)
    if (this.#whole) throw damagedArchive(`it goes on after its end, with ${name}`)
    if ((this.#header === null) !== (entry.kind === 'header'))
      throw damagedArchive(`it does not begin as a backup does`)
    this.#entries += 1
    this.#bytes += read.size
    if ('projectId' in entry) return this.#takeOfProject(entry.projectId, read)
    if (this.#project !== null) throw damagedArchive(`the project ${this.#project.projectId} has no end`)
    switch (entry.kind) {
      case 'header':
        this.#header = readHeader(await textOf(read))
        this.#all.add(name, read.sha256())
        break
      case 'common':
        await this.#files.writeCommon(entry.file, read.chunks)
        this.#commonDigests.add(name, read.sha256())
        break
      case 'common-sums':
        await this.#compare(read, this.#commonDigests)
        this.#commonDigests = new Digests()
        this.#all.add(name, read.sha256())
        break
      case 'service':
        await this.#takeFile(entry.file, read, this.#serviceDigests)
        break
      case 'service-sums':
        await this.#compare(read, this.#serviceDigests)
        this.#serviceDigests = new Digests()
        this.#all.add(name, read.sha256())
        break
      case 'sums':
        if (this.#serviceDigests.size > 0) throw damagedArchive('the documents of the service have no end')
        if (this.#commonDigests.size > 0) throw damagedArchive('the files that projects have in common have no end')
        await this.#compare(read, this.#all)
        this.#whole = true
    }
  }

  abort(): void {
    this.#project?.repository.abort()
  }

  /** Throws when the last entry has not come. */
  async end(): Promise<Omit<RestoreSummary, 'directory'>> {
    if (!this.#whole || this.#header === null) throw damagedArchive('its end is missing')
    await this.#files.complete()
    const { createdAt } = this.#header
    return { projects: this.#projects, entries: this.#entries, bytes: this.#bytes, createdAt }
  }

  async #takeOfProject(projectId: string, read: ReadEntry): Promise<void> {
    const entry = parseName(read.name)
    if (this.#project === null) {
      const options = { directory: this.#draft, git: this.#git, projectId, damaged: damagedArchive }
      this.#project = { projectId, repository: new RestoredRepository(options), digests: new Digests() }
    }
    const project = this.#project
    if (project.projectId !== projectId) throw damagedArchive(`the project ${project.projectId} has no end`)
    switch (entry?.kind) {
      case 'document': {
        const text = await this.#takeFile(fileOf(projectDocument(projectId)), read, project.digests)
        this.#onProgress(shownName(projectId, text))
        return
      }
      case 'refs':
        project.repository.takeRefs(await textOf(read))
        break
      case 'objects':
        await project.repository.takeObjects(read.chunks)
        break
      case 'file':
        await this.#files.writeOfProject(projectId, entry.path, read.chunks)
        break
      case 'common-names':
        await this.#linkCommon(projectId, await textOf(read))
        break
      case 'removed':
        await textOf(read)
        await this.#files.discard(projectId)
        await project.repository.discard()
        this.#project = null
        return
      case 'project-sums':
        await this.#compare(read, project.digests)
        await project.repository.end()
        this.#all.add(read.name, read.sha256())
        this.#project = null
        this.#projects += 1
        return
    }
    project.digests.add(read.name, read.sha256())
  }

  async #linkCommon(projectId: string, text: string): Promise<void> {
    const names = parseCommonNames(text)
    if (names === null) throw damagedArchive(`what it says of common files of ${projectId} cannot be read`)
    for (const { file, path } of names) {
      if (!(await this.#files.linkCommon(file, projectId, path)))
        throw damagedArchive(`common/${file} is missing, and ${projectId} has it`)
    }
  }

  /** Returns what it says. */
  async #takeFile(file: string, read: ReadEntry, digests: Digests): Promise<string> {
    const text = await textOf(read)
    if (!isTextOf(file, text)) throw damagedArchive(`${file} is not a count of starts`)
    await this.#files.write(file, [Buffer.from(text)])
    digests.add(read.name, read.sha256())
    return text
  }

  async #compare(read: ReadEntry, digests: Digests): Promise<void> {
    const listed = (await textOf(read)).split('\n')
    const found = digests.toString().split('\n')
    const length = Math.max(found.length, listed.length)
    const at = Array.from({ length }, (_, index) => found[index] === listed[index]).indexOf(false)
    if (at === -1) return
    const [came = '', wanted = ''] = [found[at], listed[at]].map((line) => line?.slice(digestLength))
    if (came === wanted) throw damagedArchive(`${came} is not as it was when the backup was made`)
    const isExtra = came !== '' && !listed.some((line) => line.slice(digestLength) === came)
    throw damagedArchive(isExtra ? `${came} was not in it when it was made` : `${wanted} is missing`)
  }
}

async function textOf(read: ReadEntry): Promise<string> {
  if (read.size > maxText) throw damagedArchive(`${read.name} has ${read.size} bytes`)
  const chunks: Uint8Array[] = []
  for await (const chunk of read.chunks) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function readHeader(text: string): Header {
  let header: Partial<Header>
  try {
    header = JSON.parse(text) as Partial<Header>
  } catch (cause) {
    throw damagedArchive('its header is not JSON', cause)
  }
  if (typeof header.format !== 'number' || typeof header.createdAt !== 'string' || typeof header.version !== 'string')
    throw damagedArchive('its header is not one of a backup')
  if (header.format > format) {
    throw new Failure(
      'invalid_request',
      `The backup has format ${header.format}; this version of Quire reads ${format}.`,
      {
        hint: `Quire ${header.version} made it: restore it with that version or a newer one.`,
      },
    )
  }
  return { format: header.format, version: header.version, createdAt: header.createdAt }
}
