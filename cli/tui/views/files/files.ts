import type { Branch } from '../../../../src/contract/branches.ts'
import type { ProjectFile } from '../../../../src/contract/files.ts'
import type { Project } from '../../../../src/contract/projects.ts'
import { count } from '../../../output.ts'
import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { Workspace } from '../../data/workspace.ts'
import { TreePane } from '../../panes/tree.ts'
import { AssistantView } from '../assistant/assistant.ts'
import { FileActions, fileRefusal } from './file-actions.ts'
import { LinkMender } from './link-mender.ts'
import { Listing } from './listing.ts'
import { markdownFor, urlOf } from './page-paths.ts'
import { pastedFiles } from './pasted-paths.ts'
import { PathFinder } from './path-finder.ts'
import { FilePreview } from './preview.ts'
import { Uploads } from './uploads.ts'
import { asOfLine } from '../shared/loaded.ts'
import { readOnlyReason, refusalOf } from '../shared/refusals.ts'
import type { Routes } from '../shared/routes.ts'
import { SearchView } from './search.ts'

export interface FilesOptions {
  readonly app: App
  readonly workspace: Workspace
  readonly routes: Routes
  readonly project: Project
  readonly branch: Branch | 'main'
}

/** Columns from which on the selected file is shown beside the list. */
const wide = 100

/** The files of a branch, or of main. */
export class FilesView implements View {
  readonly about =
    'The files of this branch in their folders: + is new, ~ changed, - deleted, ● has a text here that is not saved. ' +
    'Drop images on the window to upload them.'
  focused: Pane | undefined
  readonly #options: FilesOptions
  readonly #files: BranchFiles
  readonly #tree: TreePane
  readonly #preview: FilePreview
  readonly #actions: FileActions
  readonly #uploads: Uploads
  readonly #listing: Listing
  #finder: PathFinder | undefined

