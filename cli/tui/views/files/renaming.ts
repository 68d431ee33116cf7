import type { ProjectFile } from '#contract/files.ts'
import { count } from '#cli/output.ts'
import type { App } from '../../app/app.ts'
import { shown } from '../../canvas/width.ts'
import { isPage, pathTrouble, typedPath } from '#authoring/page-paths.ts'
import type { LinkingFile, Relocated, Relocation } from './relocation.ts'

export interface RenamingOptions {
  readonly app: App
  readonly relocation: Relocation
  readonly isTaken: (path: string) => boolean
  /** The files of the branch. */
  readonly listed: () => readonly ProjectFile[]
  /** Paths with a text here that is not saved. */
  readonly drafts: () => ReadonlySet<string>
}

/** Renames files and folders, with the links to them. Each answers the path to show next; undefined: nothing was done. */
export class Renaming {
  readonly #options: RenamingOptions

  constructor(options: RenamingOptions) {
    this.#options = options
  }

  async file(file: ProjectFile): Promise<string | undefined> {
    const linking = await this.#linkingTo(file.path)
    let to = ''
    let moved: Relocated | undefined
    await this.#options.app.dialogs.ask({
      title: `Rename ${shown(file.path)}`,
      body: [linksText(linking)],
      fields: [
        {
          name: 'path',
          label: 'New path',
          value: file.path,
          help: 'Another folder moves it there.',
          check: (path) => this.#fileTrouble(typedPath(path, file.path)),
        },
        ...linksField(linking),
      ],
      act: 'Rename it',
      submit: async ({ path = '', links }) => {
        to = typedPath(path, file.path)
        const plan = { ...this.#plan(links, linking), files: [{ file, to }], message: `Rename ${file.path} to ${to}` }
        moved = await this.#options.relocation.carryOut(plan, () => undefined, new AbortController().signal)
      },
    })
    if (moved === undefined) return undefined
    this.#tell(`${shown(file.path)} is ${shown(to)} now`, moved)
    return to
  }

  /** @param folder with a slash at its end */
  async folder(folder: string): Promise<string | undefined> {
    const { app, listed } = this.#options
    const files = listed().filter(({ path, status }) => path.startsWith(folder) && status !== 'deleted')
    const unsaved = files.find(({ oid }) => oid === '')
    if (unsaved !== undefined) {
      app.notify(`${shown(unsaved.path)} is not on the branch yet: save it first.`, 'warning')
      return undefined
    }
    const linking = await this.#linkingTo(folder)
    const name = folder.slice(0, -1)
    const answer = await app.dialogs.ask({
      title: `Rename ${shown(folder)}`,
      body: [`${count(files.length, 'file')} ${files.length === 1 ? 'is' : 'are'} moved. ${linksText(linking)}`],
      fields: [
        {
          name: 'path',
          label: 'New path',
          value: name,
          help: 'Another folder before it moves it there.',
          check: (path) => this.#folderTrouble(folder, typedFolder(path), files),
        },
        ...linksField(
          linking,
          files.some(({ path }) => isPage(path)),
        ),
      ],
      act: 'Move all of it',
    })
    if (answer === undefined) return undefined
    const to = typedFolder(answer['path'] ?? '')
    const moved = await this.#moveAll(folder, to, { files, links: answer['links'], linking })
    return moved === files.length ? to : folder
  }

  /** @returns how many files are moved */
  async #moveAll(
    folder: string,
    to: string,
    { files, links, linking }: { files: readonly ProjectFile[]; links: string | undefined; linking: Linking },
  ): Promise<number> {
    const { app, relocation } = this.#options
    const progress = app.dialogs.progress({ title: `Moving ${shown(folder)} to ${shown(to)}`, cancel: 'stop' })
    const plan = {
      ...this.#plan(links, linking),
      files: files.map((file) => ({ file, to: to + file.path.slice(folder.length) })),
      message: `Move ${folder} to ${to}`,
    }
    let moved: Relocated = { files: 0, links: 0, left: [] }
    progress.phase('moving', `0 of ${count(files.length, 'file')}`)
    const onMoved = (now: Relocated): void => {
      moved = now
      progress.detail(`${now.files} of ${count(files.length, 'file')}`)
    }
    try {
      await relocation.carryOut(plan, onMoved, progress.signal)
      progress.close()
      if (moved.files === files.length) this.#tell(`${shown(folder)} is ${shown(to)} now`, moved)
      else app.notify(halfText(moved.files, files.length, to), 'warning')
    } catch (error) {
      if (!progress.signal.aborted) {
        const reason = error instanceof Error ? error.message : String(error)
        await progress.end('failed', [shown(reason), halfText(moved.files, files.length, to)])
      } else {
        progress.close()
        app.notify(halfText(moved.files, files.length, to), 'warning')
      }
    }
    return moved.files
  }

  async #linkingTo(path: string): Promise<Linking> {
    const { app, relocation, listed } = this.#options
    return app.task(`Looking for links to ${shown(path)}`, (signal) => relocation.linkingTo(path, listed(), signal))
  }

  #plan(links: string | undefined, linking: Linking) {
    const { listed, drafts } = this.#options
    return { listed: listed(), drafts: drafts(), linking: links === leave ? undefined : linking }
  }

  #tell(what: string, { links, left }: Relocated): void {
    const unsaved = left.length === 0 ? '' : ` Not in ${left.map(shown).join(', ')}: not saved yet.`
    this.#options.app.notify(
      links === 0 && left.length === 0 ? `${what}.` : `${what}; ${count(links, 'link')} mended.${unsaved}`,
      left.length === 0 ? 'success' : 'warning',
    )
  }

  #fileTrouble(path: string): string | undefined {
    return pathTrouble(path) ?? (this.#options.isTaken(path) ? `There is a ${path} already.` : undefined)
  }

  #folderTrouble(folder: string, to: string, files: readonly ProjectFile[]): string | undefined {
    if (to === '/') return 'Name a folder, such as guides/basics.'
    const trouble = pathTrouble(`${to}x`)
    if (trouble !== undefined) return trouble
    if (to === folder) return 'That is what it is called.'
    if (to.startsWith(folder)) return 'A folder cannot be moved into itself.'
    const paths = files.map(({ path }) => to + path.slice(folder.length))
    const long = paths.map(pathTrouble).find((one) => one !== undefined)
    const taken = paths.find(this.#options.isTaken)
    return long ?? (taken === undefined ? undefined : `There is a ${taken} already.`)
  }
}

