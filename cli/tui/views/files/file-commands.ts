import type { ProjectFile } from '#contract/files.ts'
import type { Command } from '../../app/view.ts'
import { shown } from '../../canvas/width.ts'
import type { TreeRow } from '../../panes/tree-rows.ts'
import { openAddress } from '../shared/address.ts'
import { copyForPages } from '../shared/copy.ts'
import { refusalOf } from '../shared/refusals.ts'
import { fileRefusal } from './file-actions.ts'
import type { FilesOptions } from './files-options.ts'
import { isPage, markdownFor, urlOf } from '#authoring/page-paths.ts'

/** What commands of the files do. */
export interface FileActs {
  readonly find: () => void
  readonly search: () => void
  /** Letters go to names. */
  readonly goTo: () => void
  readonly create: () => Promise<void>
  readonly rename: (file: ProjectFile) => Promise<void>
  /** @param folder with a slash at its end */
  readonly renameFolder: (folder: string) => Promise<void>
  readonly remove: (file: ProjectFile) => Promise<void>
  readonly restore: (file: ProjectFile) => Promise<void>
  readonly upload: () => Promise<void>
  /** Shows a page in the navigation. */
  readonly navigate: (file: ProjectFile) => Promise<void>
  readonly refresh: () => Promise<void>
}

export interface FilesNow {
  readonly options: FilesOptions
  readonly selected: TreeRow | undefined
  /** Paths with a text here that is not saved. */
  readonly drafts: ReadonlySet<string>
  /** Why nothing can be changed; nothing where it can. */
  readonly refusal: Pick<Command, 'unavailable'>
  readonly acts: FileActs
}

/** What can be done among the files of a branch. */
export function fileCommands(now: FilesNow): readonly Command[] {
  return [
    ...findingCommands(now),
    createCommand(now),
    ...branchCommands(now),
    ...changingCommands(now),
    ...goingCommands(now),
  ]
}

function findingCommands({ acts }: FilesNow): Command[] {
  return [
    { id: 'file.find', title: 'Find a file by its path', keys: ['/'], hint: 'find file', run: acts.find },
    { id: 'file.search', title: 'Search in the files', keys: ['f', 'ctrl+f'], hint: 'search', run: acts.search },
    { id: 'file.goTo', title: 'Go to a name by its first letters', keys: ['g'], run: acts.goTo },
  ]
}

function createCommand({ refusal, acts }: FilesNow): Command {
  return { id: 'file.create', title: 'New page', keys: ['n'], hint: 'new', ...refusal, run: acts.create }
}

function changingCommands({ selected, drafts, refusal, acts }: FilesNow): Command[] {
  const file = selected?.file
  const isFolder = selected !== undefined && file === undefined
  const act = (
    own: Pick<Command, 'id' | 'title' | 'keys' | 'hint'>,
    reason: string | undefined,
    run: (one: ProjectFile) => Promise<void>,
  ): Command => ({
    ...own,
    ...(reason === undefined ? {} : { unavailable: reason }),
    ...refusal,
    run: () => (file === undefined ? undefined : run(file)),
  })
  return [
    isFolder
      ? {
          ...act({ id: 'file.rename', title: 'Rename or move the folder', keys: ['R', 'f2'] }, undefined, acts.rename),
          run: () => acts.renameFolder(selected.path),
        }
      : act(
          { id: 'file.rename', title: 'Rename or move the file', keys: ['R', 'f2'] },
          fileRefusal(file, 'rename', drafts),
          acts.rename,
        ),
    act(
      { id: 'file.remove', title: 'Delete the file', keys: ['x', 'delete'] },
      fileRefusal(file, 'remove', drafts),
      acts.remove,
    ),
    act(
      { id: 'file.restore', title: 'Take main’s version back', keys: ['u'], hint: 'restore' },
      fileRefusal(file, 'restore', drafts),
      acts.restore,
    ),
    {
      id: 'file.upload',
      title: 'Upload an image or another file',
      keys: ['i'],
      hint: 'upload',
      ...refusal,
      run: acts.upload,
    },
    act(
      { id: 'file.navigate', title: 'Show the page in the navigation of docs.json', keys: ['N'] },
      file === undefined || !isPage(file.path) || file.status === 'deleted' ? 'Select a page first.' : undefined,
      acts.navigate,
    ),
  ]
}

function branchCommands({ options }: FilesNow): Command[] {
  const { app, branch, project, routes, workspace } = options
  if (branch === 'main') return []
  return [
    {
      id: 'branch.publish',
      title: 'Publish the branch',
      keys: ['P'],
      hint: 'publish',
      ...refusalOf(workspace, { project, scope: 'deploy' }),
      run: () => {
        const view = routes.publish?.(project, branch)
        if (view !== undefined) app.push(view)
      },
    },
    {
      id: 'branch.diff',
      title: 'What the branch changed',
      keys: ['d'],
      hint: 'diff',
      run: () => app.push(routes.diff(project, branch)),
    },
    {
      id: 'branch.assistant',
      title: 'Let the assistant work on this branch',
      keys: ['a'],
      hint: 'assistant',
      ...refusalOf(workspace, { project, scope: 'write' }),
      run: () => app.push(routes.assistant(project, branch)),
    },
  ]
}

function goingCommands({ options, selected, acts }: FilesNow): Command[] {
  const { app, branch, project, routes } = options
  const file = selected?.file
  return [
    {
      id: 'file.history',
      title: 'History of the file',
      keys: ['h'],
      hint: 'history',
      ...unselected(file),
      run: () => {
        if (file !== undefined) app.push(routes.history(project, branch, file.path))
      },
    },
    {
      id: 'file.browse',
      title: 'Open the page in the browser',
      keys: ['o'],
      ...unselected(file),
      run: async () => {
        const site = branch === 'main' ? project.url : branch.previewUrl
        if (file !== undefined) await openAddress(app, { title: file.path, address: urlOf(file.path, site) })
      },
    },
    {
      id: 'file.copy',
      title: 'Copy what shows or links to the file',
      keys: ['y'],
      ...unselected(file),
      run: () => {
        if (file === undefined) return
        const text = markdownFor(file.path)
        copyForPages(app, text)
        app.notify(`Copied; Ctrl-V in a page pastes it: ${shown(text)}`, 'success')
      },
    },
    { id: 'file.refresh', title: 'Refresh', keys: ['r'], run: acts.refresh },
    ...routes.more(project),
  ]
}

function unselected(file: ProjectFile | undefined): Pick<Command, 'unavailable'> {
  return file === undefined ? { unavailable: 'Select a file first.' } : {}
}
