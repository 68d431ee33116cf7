import { count } from '#cli/output.ts'
import { LinesPane } from '../../app/dialogs/reader.ts'
import type { Command, View } from '../../app/view.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import { TreePane } from '../../panes/tree.ts'
import { FileActions } from './file-actions.ts'
import { fileCommands, type FileActs } from './file-commands.ts'
import { Listing } from './listing.ts'
import { NavigationOffer } from './navigation-offer.ts'
import { pastedFiles } from './pasted-paths.ts'
import { PathFinder } from './path-finder.ts'
import type { FilesOptions } from './files-options.ts'
import { FilePreview } from './preview.ts'
import { Relocation } from './relocation.ts'
import { Renaming } from './renaming.ts'
import { Uploads } from './uploads.ts'
import { asOfLine } from '../shared/loaded.ts'
import { readOnlyReason } from '../shared/refusals.ts'
import { SearchView } from './search.ts'

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
  readonly #renaming: Renaming
  readonly #navigation: NavigationOffer
  readonly #uploads: Uploads
  readonly #listing: Listing
  /** Beside a folder, so that the list keeps its place. */
  readonly #folderPane = new LinesPane((width) =>
    wrapText('Enter folds and unfolds it. / finds a file by its name, f looks into the texts of all.', width).map(
      (text): Line => [span(text, { color: 'muted' })],
    ),
  )
  #finder: PathFinder | undefined

  constructor(options: FilesOptions) {
    const { app, workspace, pendingMerges, project, branch } = options
    this.#options = options
    this.#files = workspace.project(project.slug).files(branch)
    this.#preview = new FilePreview(app, this.#files, (path) => this.#tree.find(path)?.size ?? 0)
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
      isTaken,
    })
    this.#renaming = new Renaming({
      app,
      relocation: new Relocation({ workspace, pendingMerges }, this.#files),
      isTaken,
      listed: () => this.#tree.files,
      drafts: () => this.#listing.drafts,
    })
    this.#navigation = new NavigationOffer(app, this.#files)
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
    const { path } = this.#preview
    const title = path ?? (this.#finder === undefined ? this.#tree.folder : '')
    if (width < wide || title === '') return [{ pane, row: 0, column: 0, width, height }]
    const left = Math.min(60, Math.floor(width * 0.4))
    const beside = path === undefined ? this.#folderPane : this.#preview.pane
    return [
      { pane, row: 0, column: 0, width: left, height },
      { pane: beside, row: 1, column: left + 2, width: width - left - 2, height: height - 1, title: shown(title) },
    ]
  }

  status(): Line {
    if (this.#tree.typed !== undefined) return [span(`Go to: ${this.#tree.typed}▏`, { color: 'accent' })]
    const { loaded, drafts } = this.#listing
    const asOf = asOfLine(loaded)
    // While one is looked for, how many match stands beside what was typed.
    const isCounted = loaded !== undefined && this.#finder === undefined
    const files = isCounted ? count(loaded.value.length, 'file') : ''
    const unsaved = drafts.size === 0 ? [] : [span(` · ${drafts.size} not saved`, { color: 'accent' })]
    return [...(asOf.length === 0 ? [] : [...asOf, span(' · ')]), span(files, { color: 'muted' }), ...unsaved]
  }

  commands(): readonly Command[] {
    if (this.#finder !== undefined) return this.#whileFinding(this.#finder)
    return fileCommands({
      options: this.#options,
      selected: this.#tree.selected,
      drafts: this.#listing.drafts,
      refusal: this.#refusal(),
      acts: this.#acts,
    })
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

  /** Why nothing can be changed; nothing where it can. */
  #refusal(): Pick<Command, 'unavailable'> {
    const { workspace, project } = this.#options
    const never = readOnlyReason(workspace, { project, scope: 'write' })
    if (never.unavailable !== undefined || !this.#files.readOnly) return never
    return { unavailable: 'main changes when a branch is published: create one, and work there.' }
  }

  readonly #acts: FileActs = {
    find: () => this.#find(),
    search: () => this.#search(),
    goTo: () => this.#tree.goTo(),
    create: () => this.#create(),
    rename: async (file) => this.#done(await this.#renaming.file(file)),
    renameFolder: async (folder) => this.#done(await this.#renaming.folder(folder)),
    remove: async (file) => this.#done(await this.#actions.remove(file)),
    restore: async (file) => this.#done(await this.#actions.restore(file)),
    upload: async () => this.#done((await this.#uploads.ask())[0]),
    navigate: async (file) => {
      await this.#navigation.add(file.path)
      await this.#listing.load()
    },
    refresh: () => this.#listing.load(),
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
    if (path === undefined) return
    await this.#navigation.offer(path)
    this.#open(path)
  }

  async #paste(text: string): Promise<void> {
    const { app } = this.#options
    const found = await pastedFiles(text)
    if (found === undefined) return app.notify('What was pasted names no file of this machine.', 'warning')
    const { unavailable } = this.#refusal()
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
    this.#preview.show(this.#tree.selected?.file?.path)
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
}
