import { Failure } from '../contract/failure.ts'
import { encodePath } from '../lib/url-path.ts'
import type { MeteredWork } from '../models/model.ts'
import { AnswerText, type AnswerPiece } from './answer-text.ts'
import { notInDocs, promptOf } from './prompt.ts'
import type { Section, SiteIndex } from './site-index.ts'

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
/** Pages that are named where the docs do not say it. */
const maxNearest = 3

interface Writing {
  readonly text: string
  readonly index: SiteIndex
  readonly sections: readonly Section[]
  readonly signal: AbortSignal
}

/** Lets a model write, and lets through what may be shown. */
export async function* write(work: MeteredWork, writing: Writing): AsyncGenerator<AnswerEvent, void> {
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