  constructor(options: FilesOptions) {
    const { app, workspace, project, branch } = options
    this.#options = options
    this.#files = workspace.project(project.slug).files(branch)
    this.#preview = new FilePreview(app, this.#files)
    this.#tree = new TreePane({
      empty: 'Loading …',
      onOpen: (file) => this.#open(file.path),
      onSelect: () => this.#preview.show(this.#tree.selected?.file?.path),
      onPaste: (text) => void this.#paste(text),
    })
    this.#listing = new Listing({
      app,
      workspace,
      files: this.#files,
      tree: this.#tree,
      onChange: () => this.#finder?.renew(this.#tree.files, this.#listing.drafts),
    })
    const isTaken = (path: string): boolean => (this.#tree.find(path)?.status ?? 'deleted') !== 'deleted'
    this.#uploads = new Uploads({ app, files: this.#files, isTaken, listed: () => this.#tree.files })
    this.#actions = new FileActions({
      app,
      files: this.#files,
      mender: new LinkMender(workspace, this.#files),
      isTaken,
      drafts: () => this.#listing.drafts,
    })
  }

  get title(): string {
    return this.#files.branch
  }

  shown(): void {
    this.#listing.follow()
    this.#preview.reload()
    void this.#listing.load()
  }

  closed(): void {
    this.#listing.close()
    this.#finder?.close()
    this.#preview.close()
  }

  layout({ width, height }: Size): readonly Region[] {
    const pane = this.#finder?.pane ?? this.#tree
    if (width < wide || this.#preview.path === undefined) return [{ pane, row: 0, column: 0, width, height }]
    const left = Math.min(60, Math.floor(width * 0.4))
    const title = shown(this.#preview.path)
    return [
      { pane, row: 0, column: 0, width: left, height },
      { pane: this.#preview.pane, row: 1, column: left + 2, width: width - left - 2, height: height - 1, title },
    ]
  }

  status(): Line {
    const { loaded, drafts } = this.#listing
    const asOf = asOfLine(loaded)
    const files = loaded === undefined ? '' : count(loaded.value.length, 'file')
    const unsaved = drafts.size === 0 ? [] : [span(` · ${drafts.size} not saved`, { color: 'accent' })]
    return [...(asOf.length === 0 ? [] : [...asOf, span(' · ')]), span(files, { color: 'muted' }), ...unsaved]
  }

  commands(): readonly Command[] {
    if (this.#finder !== undefined) return this.#whileFinding(this.#finder)
    return [...this.#finding(), ...this.#changing(), ...this.#going()]
  }

  /** Letters are typed then. */
  #whileFinding(finder: PathFinder): Command[] {
    const open = (): void => {
      const path = finder.take()
      if (path !== undefined) this.#openFound(path)
    }
    return [
      ...(finder.mayHaveFound ? [{ id: 'file.open', title: 'Open', keys: ['enter'], hint: 'open', run: open }] : []),
      { id: 'back', title: 'Show all files', keys: ['escape'], hint: 'all files', run: () => this.#endFind() },
    ]
  }

  #finding(): Command[] {
    return [
      { id: 'file.find', title: 'Find a file by its path', keys: ['/'], hint: 'find', run: () => this.#find() },
      {
        id: 'file.search',
        title: 'Search in the files',
        keys: ['f', 'ctrl+f'],
        hint: 'search',
        run: () => this.#search(),
      },
    ]
  }

  #changing(): Command[] {
    const file = this.#selected
    const act = (
      own: Pick<Command, 'id' | 'title' | 'keys' | 'hint'>,
      kind: 'rename' | 'remove' | 'restore',
      run: (selected: ProjectFile) => Promise<string | undefined>,
    ): Command => ({
      ...own,
      ...this.#refusal(fileRefusal(file, kind, this.#listing.drafts)),
      run: async () => {
        if (file !== undefined) await this.#done(await run(file))
      },
    })
    return [
      {
        id: 'file.create',
        title: 'New page',
        keys: ['n'],
        hint: 'new',
        ...this.#refusal(undefined),
        run: () => this.#create(),
      },
      act({ id: 'file.rename', title: 'Rename or move the file', keys: ['R', 'f2'], hint: 'rename' }, 'rename', (one) =>
        this.#actions.rename(one),
      ),
      act({ id: 'file.remove', title: 'Delete the file', keys: ['x', 'delete'], hint: 'delete' }, 'remove', (one) =>
        this.#actions.remove(one),
      ),
      act({ id: 'file.restore', title: 'Take main’s version back', keys: ['u'], hint: 'restore' }, 'restore', (one) =>
        this.#actions.restore(one),
      ),
      {
        id: 'file.upload',
        title: 'Upload an image or another file',
        keys: ['i'],
        hint: 'upload',
        ...this.#refusal(undefined),
        run: async () => this.#done((await this.#uploads.ask())[0]),
      },
    ]
  }

  #going(): Command[] {
    const { app, branch, project, routes, workspace } = this.#options
    const file = this.#selected
    const unselected = file === undefined ? { unavailable: 'Select a file first.' } : {}
    return [
      ...(branch === 'main'
        ? []
        : [
            {
              id: 'branch.diff',
              title: 'What this branch changed',
              keys: ['d'],
              hint: 'diff',
              run: () => app.push(routes.diff(project, branch)),
            },
            {
              id: 'branch.publish',
              title: 'Publish this branch',
              keys: ['P'],
              ...refusalOf(workspace, { project, scope: 'deploy' }),
              run: () => {
                const view = routes.publish?.(project, branch)
                if (view !== undefined) app.push(view)
              },
            },
            {
              id: 'branch.assistant',
              title: 'Let the assistant work on this branch',
              keys: ['a'],
              hint: 'assistant',
              ...refusalOf(workspace, { project, scope: 'write' }),
              run: () => app.push(new AssistantView({ app, workspace, project, branch })),
            },
          ]),
      {
        id: 'file.history',
        title: 'History of the file',
        keys: ['h'],
        hint: 'history',
        ...unselected,
        run: () => {
          if (file !== undefined) app.push(routes.history(project, branch, file.path))
        },
      },
      {
        id: 'file.browse',
        title: 'Open the page in the browser',
        keys: ['o'],
        ...unselected,
        run: () => this.#browse(file),
      },
      {
        id: 'file.copy',
        title: 'Copy what shows or links to the file',
        keys: ['y'],
        ...unselected,
        run: () => this.#copy(file),
      },
      { id: 'file.refresh', title: 'Refresh', keys: ['r'], run: () => this.#listing.load() },
      ...routes.more(project),
    ]
  }

  get #selected(): ProjectFile | undefined {
    return this.#tree.selected?.file
  }

  #refusal(reason: string | undefined): Pick<Command, 'unavailable'> {
    const { workspace, project } = this.#options
    const never = readOnlyReason(workspace, { project, scope: 'write' })
    if (never.unavailable !== undefined) return never
    if (this.#files.readOnly)
      return { unavailable: 'main changes when a branch is published: create one, and work there.' }
    return reason === undefined ? {} : { unavailable: reason }
  }

  /** Shows what came of an action. */
  async #done(path: string | undefined): Promise<void> {
    if (path === undefined) return
    await this.#listing.load()
    this.#tree.reveal(path)
    this.#preview.reload()
  }

  async #create(): Promise<void> {
    const path = await this.#actions.create(this.#tree.folder)
    await this.#done(path)
    if (path !== undefined) this.#open(path)
  }

  async #paste(text: string): Promise<void> {
    const { app } = this.#options
    const found = await pastedFiles(text)
    if (found === undefined) return app.notify('What was pasted names no file of this machine.', 'warning')
    const { unavailable } = this.#refusal(undefined)
    if (unavailable !== undefined) return app.notify(unavailable, 'warning')
    await this.#done((await this.#uploads.send(found))[0])
  }

  #open(path: string): void {
    const { app, project, branch, routes } = this.#options
    if (this.#tree.find(path)?.status === 'deleted')
      app.notify(`${shown(path)} is deleted on this branch: u takes it back.`, 'warning')
    else app.push(routes.page(project, branch, { path }))
  }

  #find(): void {
    this.#finder = new PathFinder({
      files: this.#tree.files,
      drafts: this.#listing.drafts,
      refresh: () => this.#options.app.refresh(),
      onSelect: (path) => this.#preview.show(path),
      onClose: () => this.#endFind(),
      onType: () => this.#listing.renew(),
      onOpen: (path) => this.#openFound(path),
    })
    this.focused = this.#finder.pane
    this.#listing.renew()
  }

  #openFound(path: string): void {
    this.#endFind()
    this.#tree.reveal(path)
    this.#open(path)
  }

  #endFind(): void {
    this.#finder?.close()
    this.#finder = undefined
    this.focused = this.#tree
    this.#preview.show(this.#selected?.path)
  }

  #search(): void {
    const { app, workspace, project, branch, routes } = this.#options
    app.push(
      new SearchView({
        app,
        workspace,
        files: this.#files,
        paths: () => this.#tree.files.filter(({ status }) => status !== 'deleted').map(({ path }) => path),
        onOpen: (place) => app.push(routes.page(project, branch, place)),
      }),
    )
  }

  #browse(file: ProjectFile | undefined): void {
    const { app, branch, project } = this.#options
    if (file === undefined) return
    const site = branch === 'main' ? project.url : branch.previewUrl
    app.openBrowser(urlOf(file.path, site))
  }

  #copy(file: ProjectFile | undefined): void {
    const { app } = this.#options
    if (file === undefined) return
    const text = markdownFor(file.path)
    app.copy(text)
    app.notify(`In the clipboard: ${shown(text)}`, 'success')
  }
}
