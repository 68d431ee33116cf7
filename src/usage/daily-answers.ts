import { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { Store } from '../storage/store.ts'
import { usageDocument, type OwnedProject, type UsageDocument } from './documents.ts'
import { periodOf } from './plans.ts'

export interface DailyAnswersOptions {
  readonly store: Store
  /** Throws Failure `not_found`. */
  readonly projectOf: (id: string) => Promise<OwnedProject>
  readonly now: () => Date
}

/** One of the answers that a site may give today. */
export interface TakenAnswer {
  /** Ends it. @param used 0 when no model was asked in the end */
  settle(used: 0 | 1): Promise<void>
}

/** Counts the answers that readers of a site get in a day (UTC), for the cap that the site sets itself. */
export class DailyAnswers {
  readonly #options: DailyAnswersOptions
  readonly #taking = new KeyedMutex()

  constructor(options: DailyAnswersOptions) {
    this.#options = options
  }

  /** So far today; those that are being written count. Throws Failure `not_found`. */
  async used(id: string): Promise<number> {
    const { store, projectOf, now } = this.#options
    const { key } = periodOf('day', now())
    return store.used(usageDocument(await projectOf(id), key), meter, key)
  }

  /** Takes one of so many a day; null when they are used up. Throws Failure `not_found`. */
  async take(id: string, limit: number): Promise<TakenAnswer | null> {
    const { store, projectOf, now } = this.#options
    const project = await projectOf(id)
    const { key } = periodOf('day', now())
    const document = usageDocument(project, key)
    const taken = await this.#taking.run(document, async () => {
      await this.#open(document, project)
      return store.reserve(document, { meter, period: key, amount: 1, limit })
    })
    return taken === null ? null : { settle: (used) => store.settle(taken, used) }
  }

  async #open(document: string, { id, owner }: OwnedProject): Promise<void> {
    const { store } = this.#options
    if ((await store.read<UsageDocument>(document)) !== undefined) return
    const created: UsageDocument = { slug: id, account: owner }
    await store.mutate<UsageDocument, void>(document, (draft) => ({ document: draft ?? created, result: undefined }))
  }
}

const meter = 'answersOfDay'
