import { LRUCache } from 'lru-cache'
import { Failure } from '../contract/failure.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { parseOwnJson } from '../lib/own-json.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import { forOwner, inSlices } from '../lib/slices.ts'
import { unlessAborted } from '../lib/unless-aborted.ts'
import type { Models } from '../models/model.ts'
import type { Shell } from '../site/shell.ts'
import type { DailyAnswers } from '../usage/daily-answers.ts'
import { SiteIndexes } from './indexes.ts'
import { write, type AnswerEvent } from './writing.ts'

export interface AnswersOptions {
  readonly hosting: Pick<Hosting, 'open'>
  readonly models: Pick<Models, 'begin'>
  readonly daily: Pick<DailyAnswers, 'used' | 'take'>
  readonly ownerOf: (projectId: string) => string
  /** Id of the release that a project shows. */
  readonly liveRelease: (projectId: string) => string | undefined
}

/** What a site says of its answers. */
export type AskSettings = NonNullable<Shell['ask']>

export interface Question {
  readonly project: string
  /** The live release. */
  readonly release: string
  readonly text: string
  /** Path of the page that the reader looks at. */
  readonly from?: string | undefined
}

/** Of an answer, from the question to its end. */
const longestMs = 90_000
/** Questions that are looked up at a time, before anybody pays: each reads up to a dozen whole pages. */
const lookups = { slots: 16, share: 2, reserve: 16, firsts: 32, queue: 8 }
/** Releases of which it is known whether they answer. */
const maxSettings = 20_000

/** Answers questions of readers from the live pages of a site. Nothing of a question or an answer is kept or logged. */
export class Answers {
  readonly #options: AnswersOptions
  readonly #indexes: SiteIndexes
  readonly #lookups = new FairLimit(lookups)
  readonly #settings: LRUCache<string, { readonly ask: AskSettings | null }, { project: string; release: string }>

  constructor(options: AnswersOptions) {
    this.#options = options
    this.#indexes = new SiteIndexes(options)
    this.#settings = new LRUCache({
      max: maxSettings,
      ignoreFetchAbort: true,
      fetchMethod: (_key, _before, { context }) => this.#readSettings(context.project, context.release),
    })
  }

  /** Whether readers of a release may ask, and how much; null: they may not. */
  async settings(project: string, release: string): Promise<AskSettings | null> {
    const known = await this.#settings.fetch(`${project}/${release}`, { context: { project, release } })
    return known?.ask ?? null
  }

  /** Answers of today and how many there may be; undefined where the live site answers no questions. */
  async today(project: string): Promise<{ readonly used: number; readonly limit: number } | undefined> {
    const { daily, liveRelease } = this.#options
    const release = liveRelease(project)
    const settings = release === undefined ? null : await this.settings(project, release)
    return settings === null ? undefined : { used: await daily.used(project), limit: settings.dailyLimit }
  }

  close(): void {
    this.#indexes.close()
  }

  /**
   * Answers a question, piece by piece and last with `done`. Throws Failure `rate_limited`, `unavailable` in words for readers; the signal’s reason when nobody waits for it any more.
   */
  async *ask(question: Question, gone: AbortSignal): AsyncGenerator<AnswerEvent, void> {
    const late = AbortSignal.timeout(longestMs)
    const signal = AbortSignal.any([gone, late])
    try {
      yield* this.#ask(question, signal)
    } catch (error) {
      gone.throwIfAborted()
      throw late.aborted ? notWritten(error) : forReaders(error)
    }
  }

  async *#ask({ project, release, text, from }: Question, signal: AbortSignal): AsyncGenerator<AnswerEvent, void> {
    const { models, daily, ownerOf } = this.#options
    const settings = await this.settings(project, release)
    if (settings === null) throw new Failure('not_found', 'This site answers no questions.')
    const { dailyLimit } = settings
    if ((await daily.used(project)) >= dailyLimit) throw usedUp()
    const index = await unlessAborted(this.#indexes.of(project, release), signal)
    const owner = ownerOf(project)
    if (this.#lookups.isFull(owner)) throw tooMany()
    const sections = await this.#lookups.run(
      owner,
      () => forOwner(owner, () => index.sections(text, from, signal)),
      signal,
    )
    if (sections.length === 0) {
      yield { type: 'done', outcome: 'not-in-docs', isCut: false, sources: [] }
      return
    }
    const work = await models.begin(project, 'answers', { signal })
    try {
      const taken = await daily.take(project, dailyLimit)
      if (taken === null) throw usedUp()
      let used: 0 | 1 = 1
      try {
        yield* write(work, { text, index, sections, signal })
      } catch (error) {
        // Who goes away before the first word has been written for, too: the cap is of what a site can be made to ask.
        if (!work.hasProduced && !signal.aborted) used = 0
        throw error
      } finally {
        await taken.settle(used)
      }
    } finally {
      await work.settle()
    }
  }

  /** Undefined when the release cannot be read: then its site cannot be shown either, and the next request looks again. */
  async #readSettings(project: string, release: string): Promise<{ readonly ask: AskSettings | null } | undefined> {
    const { hosting, ownerOf } = this.#options
    const site = await hosting.open(project)
    const kept = await site.read(release)
    if (kept === null) return undefined
    const bytes = await site.blob(kept.shell)
    const shell = (await forOwner(ownerOf(project), () => inSlices(parseOwnJson(bytes)))) as Shell
    return { ask: shell.ask ?? null }
  }
}

/** As a rate: what quotas are called elsewhere would tell strangers of the plan. */
function usedUp(): Failure {
  return new Failure('rate_limited', 'This site’s answers for today are used up.', {
    hint: 'Ask again tomorrow, or look through the pages.',
  })
}

function tooMany(): Failure {
  return new Failure('rate_limited', 'Many readers of this site are asking right now.', {
    hint: 'Try again in a moment.',
    retryAfter: 5,
  })
}

function notWritten(cause: unknown): Failure {
  return new Failure('unavailable', 'The answer could not be written.', { hint: 'Try again in a moment.', cause })
}

/** In words for readers, who do not know who pays for what. Bugs stay what they are. */
function forReaders(error: unknown): unknown {
  if (!(error instanceof Failure)) return error
  if (error.code === 'quota_exceeded') return usedUp()
  if (error.code === 'rate_limited') {
    return error.message === usedUp().message ? error : tooMany()
  }
  return notWritten(error)
}
