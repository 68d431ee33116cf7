import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '#contract/failure.ts'
import { shown } from '../../canvas/width.ts'
import type { DecisionPlace, WrittenText } from '../../data/drafts/decision.ts'
import { type DecisionStore, type FoundDecisions, keyOf } from '../../data/drafts/decisions.ts'
import { diskText } from '../../data/drafts/draft-failures.ts'
import { Journal } from '../../data/disk/journal.ts'
import { PendingMerge } from './pending-merge.ts'

/** @param kind `lasting`: where something of theirs is now, which stays on the screen until it was read */
export type TellPerson = (message: string, kind: 'passing' | 'lasting') => void

/** A disk that hangs must not keep anybody from merging. */
const patienceMs = 1_500

interface Opened {
  readonly pendingMerge: PendingMerge
  readonly journal: Journal
}

/** The pending merges of one sign-in, by place. They are kept on this machine, as drafts are. */
export class PendingMerges {
  readonly #byPlace = new Map<string, Opened>()
  readonly #store: DecisionStore | undefined
  readonly #tell: TellPerson
  /** That nothing can be kept was told, and still is so. */
  #isTold = false
  readonly #noticed = new Set<string>()
  #forgetting: Promise<void> = Promise.resolve()

  /** @param store absent: they are kept for as long as the UI runs. @param tell of what cannot be kept, for the person */
  constructor(store?: DecisionStore, tell: TellPerson = () => undefined) {
    this.#store = store
    this.#tell = tell
  }

  /** Also with what terminals decided that have ended since. */
  async open(place: DecisionPlace): Promise<PendingMerge> {
    const patience = new AbortController()
    const enough = sleep(patienceMs, undefined, patience).catch(() => undefined)
    await Promise.race([this.#forgetting, enough])
    let opened = this.#byPlace.get(keyOf(place))
    if (opened === undefined) {
      opened = this.#begin(place)
      this.#byPlace.set(keyOf(place), opened)
    }
    await Promise.race([this.#absorb(place, opened.pendingMerge), enough])
    patience.abort()
    return opened.pendingMerge
  }

  /** What was decided, if it is not on the disk yet, in words. */
  get unkept(): readonly string[] {
    return [...this.#byPlace.values()].every(({ journal }) => journal.isIdle) ? [] : ['decisions on conflicts']
  }

  /**
   * What was decided was used, or is not wanted: the branch is published, updated or deleted, the text is taken. What
   * somebody wrote that nobody has seen since is put aside, and told.
   */
  forget(place: DecisionPlace): Promise<void> {
    return this.#end(place, ({ earlierTexts }) => earlierTexts)
  }

  /** There is nothing any more that it could be used for: all that somebody wrote is put aside, and told. */
  giveUp(place: DecisionPlace): Promise<void> {
    return this.#end(place, ({ written }) => written)
  }

  /** The text has another path now. */
  async move(from: DecisionPlace, to: DecisionPlace & { readonly path: string }): Promise<void> {
    const kept = (await this.open(from)).kept()
    if (kept.length > 0) (await this.open(to)).absorb(kept.map((one) => ({ ...one, path: to.path })))
    try {
      await this.flush()
    } catch {
      // Told already. It is found under the path of before.
      return
    }
    await this.#end(from, () => [])
  }

  /**
   * Gives up what terminals that have ended left of branches that are gone: nobody would come to their conflicts.
   * @param isGone for certain
   */
  async giveUpGone(isGone: (place: DecisionPlace) => Promise<boolean>): Promise<void> {
    for (const place of (await this.#store?.places()) ?? [])
      if (!this.#byPlace.has(keyOf(place)) && (await isGone(place))) await this.giveUp(place)
  }

  /** All that was decided is on the disk when it resolves. @throws Failure where it cannot be kept */
  async flush(): Promise<void> {
    await this.#forgetting
    for (const { journal } of this.#byPlace.values()) {
      await journal.flush().catch((error: unknown) => {
        throw new Failure('unavailable', `${cannotKeep}: ${diskText(error)}.`, { cause: error })
      })
    }
  }

  #begin(place: DecisionPlace): Opened {
    const pendingMerge: PendingMerge = new PendingMerge(() => journal.touch())
    const journal: Journal = new Journal(
      async () => this.#store?.write(place, pendingMerge.kept()),
      () => this.#told(journal.trouble),
    )
    return { pendingMerge, journal }
  }

  #end(place: DecisionPlace, rest: (pendingMerge: PendingMerge) => readonly WrittenText[]): Promise<void> {
    const opened = this.#byPlace.get(keyOf(place))
    this.#byPlace.delete(keyOf(place))
    this.#forgetting = this.#forgetting.then(() => this.#endNow(place, opened, rest))
    return this.#forgetting
  }

  /** Does not throw. */
  async #endNow(
    place: DecisionPlace,
    opened: Opened | undefined,
    rest: (pendingMerge: PendingMerge) => readonly WrittenText[],
  ): Promise<void> {
    const store = this.#store
    await opened?.journal.stop()
    if (store === undefined) return
    const { decisions } = await store.take(place)
    const left = new PendingMerge()
    left.absorb(decisions)
    const texts = [...(opened === undefined ? [] : rest(opened.pendingMerge)), ...left.earlierTexts]
    try {
      if (texts.length > 0) {
        const file = await store.putAside(place, texts)
        const paths = [...new Set(texts.map(({ path }) => shown(path)))].join(', ')
        this.#tell(
          `There is nothing to merge any more of ${paths}, so what you wrote for it by hand is in no text now. It is in ${file}.`,
          'lasting',
        )
      }
      await store.write(place, [])
      // A disk that did not answer may have let somebody begin anew.
      this.#byPlace.get(keyOf(place))?.journal.touch()
    } catch (error) {
      // What is left on the disk is dropped, or shown, when it is read.
      if (texts.length > 0) this.#tell(`${cannotKeep}: ${diskText(error)}.`, 'lasting')
    }
  }

  /** Whenever the disk answers. */
  async #absorb(place: DecisionPlace, pendingMerge: PendingMerge): Promise<void> {
    const found = await this.#store?.take(place)
    if (found === undefined) return
    pendingMerge.absorb(found.decisions)
    this.#notice(found)
  }

  #notice({ elsewhere, troubles }: FoundDecisions): void {
    const isNew = (notice: string): boolean => !this.#noticed.has(notice)
    for (const notice of elsewhere.filter(isNew)) this.#tell(notice, 'passing')
    for (const notice of troubles.filter(isNew)) this.#tell(notice, 'lasting')
    for (const notice of [...elsewhere, ...troubles]) this.#noticed.add(notice)
  }

  #told(trouble: unknown): void {
    const isNew = trouble !== undefined && !this.#isTold
    this.#isTold = trouble !== undefined
    if (isNew)
      this.#tell(
        `${cannotKeep}: ${diskText(trouble)}. It is in this window only; it is tried again for as long as this is open.`,
        'passing',
      )
  }
}

const cannotKeep = 'What you decide of the conflicts cannot be kept on this machine'
