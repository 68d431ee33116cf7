import type { ProjectFile } from '#contract/files.ts'
import type { App } from '../../app/app.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import { newPagePath, newPageText, pathTrouble, typedPath } from '#authoring/page-paths.ts'

interface FileActionsOptions {
  readonly app: App
  readonly files: BranchFiles
  /** Whether the branch has a file of this path. */
  readonly isTaken: (path: string) => boolean
}

/** What can be done with the files of a branch. Each answers the path to show next; undefined: nothing was done. */
export class FileActions {
  readonly #app: App
  readonly #files: BranchFiles
  readonly #isTaken: (path: string) => boolean

  constructor({ app, files, isTaken }: FileActionsOptions) {
    this.#app = app
    this.#files = files
    this.#isTaken = isTaken
  }

  /** A page by its title, then where it is to be. */
  async create(folder: string): Promise<string | undefined> {
    const { dialogs } = this.#app
    const named = await dialogs.ask({
      title: 'New page',
      fields: [{ name: 'title', label: 'Title', placeholder: 'Getting started' }],
      act: 'Go on',
    })
    const title = named?.['title']?.trim()
    if (title === undefined || title === '') return undefined
    let created: string | undefined
    await dialogs.ask({
      title: `New page: ${shown(title)}`,
      fields: [
        {
          name: 'path',
          label: 'Path',
          value: newPagePath(title, folder, this.#isTaken),
          help: 'Folders that do not exist are made. docs.json says where it stands in the navigation.',
          check: (path) => this.#newPathTrouble(typedPath(path, 'page.mdx')),
        },
      ],
      act: 'Create it',
      submit: async (values) => {
        const path = typedPath(values['path'] ?? '', 'page.mdx')
        await this.#write(path, newPageText(title))
        created = path
      },
    })
    return created
  }

  async remove(file: ProjectFile): Promise<string | undefined> {
    if (file.oid === '') return this.#discard(file.path)
    const isNew = file.status === 'added'
    const isMeant = await this.#app.dialogs.confirm({
      title: `Delete ${shown(file.path)}?`,
      body: [
        isNew
          ? 'It is new on this branch: once deleted, only the history of the branch has it.'
          : 'The site keeps it until this branch is published, and u takes it back.',
      ],
      act: 'Delete it',
      danger: isNew,
    })
    if (!isMeant) return undefined
    const done = await this.#app.task(`Deleting ${shown(file.path)}`, async () => {
      await this.#files.remove(file)
      return file.path
    })
    if (done !== undefined) this.#app.notify(`Deleted ${shown(done)}.${isNew ? '' : ' u takes it back.'}`, 'success')
    return done
  }

  /** Takes main’s version back. */
  async restore(file: ProjectFile): Promise<string | undefined> {
    const isMeant =
      file.status === 'deleted' ||
      (await this.#app.dialogs.confirm({
        title: `Take main’s version of ${shown(file.path)} back?`,
        body: ['What this branch changed in it is undone; the history of the branch keeps it.'],
        act: 'Take it back',
      }))
    if (!isMeant) return undefined
    const done = await this.#app.task(`Taking ${shown(file.path)} back`, async () => {
      await this.#files.restore(file)
      return file.path
    })
    if (done !== undefined) this.#app.notify(`${shown(done)} is as on main.`, 'success')
    return done
  }

  /** A new page that was never saved. */
  async #discard(path: string): Promise<string | undefined> {
    const isMeant = await this.#app.dialogs.confirm({
      title: `Throw ${shown(path)} away?`,
      body: ['It was never saved on the branch: nothing else has what you wrote.'],
      act: 'Throw it away',
      danger: true,
    })
    if (!isMeant) return undefined
    return this.#app.task(`Throwing ${shown(path)} away`, async () => {
      const draft = await this.#files.edit(path)
      await draft.discard()
      await draft.close()
      return path
    })
  }

  /** On the branch at once, so that others see it and it can be linked to; offline, as soon as that can be. */
  async #write(path: string, text: string): Promise<void> {
    const draft = await this.#files.create(path, text)
    try {
      await draft.save(`Add ${path}`)
    } catch (error) {
      // What was found here of an earlier time is not thrown away.
      if (draft.text === text) await draft.discard()
      throw error
    } finally {
      await draft.close()
    }
  }

  #newPathTrouble(path: string): string | undefined {
    const trouble = pathTrouble(path)
    if (trouble !== undefined) return trouble
    return this.#isTaken(path) ? `There is a ${path} already.` : undefined
  }
}

/** Why something cannot be done with a file; undefined where it can. */
export function fileRefusal(
  file: ProjectFile | undefined,
  act: 'rename' | 'remove' | 'restore',
  drafts: ReadonlySet<string>,
): string | undefined {
  if (file === undefined) return 'Select a file first: folders come and go with their files.'
  if (act === 'restore')
    return file.status === 'unchanged' || file.status === 'added'
      ? 'This branch did not change what main has of it.'
      : undefined
  if (file.status === 'deleted') return 'It is deleted already: u takes it back.'
  if (act === 'remove' && file.oid !== '' && drafts.has(file.path))
    return 'It has changes here that are not saved: open it, and save or discard them first.'
  return act === 'rename' && file.oid === '' ? 'Save it first: it is not on the branch yet.' : undefined
}
