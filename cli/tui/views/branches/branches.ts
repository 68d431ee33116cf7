import type { Branch, HistoryCommit } from '#contract/branches.ts'
import type { Scope } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import type { Command, TourNote, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { Loaded } from '../../data/workspace.ts'
import { ListPane } from '../../panes/list.ts'
import { createBranch, deleteBranch, openPreview } from './branch-actions.ts'
import { openAddress } from '../shared/address.ts'
import { branchDetails, mainDetails } from './branch-details.ts'
import { branchKey, branchRow, branchWords, columnsOf, mainRow, type BranchItem, type Columns } from './branch-row.ts'
import type { Context } from '../shared/context.ts'
import { DeploysView } from '../deploys/deploys.ts'
import { backTo, DetailsPane } from '../shared/details-pane.ts'
import { asOfLine } from '../shared/loaded.ts'
import { refusalOf } from '../shared/refusals.ts'
import { updateBranch } from '../merge/update.ts'
import type { FileLocation } from '../shared/problems.ts'
import { PublishView } from '../publish/publish.ts'
import { sideBySide, wide } from '../shared/side-by-side.ts'
import { isUnderWay } from '../shared/states.ts'
import { Watch } from '../shared/watch.ts'

const shownCommits = 5
/** Milliseconds between two looks: while a preview is built, and while nothing is known to change. */
const soon = 1000
const seldom = 30_000
/** After a look, as many times what it took: thousands of branches are a hundred requests. */
const rest = 10
/** Milliseconds after which a selection is no more passed over. */
const settled = 150

const branchesTour: TourNote = {
  text: [
    'main is what readers see. You write on branches beside it, and each has a preview that only you and your team see.',
    'n creates a branch, Enter opens its files, o shows its preview, and Shift-P makes it live.',
  ],
}

/** The branches of a project: main, which is live, and where people write. */
export class BranchesView implements View {
  readonly about =
    'Main is what readers see. Everything is written on branches: each has a preview of its own, and becomes live when it is published. Enter opens the files of a branch.'
  readonly tour = branchesTour
  focused: Pane | undefined
  readonly #context: Context
  #project: Project
  #branches: Loaded<readonly Branch[]> | undefined
  /** The newest are shown, the others are being read. */
  #isBeginning = false
  #columns: Columns
  readonly #list: ListPane<BranchItem>
  readonly #details = new DetailsPane(() => this.#readsDetails())
  readonly #commits = new Map<string, readonly HistoryCommit[]>()
  readonly #watch = new Watch(() => this.#read())
  readonly #history = new Watch(() => this.#readCommits())
  #detailed: string | undefined
  #isNarrow = false
  #stopListening: (() => void) | undefined

  constructor(context: Context, project: Project) {
    this.#context = context
    this.#project = project
    this.#columns = columnsOf(project, [])
    this.#list = new ListPane<BranchItem>({
      row: ({ branch }, { width }) =>
        branch === 'main' ? mainRow(this.#project, width, this.#columns) : branchRow(branch, width, this.#columns),
      text: branchWords,
      key: branchKey,
      empty: 'Loading …',
      onOpen: ({ branch }) => this.#context.app.push(this.#context.routes.files(this.#project, branch)),
      onSelect: () => this.#detail(),
    })
  }

  get title(): string {
    return this.#project.slug
  }

  layout(size: Size): readonly Region[] {
    this.#isNarrow = size.width < wide
    const branch = this.#branch
    return sideBySide(size, {
      list: { pane: this.#list, title: 'Branches' },
      details: { pane: this.#details, title: typeof branch === 'object' ? shown(branch.name) : (branch ?? '') },
      reading: this.#readsDetails(),
    })
  }

  status(): Line {
    return this.#isBeginning ? [span('reading the other branches …', { color: 'muted' })] : asOfLine(this.#branches)
  }

  shown(): void {
    this.#stopListening ??= this.#context.workspace.onChange(() => this.#watch.start(0))
    void this.#load()
  }

  closed(): void {
    this.hidden()
  }

  hidden(): void {
    this.#watch.stop()
    this.#history.stop()
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  commands(): readonly Command[] {
    const branch = this.#branch
    const back = this.#readsDetails() ? [backTo('Back to the list', () => (this.focused = this.#list))] : []
    const own = branch === undefined ? [] : branch === 'main' ? this.#mainCommands() : this.#branchCommands(branch)
    return [...own, ...this.#always(branch), ...back]
  }

  /** What is selected. Undefined: the filter leaves nothing; main until the branches are known. */
  get #branch(): Branch | 'main' | undefined {
    return this.#list.items.length === 0 ? 'main' : this.#list.selected?.branch
  }

  #always(branch: Branch | 'main' | undefined): readonly Command[] {
    const { routes, app } = this.#context
    return [
      {
        id: 'branch.create',
        title: 'Create a branch',
        keys: ['n'],
        hint: 'new',
        ...this.#refusal('write'),
        run: () => this.#create(),
      },
      {
        id: 'branch.details',
        title: 'Go to the details',
        keys: ['i'],
        ...(this.#isNarrow && !this.#readsDetails() ? { hint: 'details' } : {}),
        run: () => {
          this.focused = this.#details
        },
      },
      {
        id: 'project.deploys',
        title: 'Deploys and rollback',
        keys: ['v'],
        ...(branch === 'main' ? { hint: 'deploys' } : {}),
        run: () => app.push(new DeploysView(this.#context, this.#project)),
      },
      {
        id: 'project.changelog',
        title: 'Changelog',
        keys: ['c'],
        run: () => app.push(routes.changelog(this.#project)),
      },
      { id: 'branch.reload', title: 'Refresh', keys: ['r'], run: () => this.#load() },
      ...routes.more(this.#project),
    ]
  }

  #mainCommands(): readonly Command[] {
    const { url, live } = this.#project
    const none = live === undefined ? { unavailable: 'There is no site yet: publish a branch first.' } : {}
    return [
      {
        id: 'branch.preview',
        title: 'Open the site',
        keys: ['o'],
        hint: 'open site',
        ...none,
        run: () => openAddress(this.#context.app, { title: this.#project.title, address: url }),
      },
      {
        id: 'branch.publish',
        title: 'Publish main again',
        keys: ['P'],
        ...none,
        ...this.#refusal('deploy'),
        run: () => this.#publish('main'),
      },
      {
        id: 'branch.history',
        title: 'History of main',
        keys: ['h'],
        run: () => this.#context.app.push(this.#context.routes.history(this.#project, 'main')),
      },
    ]
  }

  #branchCommands(branch: Branch): readonly Command[] {
    const { app, routes } = this.#context
    const upToDate = branch.upToDate ? { unavailable: `${branch.name} has all that main has.` } : {}
    return [
      {
        id: 'branch.preview',
        title: 'Open the preview',
        keys: ['o'],
        hint: 'preview',
        run: () => openPreview(this.#context, branch),
      },
      {
        id: 'branch.diff',
        title: 'What the branch changed',
        keys: ['d'],
        hint: 'diff',
        run: () => app.push(routes.diff(this.#project, branch)),
      },
      {
        id: 'branch.update',
        title: 'Update the branch: take in what main has since',
        keys: ['u'],
        ...(branch.upToDate ? {} : { hint: 'update' }),
        ...upToDate,
        ...this.#refusal('write'),
        run: () => this.#update(branch),
      },
      {
        id: 'branch.publish',
        title: 'Publish the branch',
        keys: ['P'],
        hint: 'publish',
        ...this.#refusal('deploy'),
        run: () => this.#publish(branch),
      },
      {
        id: 'branch.history',
        title: 'History of the branch',
        keys: ['h'],
        run: () => app.push(routes.history(this.#project, branch)),
      },
      {
        id: 'branch.delete',
        title: 'Delete the branch',
        keys: ['delete', 'x'],
        ...this.#refusal('write'),
        run: () => this.#delete(branch),
      },
    ]
  }

  #refusal(scope: Scope): Pick<Command, 'unavailable'> {
    return refusalOf(this.#context.workspace, { project: this.#project, scope })
  }

  #load(): Promise<void> {
    return this.#watch.begin((error) => this.#context.app.fail(error))
  }

  /** @returns milliseconds until it is worth to look again */
  async #read(): Promise<number> {
    const space = this.#context.workspace.project(this.#project.slug)
    const began = performance.now()
    try {
      const [project, branches] = await Promise.all([space.read(), space.branches((newest) => this.#begin(newest))])
      this.#project = project.value
      this.#branches = branches
    } finally {
      this.#isBeginning = false
    }
    const { value, offline } = this.#branches
    this.#show(value)
    const wait = value.some(({ preview }) => isUnderWay(preview)) && !offline ? soon : seldom
    return Math.max(wait, rest * (performance.now() - began))
  }

  /** What is there already stays until all are known. */
  #begin(newest: readonly Branch[]): void {
    if (this.#branches !== undefined) return
    this.#isBeginning = true
    this.#show(newest)
  }

  #show(branches: readonly Branch[]): void {
    this.#columns = columnsOf(this.#project, branches)
    this.#list.items = [{ branch: 'main' }, ...branches.map((branch) => ({ branch }))]
    this.#detail()
    this.#context.app.refresh()
  }

  #detail(): void {
    const item = this.#list.selected
    if (item === undefined) {
      this.#details.show([])
      this.#detailed = undefined
      return
    }
    const key = branchKey(item)
    const { branch } = item
    const open = (place: FileLocation): void =>
      this.#context.app.push(this.#context.routes.page(this.#project, branch, place))
    const details =
      branch === 'main'
        ? mainDetails(this.#project, { open, readOnly: this.#context.workspace.readOnly })
        : branchDetails(branch, { commits: this.#commits.get(branch.head), open })
    this.#details.show(details, { sameSubject: key === this.#detailed })
    this.#detailed = key
    if (branch !== 'main' && !this.#commits.has(branch.head)) this.#history.start(settled)
  }

  async #readCommits(): Promise<undefined> {
    const { branch } = this.#list.selected ?? { branch: 'main' as const }
    if (branch === 'main') return
    const params = { slug: this.#project.slug, id: branch.id }
    const query = { limit: shownCommits }
    const { items } = await this.#context.workspace.client.call(contract.branches.history, { params, query })
    this.#commits.set(branch.head, items)
    this.#detail()
    this.#context.app.refresh()
  }

  #readsDetails(): boolean {
    return this.focused === this.#details
  }

  async #create(): Promise<void> {
    const branches = this.#branches?.value ?? []
    const created = await createBranch(this.#context, this.#project, branches)
    if (created === undefined) return
    await this.#load()
    this.#list.selected = { branch: created }
    this.#context.app.push(this.#context.routes.files(this.#project, created))
  }

  async #delete(branch: Branch): Promise<void> {
    await deleteBranch(this.#context, this.#project, branch)
    await this.#load()
  }

  async #update(branch: Branch): Promise<void> {
    // Where it failed, it may be because the branch is no more.
    await updateBranch(this.#context, this.#project, branch)
    await this.#load()
  }

  #publish(branch: Branch | 'main'): void {
    this.#context.app.push(new PublishView(this.#context, { project: this.#project, branch }))
  }
}
