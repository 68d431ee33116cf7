import { canMerge, type Decision, type PendingConflict } from '#authoring/pending-conflicts.ts'
import type { Branch } from '#contract/branches.ts'
import { conflictReasons, type Conflict } from '#contract/comparisons.ts'
import { count } from '#cli/output.ts'
import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ListPane } from '../../panes/list.ts'
import { MergePane } from '../../panes/merge.ts'
import type { Context } from '../shared/context.ts'
import { backTo, DetailsPane } from '../shared/details-pane.ts'
import { decisionWords, sideDetails } from './sides.ts'
import type { PendingMerge } from './pending-merge.ts'
import { mergeCommands } from './merge-commands.ts'
import { copyForPages } from '../shared/copy.ts'

interface ConflictsOptions {
  readonly branch: Branch
  readonly pendingMerge: PendingMerge
  /** What comes when all are settled, such as `Publish`. */
  readonly goOn: string
}

/** Has the conflicts of a branch settled. @returns false: it was left; what was decided stays in the pending merge. */
export function resolveConflicts({ app }: Context, options: ConflictsOptions): Promise<boolean> {
  return new Promise((resolve) => app.push(new ConflictsView(app, { ...options, end: resolve })))
}

/** Columns from which on the text stands beside the list. */
const wide = 90

/** Files that main and a branch changed in ways that do not go together: each is settled, then the merge goes on. */
export class ConflictsView implements View {
  readonly title = 'Conflicts'
  readonly about =
    'Main and the branch changed the same places of these files. Settle each: Enter goes through a text piece by piece, 1 takes the whole file of the branch, 2 the one of main. Esc goes back and keeps what you decided.'
  focused: Pane | undefined
  readonly #app: App
  readonly #options: ConflictsOptions & { readonly end: (goesOn: boolean) => void }
  readonly #list: ListPane<PendingConflict>
  readonly #sides = new DetailsPane(() => false)

