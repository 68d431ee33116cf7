import type { Conflict, Resolution } from '../../../../src/contract/branches.ts'
import { seenOf } from '../../../publishing.ts'
import type { Decision, DecisionStore, KeptDecision } from '../../data/decisions.ts'

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
}

/**
 * What a person decided of the conflicts of one branch with main. It outlives the view, and moves of main: whatever was
 * decided on sides that are as they were still holds.
 */
export class Settlement {
  #items: readonly SettledConflict[] = []
  /** Of an earlier time, whose conflicts the service has not told yet. */
  readonly #earlier: Map<string, KeptDecision>
  readonly #keep: (decisions: readonly KeptDecision[]) => void

  /** @param keep told all decisions whenever one has changed */
  constructor(
    earlier: readonly KeptDecision[] = [],
    keep: (decisions: readonly KeptDecision[]) => void = () => undefined,
  ) {
    this.#earlier = new Map(earlier.map((kept) => [kept.path, kept]))
    this.#keep = keep
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
      if (conflict !== undefined) return [renewed(item, conflict)]
      if (taken.has(path) && item.state === 'settled') return [item]
      return keptOfGone(item)
    })
    const fresh = [...now.values()].map((conflict) => remembered(conflict, this.#earlier.get(conflict.path)))
    this.#items = [...known, ...fresh]
    this.#earlier.clear()
    this.#tell()
  }

  /** The service says that a file has no conflict: there is nothing to decide. */
  drop(path: string): void {
    this.#items = this.#items.flatMap((item) => (item.conflict.path === path ? keptOfGone(item) : [item]))
    this.#tell()
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

  #change(path: string, change: (item: SettledConflict) => SettledConflict): void {
    this.#items = this.#items.map((item) =>
      item.conflict.path === path && item.state !== 'gone' ? change(item) : item,
    )
    this.#tell()
  }

  #tell(): void {
    this.#keep(
      this.#items.flatMap(({ conflict, decision, state }) =>
        decision === undefined
          ? []
          : [{ path: conflict.path, seen: seenOf(conflict), decision, settled: state === 'settled' }],
      ),
    )
  }
}

/** A decision, and what is half done, holds for as long as both sides are what it was made on. */
function renewed(item: SettledConflict, conflict: Conflict): SettledConflict {
  const { main, branch } = item.conflict.oids
  const holds = main === conflict.oids.main && branch === conflict.oids.branch
  if (holds && item.state !== 'gone') return item
  return { conflict, state: 'open', decision: item.decision }
}

/** A conflict that is new here, with what was decided of it at an earlier time. */
function remembered(conflict: Conflict, earlier: KeptDecision | undefined): SettledConflict {
  if (earlier === undefined) return { conflict, state: 'open', decision: undefined }
  const { main, branch } = seenOf(conflict)
  const holds = earlier.settled && earlier.seen.main === main && earlier.seen.branch === branch
  return { conflict, state: holds ? 'settled' : 'open', decision: earlier.decision }
}

/** Only a text that somebody wrote is worth to be kept. */
function keptOfGone(item: SettledConflict): SettledConflict[] {
  return item.decision !== undefined && 'content' in item.decision ? [{ ...item, state: 'gone' }] : []
}

/** The settlements of one sign-in, by branch; they are kept on this machine. */
export class Settlements {
  readonly #byBranch = new Map<string, Promise<Settlement>>()
  readonly #store: DecisionStore | undefined

  /** @param store absent: they are kept for as long as the UI runs */
  constructor(store?: DecisionStore) {
    this.#store = store
  }

  open(branchId: string): Promise<Settlement> {
    let opening = this.#byBranch.get(branchId)
    if (opening === undefined) {
      opening = this.#open(branchId)
      this.#byBranch.set(branchId, opening)
    }
    return opening
  }

  /** The branch is published, updated or gone. */
  async forget(branchId: string): Promise<void> {
    this.#byBranch.delete(branchId)
    await this.#store?.write(branchId, [])
  }

  async #open(branchId: string): Promise<Settlement> {
    const earlier = (await this.#store?.read(branchId)) ?? []
    return new Settlement(earlier, (decisions) => void this.#store?.write(branchId, decisions))
  }
}
