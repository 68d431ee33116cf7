import { readFile } from 'node:fs/promises'
import { limits } from '#contract/limits.ts'
import { Failure } from '#contract/failure.ts'
import type { ProjectFile } from '#contract/files.ts'
import { count, fileSize } from '#cli/output.ts'
import type { App } from '../../app/app.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import { freePath, isImage, markdownFor, pathTrouble } from '#authoring/page-paths.ts'
import { pastedFiles, type LocalFile } from './pasted-paths.ts'
import { copyForPages } from '../shared/copy.ts'

interface Upload {
  readonly local: LocalFile
  readonly path: string
}

interface UploadsOptions {
  readonly app: App
  readonly files: BranchFiles
  /** Whether the branch has a file of this path. */
  readonly isTaken: (path: string) => boolean
  /** The files of the branch. */
  readonly listed: () => readonly ProjectFile[]
}

/** Sends files of this machine to a branch, and leaves in the clipboard what shows them in a page. */
export class Uploads {
  readonly #app: App
  readonly #files: BranchFiles
  readonly #isTaken: (path: string) => boolean
  readonly #listed: () => readonly ProjectFile[]

  constructor({ app, files, isTaken, listed }: UploadsOptions) {
    this.#app = app
    this.#files = files
    this.#isTaken = isTaken
    this.#listed = listed
  }

  /** Asks for a file by its path. @returns the paths that were written */
  async ask(): Promise<readonly string[]> {
    let found: readonly LocalFile[] = []
    await this.#app.dialogs.ask({
      title: 'Upload a file',
      body: ['Dropping files on this window works as well, and so does pasting their paths.'],
      fields: [{ name: 'path', label: 'File on this machine', placeholder: '/home/ada/diagram.png' }],
      act: 'Go on',
      submit: async ({ path = '' }) => {
        found = (await pastedFiles(path)) ?? []
        if (found.length === 0)
          throw new Failure('not_found', `There is no file ${path.trim()}.`, {
            hint: 'Write its whole path, such as /home/ada/diagram.png or ~/diagram.png.',
          })
        assertSizes(found)
      },
    })
    return found.length === 0 ? [] : this.send(found)
  }

  /** Asks where they go, and sends them. @returns the paths that were written */
  async send(found: readonly LocalFile[]): Promise<readonly string[]> {
    try {
      assertSizes(found)
    } catch (error) {
      this.#app.fail(error)
      return []
    }
    const size = found.reduce((sum, file) => sum + file.size, 0)
    const answer = await this.#app.dialogs.ask({
      title:
        found.length === 1 ? `Upload ${shown(nameOf(found[0]?.path ?? ''))}` : `Upload ${count(found.length, 'file')}`,
      body: [`${fileSize(size)} to ${this.#files.branch}`],
      fields: [
        {
          name: 'folder',
          label: 'Folder',
          value: this.#usualFolder(),
          optional: true,
          help: 'It is made if there is none. Empty: beside docs.json.',
          check: (folder) => (folder.trim() === '' ? undefined : pathTrouble(`${folderOf(folder)}x`)),
        },
      ],
      act: 'Upload',
    })
    if (answer === undefined) return []
    const uploads = await this.#withNames(found, folderOf(answer['folder'] ?? ''))
    return uploads === undefined ? [] : this.#write(uploads)
  }

  async #write(uploads: readonly Upload[]): Promise<readonly string[]> {
    const written: string[] = []
    await this.#app.task(`Uploading ${count(uploads.length, 'file')}`, async (signal) => {
      for (const { local, path } of uploads) {
        if (signal.aborted) break
        await this.#files.upload(path, await contentOf(local))
        written.push(path)
      }
    })
    if (written.length === 0) return written
    copyForPages(this.#app, written.map(markdownFor).join('\n\n'))
    const rest = uploads.length - written.length
    const missing = rest === 0 ? '' : ` ${count(rest, 'file')} not.`
    this.#app.notify(
      `Uploaded ${written.map(shown).join(', ')}.${missing} Ctrl-V in a page pastes what shows it.`,
      rest === 0 ? 'success' : 'warning',
    )
    return written
  }

  /** Paths in the folder; undefined where somebody thought better of it. */
  async #withNames(found: readonly LocalFile[], folder: string): Promise<readonly Upload[] | undefined> {
    const wanted = found.map((local) => ({ local, path: folder + cleanName(nameOf(local.path)) }))
    const there = wanted.filter(({ path }) => this.#isTaken(path))
    if (there.length === 0) return distinct(wanted, () => false)
    const answer = await this.#app.dialogs.choose({
      title:
        there.length === 1 ? `There is a ${shown(there[0]?.path ?? '')} already` : `${there.length} are there already`,
      choices: [
        { value: 'both' as const, label: 'Keep both', detail: 'the new one gets a number' },
        { value: 'replace' as const, label: 'Replace', detail: 'history keeps what was there' },
      ],
    })
    return answer === undefined ? undefined : distinct(wanted, answer === 'both' ? this.#isTaken : () => false)
  }

  /** Where the images of the project mostly are. */
  #usualFolder(): string {
    const counts = new Map<string, number>()
    for (const { path } of this.#listed()) {
      if (!isImage(path)) continue
      const folder = path.slice(0, path.lastIndexOf('/') + 1)
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    const usual = [...counts].sort(([one, a], [other, b]) => isForImages(other) - isForImages(one) || b - a)
    return usual[0]?.[0].replace(/\/$/, '') ?? 'images'
  }
}

/** Its name says so; a logo is an image, too. */
function isForImages(folder: string): number {
  return /(?:^|\/)(?:images?|img|assets|media)\/$/i.test(folder) ? 1 : 0
}

function assertSizes(found: readonly LocalFile[]): void {
  const large = found.filter(({ size }) => size > limits.fileBytes)
  if (large.length === 0) return
  const most = fileSize(limits.fileBytes)
  throw new Failure('file_too_large', `A file may have ${most}.`, {
    errors: large.map(({ path, size }) => ({ message: `${shown(nameOf(path))} has ${fileSize(size)}.` })),
    hint: 'Make it smaller, such as by saving a photo as WebP, or link to it where it is.',
  })
}

async function contentOf({ path }: LocalFile): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new Failure('invalid_request', `${shown(path)} cannot be read.`, { cause: error })
  }
}

/** Several of the same name get numbers. */
function distinct(uploads: readonly Upload[], isTaken: (path: string) => boolean): Upload[] {
  const own = new Set<string>()
  return uploads.map(({ local, path }) => {
    const free = freePath(path, (one) => own.has(one) || isTaken(one))
    own.add(free)
    return { local, path: free }
  })
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

/** A name that every system and every address takes; what it is called is kept otherwise. */
function cleanName(name: string): string {
  const clean = name
    .normalize('NFC')
    .replaceAll(/[\s:*?"<>|\\\p{Cc}]+/gu, '-')
    .replace(/^[.-]+/, '')
    .replace(/[. ]+$/, '')
  return clean === '' ? 'file' : clean
}

function folderOf(text: string): string {
  const folder = text
    .trim()
    .replaceAll('\\', '/')
    .replaceAll(/^\/+|\/+$/g, '')
  return folder === '' ? '' : `${folder}/`
}
