import type { Conflict, Resolution } from '../../../../src/contract/branches.ts'
import { seenOf } from '../../../publishing.ts'
import { type Decision, joined, type KeptDecision, textsOf, type WrittenText } from '../../data/drafts/decision.ts'
import { MergePane } from '../../panes/merge.ts'
import type { PieceDecision } from '../../panes/merge/pieces.ts'

/**
 * A conflict with what was decided of it.
 *
 * - `open`: nothing, or what was decided on holds no more.
 * - `settled`: the service takes it.
 * - `gone`: main or the branch moved, and there is no conflict any more. It is kept for the text that was made of it.
 */
export interface SettledConflict {
  readonly conflict: Conflict
  readonly state: 'open' | 'settled' | 'gone'
  /** Of an open one: what was decided before a side moved. */
  readonly decision: Decision | undefined
  /** What was done of its pieces at an earlier time, or before a side moved. */
  readonly pieces: readonly PieceDecision[]
}

/**
 * What a person decided of the conflicts of one branch with main. It outlives the view, and moves of main: whatever was
 * decided on sides that are as they were still holds.
 */
export class Settlement {
  #items: readonly SettledConflict[] = []
  /** Of an earlier time, whose conflicts the service has not told yet. */
  readonly #earlier = new Map<string, KeptDecision>()
  readonly #onChange: () => void
  /** The texts that are merged piece by piece. */
  readonly #merges = new WeakMap<Conflict, MergePane>()

  /** @param onChange told whenever `kept` is another */
  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange
  }

  get items(): readonly SettledConflict[] {
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
    const taken = new Set(sent.map(({ path }) => path))
    const now = new Map(conflicts.map((conflict) => [conflict.path, conflict]))
    const known = this.#items.flatMap((item) => {
      const { path } = item.conflict
      const conflict = now.get(path)
      now.delete(path)
      if (conflict !== undefined) return [this.#renewed(item, conflict)]
      if (taken.has(path) && item.state === 'settled') return [item]
      return this.#keptOfGone(item)
    })
    const fresh = [...now.values()].map((conflict) => remembered(conflict, this.#earlier.get(conflict.path)))
    for (const { path } of fresh.map(({ conflict }) => conflict)) this.#earlier.delete(path)
    const gone = [...this.#earlier.values()].flatMap((earlier) => this.#keptOfGone(forgotten(earlier)))
    this.#items = [...known, ...fresh, ...gone]
    this.#earlier.clear()
    this.#onChange()
  }

  /** The service says that a file has no conflict: there is nothing to decide. */
  drop(path: string): void {
    this.#items = this.#items.flatMap((item) => (item.conflict.path === path ? this.#keptOfGone(item) : [item]))
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
    return this.#items.flatMap(({ conflict, state, decision }): Resolution[] =>
      state === 'settled' && decision !== undefined
        ? [{ path: conflict.path, ...decision, seen: seenOf(conflict) }]
        : [],
    )
  }

  /**
   * Merges the texts of a conflict: the same pane for as long as the conflict is the same, with what was done in it.
   * @param name of the branch. @param other what the other side is called
   */
  paneOf({ conflict, pieces }: SettledConflict, name: string, other = 'main'): MergePane {
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
  writtenIn(item: SettledConflict): readonly string[] {
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
    const known = this.#items.flatMap((item): KeptDecision[] => {
      const { conflict, decision, state } = item
      const pieces = this.#piecesOf(item)
      if (decision === undefined && pieces.length === 0) return []
      const kept = { path: conflict.path, seen: seenOf(conflict), settled: state === 'settled' }
      return [{ ...kept, ...(decision === undefined ? {} : { decision }), pieces: [...pieces] }]
    })
    return [...this.#earlier.values(), ...known]
  }

  #anew(item: SettledConflict, both: KeptDecision): SettledConflict {
    const { conflict } = item
    this.#merges.delete(conflict)
    const { state, ...rest } = remembered(conflict, both)
    return { ...rest, state: item.state === 'gone' ? 'gone' : state }
  }

  #change(path: string, change: (item: SettledConflict) => SettledConflict): void {
    this.#items = this.#items.map((item) =>
      item.conflict.path === path && item.state !== 'gone' ? change(item) : item,
    )
    this.#onChange()
  }

  #piecesOf({ conflict, pieces }: SettledConflict): readonly PieceDecision[] {
    return this.#merges.get(conflict)?.decided ?? pieces
  }

  /** A decision, and what is half done, holds for as long as both sides are what it was made on. */
  #renewed(item: SettledConflict, conflict: Conflict): SettledConflict {
    const { main, branch } = item.conflict.oids
    const holds = main === conflict.oids.main && branch === conflict.oids.branch
    if (holds && item.state !== 'gone') return item
    return { conflict, state: 'open', decision: item.decision, pieces: this.#piecesOf(item) }
  }

  /** Only a text that somebody wrote is worth to be kept. */
  #keptOfGone(item: SettledConflict): SettledConflict[] {
    const pieces = this.#piecesOf(item)
    const isWritten = textsOf({ decision: item.decision, pieces }).length > 0
    return isWritten ? [{ ...item, pieces, state: 'gone' }] : []
  }
}

/** A conflict that is new here, with what was decided of it at an earlier time. */
function remembered(conflict: Conflict, earlier: KeptDecision | undefined): SettledConflict {
  if (earlier === undefined) return { conflict, state: 'open', decision: undefined, pieces: [] }
  const { main, branch } = seenOf(conflict)
  const holds = earlier.settled && earlier.seen.main === main && earlier.seen.branch === branch
  return { conflict, state: holds ? 'settled' : 'open', decision: earlier.decision, pieces: earlier.pieces ?? [] }
}

/** What was decided at an earlier time of a conflict that is none any more. */
function forgotten({ path, seen: { main, branch }, decision, pieces = [] }: KeptDecision): SettledConflict {
  const oids = { ...(main === null ? {} : { main }), ...(branch === null ? {} : { branch }) }
  return { conflict: { path, type: 'content', oids }, state: 'gone', decision, pieces }
}

/** A text that is in another one needs not be told of itself. */
function unrepeated(texts: readonly string[]): readonly string[] {
  return texts.filter(
    (text, at) => !texts.some((other, index) => index !== at && other.includes(text) && (other !== text || index < at)),
  )
}

function writtenTexts(kept: KeptDecision): readonly WrittenText[] {
  return unrepeated(textsOf(kept)).map((text) => ({ path: kept.path, text }))
}
