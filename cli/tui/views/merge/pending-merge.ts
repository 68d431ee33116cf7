import type { PieceDecision } from '#authoring/merge-pieces.ts'
import {
  type Decision,
  type KeptDecision,
  keptOf,
  givenBack,
  remembered,
  renewed,
  resolutionsOf,
  type PendingConflict,
  textsOf,
  unrepeated,
} from '#authoring/pending-conflicts.ts'
import type { Conflict, Resolution } from '#contract/branches.ts'
import { joined, type WrittenText } from '../../data/drafts/decision.ts'
import { MergePane } from '../../panes/merge.ts'

/**
 * What a person decided of the conflicts of one branch with main. It outlives the view, and moves of main: whatever was
 * decided on sides that are as they were still holds.
 */
export class PendingMerge {
  #items: readonly PendingConflict[] = []
  /** Of an earlier time, whose conflicts the service has not told yet. */
  readonly #earlier = new Map<string, KeptDecision>()
  readonly #onChange: () => void
  /** The texts that are merged piece by piece. */
  readonly #merges = new WeakMap<Conflict, MergePane>()

  /** @param onChange told whenever `kept` is another */
  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange
  }

  get items(): readonly PendingConflict[] {
    return this.#items
  }

  /** Conflicts that nothing was decided of. */
  get open(): readonly Conflict[] {
    return this.#items.filter(({ state }) => state === 'open').map(({ conflict }) => conflict)
  }

  /**
   * What the service says is in conflict now.
   * @param sent the decisions that went with the request: of those that it does not name, it has taken each
   */
  take(conflicts: readonly Conflict[], sent: readonly Resolution[]): void {
    const items = this.#items.map((item) => this.#withPieces(item))
    this.#items = renewed(items, { conflicts, sent }, this.#earlier)
    this.#earlier.clear()
    this.#onChange()
  }

  /** The service says that a file has no conflict: there is nothing to decide. */
  drop(path: string): void {
    this.#items = this.#items.flatMap((item) =>
      item.conflict.path === path ? givenBack(this.#withPieces(item)) : [item],
    )
    this.#onChange()
  }

  decide(path: string, decision: Decision): void {
    this.#change(path, (item) => ({ ...item, state: 'settled', decision }))
  }

  /** It is to be decided anew; what was decided stays beside it. */
  reopen(path: string): void {
    this.#change(path, (item) => ({ ...item, state: 'open' }))
  }

  /** For the service. */
  resolutions(): Resolution[] {
    return resolutionsOf(this.#items)
  }

  /**
   * Merges the texts of a conflict: the same pane for as long as the conflict is the same, with what was done in it.
   * @param name of the branch. @param other what the other side is called
   */
  paneOf({ conflict, pieces }: PendingConflict, name: string, other = 'main'): MergePane {
    let pane = this.#merges.get(conflict)
    if (pane === undefined) {
      const { base, branch: mine = '', main: theirs = '' } = conflict
      const labels = { mine: name, theirs: other }
      pane = new MergePane({ base, mine, theirs, labels, decided: pieces, onChange: this.#onChange })
      this.#merges.set(conflict, pane)
    }
    return pane
  }

  /** Texts of an item that somebody wrote, and that are in no text that is being merged. */
  writtenIn(item: PendingConflict): readonly string[] {
    const { conflict, decision, state } = item
    const pane = state === 'gone' ? undefined : this.#merges.get(conflict)
    if (pane === undefined) return unrepeated(textsOf({ decision, pieces: this.#piecesOf(item) }))
    return [...textsOf({ decision }), ...pane.unplaced]
  }

  /** What another terminal has left is ours from now on: where both decided the same, ours stands. */
  absorb(found: readonly KeptDecision[]): void {
    if (found.length === 0) return
    const ours = new Map(this.kept().map((kept) => [kept.path, kept]))
    for (const one of found) {
      const own = ours.get(one.path)
      const both = own === undefined ? one : joined(own, one)
      const isMet = this.#items.some(({ conflict }) => conflict.path === one.path)
      if (!isMet) this.#earlier.set(one.path, both)
      else this.#items = this.#items.map((item) => (item.conflict.path === one.path ? this.#anew(item, both) : item))
    }
    this.#onChange()
  }

  /** Texts that somebody wrote at an earlier time, of conflicts that nobody was told of since. */
  get earlierTexts(): readonly WrittenText[] {
    return [...this.#earlier.values()].flatMap(writtenTexts)
  }

  /** All texts that somebody wrote. */
  get written(): readonly WrittenText[] {
    return this.kept().flatMap(writtenTexts)
  }

  /** All that is worth to be found again after a crash. */
  kept(): readonly KeptDecision[] {
    const known = this.#items.flatMap((item) => keptOf(this.#withPieces(item)))
    return [...this.#earlier.values(), ...known]
  }

  #anew(item: PendingConflict, both: KeptDecision): PendingConflict {
    const { conflict } = item
    this.#merges.delete(conflict)
    const { state, ...rest } = remembered(conflict, both)
    return { ...rest, state: item.state === 'gone' ? 'gone' : state }
  }

  #change(path: string, change: (item: PendingConflict) => PendingConflict): void {
    this.#items = this.#items.map((item) =>
      item.conflict.path === path && item.state !== 'gone' ? change(item) : item,
    )
    this.#onChange()
  }

  #piecesOf({ conflict, pieces }: PendingConflict): readonly PieceDecision[] {
    return this.#merges.get(conflict)?.decided ?? pieces
  }

  #withPieces(item: PendingConflict): PendingConflict {
    return { ...item, pieces: this.#piecesOf(item) }
  }
}

function writtenTexts(kept: KeptDecision): readonly WrittenText[] {
  return unrepeated(textsOf(kept)).map((text) => ({ path: kept.path, text }))
}
