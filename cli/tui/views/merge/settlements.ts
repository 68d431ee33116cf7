import { Failure } from '../../../../src/contract/failure.ts'
import type { DecisionStore } from '../../data/drafts/decisions.ts'
import { diskText } from '../../data/drafts/draft-failures.ts'
import { Journal } from '../../data/disk/journal.ts'
import { Settlement } from './settlement.ts'

interface Opened {
  readonly settlement: Settlement
  readonly journal: Journal
}

/** The settlements of one sign-in, by branch; they are kept on this machine, as drafts are. */
export class Settlements {
  readonly #byBranch = new Map<string, Promise<Opened>>()
  #journals: readonly Journal[] = []
  readonly #store: DecisionStore | undefined
  readonly #tell: (message: string) => void
  /** That nothing can be kept was told, and still is so. */
  #isTold = false

  /** @param store absent: they are kept for as long as the UI runs. @param tell of what cannot be kept, for the person */
  constructor(store?: DecisionStore, tell: (message: string) => void = () => undefined) {
    this.#store = store
    this.#tell = tell
  }

  async open(branchId: string): Promise<Settlement> {
    let opening = this.#byBranch.get(branchId)
    if (opening === undefined) {
      opening = this.#open(branchId)
      this.#byBranch.set(branchId, opening)
    }
    return (await opening).settlement
  }

  /** What was decided, if it is not on the disk yet, in words. */
  get unkept(): readonly string[] {
    return this.#journals.every(({ isIdle }) => isIdle) ? [] : ['decisions on conflicts']
  }

  /** The branch is published, updated or gone. */
  async forget(branchId: string): Promise<void> {
    const opened = this.#byBranch.get(branchId)
    this.#byBranch.delete(branchId)
    const journal = (await opened)?.journal
    this.#journals = this.#journals.filter((one) => one !== journal)
    await journal?.stop()
    // Decisions on conflicts that are none are dropped when they are read.
    await this.#store?.write(branchId, []).catch(() => undefined)
  }

  /** All that was decided is on the disk when it resolves. @throws Failure where it cannot be kept */
  async flush(): Promise<void> {
    for (const opening of this.#byBranch.values()) {
      const { journal } = await opening
      await journal.flush().catch((error: unknown) => {
        throw new Failure('unavailable', `${cannotKeep}: ${diskText(error)}.`, { cause: error })
      })
    }
  }

  async #open(branchId: string): Promise<Opened> {
    const store = this.#store
    const earlier = (await store?.read(branchId)) ?? []
    const settlement: Settlement = new Settlement(earlier, () => journal.touch())
    const journal: Journal = new Journal(
      async () => store?.write(branchId, settlement.kept()),
      () => this.#told(journal.trouble),
    )
    this.#journals = [...this.#journals, journal]
    return { settlement, journal }
  }

  #told(trouble: unknown): void {
    const isNew = trouble !== undefined && !this.#isTold
    this.#isTold = trouble !== undefined
    if (isNew)
      this.#tell(
        `${cannotKeep}: ${diskText(trouble)}. It is in this window only; it is tried again for as long as this is open.`,
      )
  }
}

const cannotKeep = 'What you decide of the conflicts cannot be kept on this machine'
