import { addAbortListener } from 'node:events'
import { LRUCache } from 'lru-cache'
import { Failure } from '../contract/failure.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { parseOwnJson } from '../lib/json-reader.ts'
import { forOwner, inSlices } from '../lib/slices.ts'
import { encodePath } from '../lib/url-path.ts'
import type { MeteredWork, Models } from '../models/model.ts'
import type { Shell } from '../site/shell.ts'
import type { DailyAnswers } from '../usage/daily-answers.ts'
import { AnswerText, type AnswerPiece } from './answer-text.ts'
import { SiteIndexes } from './indexes.ts'
import { notInDocs, promptOf } from './prompt.ts'
import type { Section, SiteIndex } from './site-index.ts'

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

/** What an answer rests on, or what may help where there is none. */
export interface Source {
  readonly number: number
  readonly title: string
  readonly href: string
}

export type AnswerEvent =
  | { readonly type: 'delta'; readonly piece: AnswerPiece }
  | {
      readonly type: 'done'
      /** `not-in-docs`: the site does not say it; its sources are the nearest there are. */
      readonly outcome: 'answered' | 'not-in-docs'
      /** The end is missing. */
      readonly isCut: boolean
      readonly sources: readonly Source[]
    }

/** Tokens of an answer, and its characters whatever a router makes of that. */
const maxTokens = 800
const maxLength = 6000
/** Of an answer, from the question to its end. */
const longestMs = 90_000
/** Pages that are named where the docs do not say it. */
const maxNearest = 3
/** Releases of which it is known whether they answer. */
const maxSettings = 20_000

/** Answers questions of readers from the live pages of a site. Nothing of a question or an answer is kept or logged. */
export class Answers {
  readonly #options: AnswersOptions
  readonly #indexes: SiteIndexes
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
    const sections = await forOwner(ownerOf(project), () => index.sections(text, from, signal))
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

interface Writing {
  readonly text: string
  readonly index: SiteIndex
  readonly sections: readonly Section[]
  readonly signal: AbortSignal
}

/** Lets a model write, and lets through what may be shown. */
async function* write(work: MeteredWork, writing: Writing): AsyncGenerator<AnswerEvent, void> {
  const { text, index, sections, signal } = writing
  const cited = new Cited(sections)
  const shown = new AnswerText({
    cite: (section) => cited.number(section),
    resolve: (target) => addressOf(target, index, sections),
  })
  let head: string | null = ''
  let length = 0
  let isCut = false
  for await (const event of work.ask({ messages: promptOf(text, sections), maxTokens }, signal)) {
    if (event.type === 'end') {
      if (event.finishReason === 'refused' && length === 0) throw new Failure('generation_rejected', 'It was refused.')
      isCut = event.finishReason !== 'stop'
    }
    if (event.type !== 'text') continue
    length += event.text.length
    isCut = length > maxLength
    let next = event.text.slice(0, Math.max(0, maxLength - length + event.text.length))
    if (head !== null) {
      head += next
      const says = verdictOf(head)
      if (says === 'not-in-docs') {
        yield { type: 'done', outcome: 'not-in-docs', isCut: false, sources: nearest(sections) }
        return
      }
      if (says === 'unknown') continue
      next = head
      head = null
    }
    for (const piece of shown.add(next)) yield { type: 'delta', piece }
    if (isCut) break
  }
  if (length === 0) throw new Failure('generation_failed', 'The model wrote nothing.')
  for (const piece of shown.add(head ?? '')) yield { type: 'delta', piece }
  for (const piece of shown.end()) yield { type: 'delta', piece }
  yield { type: 'done', outcome: 'answered', isCut, sources: cited.sources }
}

/** Numbers the sections that an answer rests on, in the order that it names them. */
class Cited {
  readonly #sections: readonly Section[]
  readonly #numbers = new Map<string, Source>()

  constructor(sections: readonly Section[]) {
    this.#sections = sections
  }

  get sources(): readonly Source[] {
    return [...this.#numbers.values()]
  }

  number(section: number): number | undefined {
    const named = this.#sections[section - 1]
    if (named === undefined) return undefined
    const known = this.#numbers.get(named.href)
    if (known !== undefined) return known.number
    const number = this.#numbers.size + 1
    this.#numbers.set(named.href, { number, title: titleOf(named), href: named.href })
    return number
  }
}

function titleOf({ page, heading }: Section): string {
  return heading === '' || heading === page ? page : `${page} › ${heading}`
}

function nearest(sections: readonly Section[]): readonly Source[] {
  const cited = new Cited(sections)
  for (let section = 1; section <= sections.length && cited.sources.length < maxNearest; section += 1)
    cited.number(section)
  return cited.sources
}

/** Whether an answer that begins so says that the docs do not say it. */
function verdictOf(head: string): 'not-in-docs' | 'answer' | 'unknown' {
  const start = head.replace(/^[\s*_`"'[(]+/, '')
  if (start.startsWith(notInDocs)) return 'not-in-docs'
  return notInDocs.startsWith(start) ? 'unknown' : 'answer'
}

/** A link of an answer: to a section that was given, or to a page that there is. */
function addressOf(target: string, index: SiteIndex, sections: readonly Section[]): string | undefined {
  if (sections.some(({ href }) => href === target)) return target
  const path = /^\/(?![/\\])[^?#]*/.exec(target)?.[0]
  if (path === undefined) return undefined
  try {
    const decoded = decodeURIComponent(path).replace(/(?<=.)\/$/, '')
    return index.has(decoded) ? encodePath(decoded) : undefined
  } catch {
    return undefined
  }
}

/** As a rate: what quotas are called elsewhere would tell strangers of the plan. */
function usedUp(): Failure {
  return new Failure('rate_limited', 'This site’s answers for today are used up.', {
    hint: 'Ask again tomorrow, or look through the pages.',
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
    if (error.message === usedUp().message) return error
    return new Failure('rate_limited', 'Many readers of this site are asking right now.', {
      hint: 'Try again in a moment.',
      retryAfter: 5,
    })
  }
  return notWritten(error)
}

/** The result of work that goes on for others when one of those who wait for it leaves. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return new Promise<T>((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is what its owner says it is
    const listener = addAbortListener(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(() => listener[Symbol.dispose]())
  })
}