  constructor(app: App, options: ConflictsOptions & { readonly end: (goesOn: boolean) => void }) {
    this.#app = app
    this.#options = options
    this.#list = new ListPane<PendingConflict>({
      items: options.pendingMerge.items,
      row: (item) => this.#row(item),
      text: (item) => `${shown(item.conflict.path)}, ${item.state}, ${conflictReasons[item.conflict.type]}`,
      key: ({ conflict }) => conflict.path,
      onOpen: (item) => this.#open(item),
      onSelect: () => this.#renew(),
    })
    this.#selectOpen()
    const moved = options.pendingMerge.items.filter(({ state, decision }) => state === 'open' && decision !== undefined)
    if (moved.length > 0) {
      const again = moved.some((item) => sideOf(item) !== undefined) ? ' k takes the side as before.' : ''
      app.notify(
        `${listed(moved)}: a side has moved since you decided, or you decided otherwise in another terminal. Look again.${again}`,
        'warning',
      )
    }
  }

  layout({ width, height }: Size): readonly Region[] {
    const list = { pane: this.#list, title: 'Files' }
    const body = { pane: this.#body(), title: shown(this.#list.selected?.conflict.path ?? '') }
    if (width >= wide) {
      const left = Math.min(40, Math.floor(width * 0.34))
      return [
        { ...list, row: 1, column: 0, width: left, height: height - 1 },
        { ...body, row: 1, column: left + 2, width: width - left - 2, height: height - 1 },
      ]
    }
    const top = Math.min(this.#list.items.length, Math.max(2, Math.floor(height / 5)))
    return [
      { ...list, row: 1, column: 0, width, height: top },
      { ...body, row: top + 2, column: 0, width, height: Math.max(0, height - top - 2) },
    ]
  }

  status(): Line {
    const { items, open } = this.#options.pendingMerge
    const body = this.#body()
    if (body instanceof MergePane && this.focused === body && body.counts.open > 0)
      return [span(`${count(body.counts.open, 'piece')} of ${body.counts.all} to decide`, { color: 'warning' })]
    const settled = items.filter(({ state }) => state === 'settled').length
    return open.length === 0
      ? [span('all settled', { color: 'success' })]
      : [span(`${settled} of ${settled + open.length} settled`, { color: 'warning' })]
  }

  commands(): readonly Command[] {
    const item = this.#list.selected
    const merging = this.focused !== undefined && this.focused !== this.#list
    return [
      ...(merging && item?.state === 'open' ? this.#mergeCommands(item) : this.#listCommands(item)),
      this.#goOnCommand(),
      ...(merging ? [backTo('Back to the files', () => (this.focused = this.#list))] : []),
    ]
  }

  closed(): void {
    this.#options.end(false)
  }

  #listCommands(item: PendingConflict | undefined): readonly Command[] {
    const none = item === undefined || item.state === 'gone' ? { unavailable: 'There is nothing to decide here.' } : {}
    const { name } = this.#options.branch
    return [
      {
        id: 'conflict.mine',
        title: `Take the file of ${name}`,
        keys: ['1'],
        hint: 'whole file: mine',
        ...none,
        run: () => this.#decide(item, { use: 'branch' }),
      },
      {
        id: 'conflict.theirs',
        title: 'Take the file of main',
        keys: ['2'],
        hint: 'main’s',
        ...none,
        run: () => this.#decide(item, { use: 'main' }),
      },
      ...this.#earlierCommands(item),
      ...this.#copyCommands(item),
    ]
  }

  #copyCommands(item: PendingConflict | undefined): readonly Command[] {
    const texts = item === undefined ? [] : this.#options.pendingMerge.writtenIn(item)
    if (texts.length === 0) return []
    const run = (): void => this.#copy(texts.join('\n'))
    return [{ id: 'conflict.copy', title: 'Copy your text of it', keys: ['y'], hint: 'copy', run }]
  }

  /** A side that was taken before one moved. A text would undo what has changed since: its pieces are joined anew. */
  #earlierCommands(item: PendingConflict | undefined): readonly Command[] {
    const decision = item?.state === 'open' ? sideOf(item) : undefined
    if (item === undefined || decision === undefined) return []
    return [
      {
        id: 'conflict.earlier',
        title: 'Decide as before',
        keys: ['k'],
        hint: 'as before',
        run: () => this.#decide(item, decision),
      },
    ]
  }

  /** While a text is merged, digits are for its pieces. */
  #mergeCommands(item: PendingConflict): readonly Command[] {
    const pane = this.#paneOf(item)
    const { text } = pane
    const settle: Command = {
      id: 'conflict.settle',
      title: 'Take the text as it is merged',
      keys: ['ctrl+s'],
      hint: 'settle',
      run: () => this.#decide(this.#list.selected, { content: text ?? '' }),
    }
    const earlier = pane.typing ? [] : [...this.#earlierCommands(item), ...this.#copyCommands(item)]
    return [...mergeCommands(pane), ...earlier, ...(text === undefined ? [] : [settle])]
  }

  #goOnCommand(): Command {
    const { open } = this.#options.pendingMerge
    return {
      id: 'conflict.goOn',
      title: this.#options.goOn,
      keys: ['ctrl+s'],
      ...(open.length === 0
        ? { hint: this.#options.goOn.toLowerCase() }
        : { unavailable: `${count(open.length, 'file')} still to be settled, such as ${shown(open[0]?.path ?? '')}.` }),
      run: () => {
        this.#options.end(true)
        this.#app.pop()
      },
    }
  }

  #open(item: PendingConflict): void {
    if (item.state === 'gone') return
    if (!canMerge(item.conflict)) {
      this.#app.notify('This one is settled as a whole: 1 takes the branch’s, 2 takes main’s.')
      return
    }
    if (item.state === 'settled') this.#options.pendingMerge.reopen(item.conflict.path)
    this.#renew()
    this.focused = this.#body()
  }

  #decide(item: PendingConflict | undefined, decision: Decision | undefined): void {
    if (item === undefined || decision === undefined) return
    this.#options.pendingMerge.decide(item.conflict.path, decision)
    this.#renew()
    this.#selectOpen()
    const { open } = this.#options.pendingMerge
    if (open.length === 0) this.#app.notify(`All settled. Ctrl-S: ${this.#options.goOn.toLowerCase()}.`, 'success')
  }

  #copy(text: string): void {
    copyForPages(this.#app, text)
    this.#app.notify('Your text is copied: Ctrl-V in a page pastes it.', 'success')
  }

  #selectOpen(): void {
    const next = this.#list.items.find(({ state }) => state === 'open')
    this.#list.selected = next ?? this.#list.selected
    this.#renew()
    // Digits are for pieces where there are pieces: whole files are decided in the list.
    this.focused = next !== undefined && canMerge(next.conflict) ? this.#body() : this.#list
  }

  #renew(): void {
    const { branch, pendingMerge } = this.#options
    const { items } = pendingMerge
    if (this.#list.items !== items) this.#list.items = items
    const item = this.#list.selected
    if (item !== undefined)
      this.#sides.show(sideDetails(item, { name: branch.name, written: pendingMerge.writtenIn(item) }))
    this.#app.refresh()
  }

  /** What stands beside the list: the text to be merged, else what each side has. */
  #body(): Pane {
    const item = this.#list.selected
    if (item === undefined || item.state !== 'open' || !canMerge(item.conflict)) return this.#sides
    return this.#paneOf(item)
  }

  #paneOf(item: PendingConflict): MergePane {
    return this.#options.pendingMerge.paneOf(item, this.#options.branch.name)
  }

  #row({ conflict, state, decision }: PendingConflict): Line {
    const mark = { open: '! ', settled: '✓ ', gone: '· ' } as const
    const color = { open: 'warning', settled: 'success', gone: 'muted' } as const
    const words =
      state === 'settled' && decision !== undefined
        ? decisionWords(conflict, decision, this.#options.branch.name)
        : conflictKinds[conflict.type]
    return [
      span(mark[state], { color: color[state] }),
      span(shown(conflict.path)),
      span(`  ${words}`, { color: 'muted' }),
    ]
  }
}

/** In a row there is no room for the sentence; that stands beside the list. */
const conflictKinds: Readonly<Record<Conflict['type'], string>> = {
  content: 'same lines',
  'add/add': 'added on both',
  'modify/delete': 'changed and deleted',
  'rename/rename': 'renamed on both',
  'rename/delete': 'renamed and deleted',
  'directory/file': 'file and folder',
  binary: 'not text',
  mode: 'executable or not',
}

function listed(items: readonly PendingConflict[]): string {
  const [first] = items
  const rest = items.length === 1 ? '' : ` and ${items.length - 1} more`
  return shown(first?.conflict.path ?? '') + rest
}

/** The side that was decided for. */
function sideOf({ decision }: PendingConflict): Decision | undefined {
  return decision !== undefined && 'use' in decision ? decision : undefined
}