type Linking = readonly LinkingFile[] | undefined

const leave = 'leave them'

function linksField(linking: Linking, hasPages = false) {
  if (linking === undefined || (linking.length === 0 && !hasPages)) return []
  return [{ name: 'links', label: 'The links', value: 'mend them', choices: ['mend them', leave] }]
}

function typedFolder(text: string): string {
  return `${text
    .trim()
    .replaceAll('\\', '/')
    .replaceAll(/^\/+|\/+$/g, '')}/`
}

function halfText(done: number, all: number, to: string): string {
  if (done === 0) return 'Nothing was moved.'
  return `${done} of ${count(all, 'file')} ${done === 1 ? 'is' : 'are'} in ${shown(to)} now, with their links. The others are where they were: renaming the folder again moves the rest.`
}

function linksText(linking: Linking): string {
  if (linking === undefined) return 'Links to it could not be looked for: they stay as they are.'
  if (linking.length === 0) return 'No page links to it.'
  const total = linking.reduce((sum, { links }) => sum + links, 0)
  const names = linking.slice(0, 5).map(({ path }) => shown(path))
  const rest = linking.length - names.length
  return `${count(total, 'link')} to it: in ${names.join(', ')}${rest > 0 ? ` and ${count(rest, 'more file')}` : ''}.`
}
