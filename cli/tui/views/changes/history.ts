import type { HistoryCommit } from '#contract/branches.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown, widthOf } from '../../canvas/width.ts'
import { DiffPane } from '../../panes/diff.ts'
import { ListPane } from '../../panes/list.ts'
import { ageOf } from '../shared/age.ts'
import { firstLine } from '../branches/branch-details.ts'
import { changeCommands } from './change-commands.ts'
import { CommitView } from './commit.ts'
import { changesOfCommit, commitsOf, type HistoryOptions } from './history-options.ts'
import { restoreCommand } from './restore.ts'
import { ofBranch } from '../shared/gone.ts'
import { row } from '../shared/row.ts'
import { Watch } from '../shared/watch.ts'

const wide = 110
const shownAtOnce = 100
/** Milliseconds after which a selection is no more passed over. */
const settled = 120

/** Commits of a branch or of main, or of one of the files there: who changed what, and the way back to any version. */
export class HistoryView implements View {
  readonly title: string
  readonly about: string
  focused: Pane | undefined
  readonly #options: HistoryOptions
  readonly #list: ListPane<HistoryCommit>
  readonly #diff = new DiffPane({ empty: () => (this.#isRead ? 'It changed no file.' : '') })
  readonly #reading = new Watch(() => this.#readSelected())
  #cursor: string | undefined
  #isLoaded = false
  #isRead = false
  #isWide = false

  constructor(options: HistoryOptions) {
    this.#options = options
    const { branch, path } = options
    this.about =
      branch === 'main'
        ? 'Every publish and deploy is a commit of main. Enter shows what one changed; r says where its version of a file is taken back.'
        : 'Every save is a commit. Enter shows what one changed; r takes the version of a file back that it left, as a new save: nothing is lost by that.'
    const what = path?.split('/').at(-1) ?? (branch === 'main' ? branch : branch.name)
    this.title = `History of ${shown(what)}`
    this.#list = new ListPane<HistoryCommit>({
      row: commitRow,
      text: ({ message, author }) => `${firstLine(message)}, ${author.name}`,
      key: ({ oid }) => oid,
      empty: () => (this.#isLoaded ? 'Nothing was saved here yet.' : 'Loading …'),
      onOpen: (commit) => this.#open(commit),
      onSelect: () => this.#selected(),
    })
  }

  get typing(): boolean {
    return this.#list.typing
  }

  layout({ width, height }: Size): readonly Region[] {
    const wasWide = this.#isWide
    this.#isWide = width >= wide
    if (this.#isWide && !wasWide) this.#selected()
    const below = { row: 1, height: Math.max(0, height - 1) }
    const commits = { pane: this.#list, title: 'Commits', ...below, column: 0 }
    if (!this.#isWide) return [{ ...commits, width }]
    const left = Math.floor(width * 0.42)
    return [
      { ...commits, width: left },
      { pane: this.#diff, title: 'What it changed', ...below, column: left + 2, width: width - left - 2 },
    ]
  }

  shown(): void {
    void this.#load()
  }

  closed(): void {
    this.#reading.stop()
  }

  commands(): readonly Command[] {
    const { path } = this.#options
    const commit = this.#list.selected
    return [
      ...(path === undefined || commit === undefined ? [] : [this.#restoring(commit, path)]),
      ...(this.#cursor === undefined
        ? []
        : [{ id: 'history.more', title: 'Show older ones', keys: ['m'], hint: 'older', run: () => this.#more() }]),
      ...(this.#isWide ? changeCommands(this.#diff) : []),
      { id: 'history.reload', title: 'Refresh', keys: ['f5'], run: () => this.#load() },
    ]
  }

  async #load(): Promise<void> {
    try {
      const older = { items: this.#list.items, cursor: this.#cursor }
      const newest = await this.#page()
      // Whoever comes back from a commit far below finds it where it was.
      const joint = older.items.findIndex(({ oid }) => oid === newest.at(-1)?.oid)
      if (joint >= 0) this.#cursor = older.cursor
      this.#list.items = joint < 0 ? newest : [...newest, ...older.items.slice(joint + 1)]
      this.#isLoaded = true
      this.#selected()
      this.#options.context.app.refresh()
    } catch (error) {
      const { context, branch } = this.#options
      context.app.fail(branch === 'main' ? error : ofBranch(error, branch))
    }
  }

  async #more(): Promise<void> {
    const older = await this.#options.context.app.task('Loading older commits', () => this.#page(this.#cursor))
    if (older !== undefined) this.#list.items = [...this.#list.items, ...older]
  }

  async #page(cursor?: string): Promise<readonly HistoryCommit[]> {
    const { items, nextCursor } = await commitsOf(this.#options, {
      limit: shownAtOnce,
      ...(cursor === undefined ? {} : { cursor }),
    })
    this.#cursor = nextCursor
    return items
  }

  #selected(): void {
    if (this.#isWide && this.#list.selected !== undefined) this.#reading.start(settled)
  }

  async #readSelected(): Promise<undefined> {
    const commit = this.#list.selected
    if (commit === undefined) return
    const files = await changesOfCommit(this.#options, commit, this.#only(commit).path)
    if (commit.oid !== this.#list.selected?.oid) return
    this.#isRead = true
    this.#diff.show(files)
    this.#options.context.app.refresh()
  }

  #restoring(commit: HistoryCommit, target: string): Command {
    const command = restoreCommand({ ...this.#options, commit, path: commit.path ?? target, target })
    // What was taken back at once is a commit of its own.
    return { ...command, run: async () => (await command.run(), this.#load()) }
  }

  #only(commit: HistoryCommit): { readonly path?: string } {
    const path = this.#options.path === undefined ? undefined : (commit.path ?? this.#options.path)
    return path === undefined ? {} : { path }
  }

  #open(commit: HistoryCommit): void {
    const { context, project, branch, path } = this.#options
    context.app.push(
      new CommitView({
        context,
        project,
        branch,
        commit,
        ...(path === undefined ? {} : { target: path }),
        ...this.#only(commit),
      }),
    )
  }
}

function commitRow(
  { message, author, committedAt, parents }: HistoryCommit,
  { width }: { readonly width: number },
): Line {
  const name = shown(author.name)
  const isMerge = parents.length > 1
  return row(width, [
    { line: [span(ageOf(committedAt), { color: 'muted' })], width: 10 },
    { line: [span(shown(firstLine(message)), isMerge ? { color: 'muted' } : undefined)] },
    { line: [span(name, { color: 'muted' })], width: Math.min(20, widthOf(name)), from: 40 },
  ])
}
