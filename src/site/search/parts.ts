import { flatCopy } from '../../lib/flat-copy.ts'
import type { Steps } from '../../lib/slices.ts'
import { mostWeight, type PartText } from './format.ts'
import { readPassages, type Passage } from './passages.ts'
import { formsOf, isUnsaid, isUnspaced, wordsOf } from './words.ts'

/** A part of a page, and what makes its number: the id of its first heading, with a count where that begins several. */
export interface Part {
  readonly key: string
  readonly text: PartText
}

/** Characters of a part, about: what one that is found costs its reader. */
const partLength = 6000
/** Of one page; what comes after is not found. */
const maxParts = 100
/** Words of a part, each in one form: what comes after is not found. */
const maxWords = 1500

/** The parts of a page by its artifact. The same bytes always give the same parts. */
export function* readParts(artifact: Buffer, path: string): Steps<Part[]> {
  const { title, keywords, boost, passages } = yield* readPassages(artifact)
  const parts: Part[] = []
  const keys = new Map<string, number>()
  let sections: [string, string, string][] = []
  let length = 0
  const add = (): void => {
    const anchor = sections[0]?.[0] ?? ''
    const count = (keys.get(anchor) ?? 0) + 1
    keys.set(anchor, count)
    const own = parts.length === 0 ? { first: true as const, ...(keywords === undefined ? {} : { keywords }) } : {}
    const worth = boost === undefined ? {} : { boost }
    // Keys are kept for as long as the site is, the page is not.
    parts.push({
      key: flatCopy(count === 1 ? anchor : `${anchor} ${count}`),
      text: { path, title, ...own, ...worth, sections },
    })
    sections = []
    length = 0
  }
  for (const passage of passages) {
    yield
    const text = plainOf(passage)
    const last = sections.at(-1)
    const isSame = last !== undefined && last[0] === (passage.anchor ?? '')
    if (length > 0 && length + text.length > partLength) add()
    if (parts.length >= maxParts) return parts
    if (isSame && last !== undefined && sections.length > 0) last[2] += `\n${text}`
    else sections.push([passage.anchor ?? '', passage.heading, text])
    length += text.length + passage.heading.length
  }
  if (sections.length > 0 || parts.length === 0) add()
  return parts
}

/** Text of a passage without the marks of Markdown that it carries for models. */
function plainOf({ text }: Passage): string {
  return text
    .split(/^```$/m)
    .map((piece, index) => (index % 2 === 1 ? piece : unmarked(piece)))
    .join('\n')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()
}

function unmarked(prose: string): string {
  return (
    prose
      .replaceAll(/`([^`\n]*)`/g, '$1')
      .replaceAll(/^(?:- |\| )+/gm, '')
      .replaceAll(' | ', ' · ')
      // Of a description, which is shown as it was written.
      .replaceAll(/\[([^\][\n]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
  )
}

/** How much more a word says in a place than once in the text. */
const inTitle = 16
const inKeywords = 10
const inHeading = 7

/** What a part says: of each word how much, 1 to 31, how many words it has, and those of its title and headings. */
export interface PartWords {
  readonly weights: ReadonlyMap<string, number>
  readonly length: number
  readonly titles: ReadonlySet<string>
}

export function wordsOfPart({ title, first, keywords = '', sections }: PartText): PartWords {
  const counts = new Map<string, number>()
  const extra = new Map<string, number>()
  const titles = new Set<string>()
  let length = 0
  const add = (text: string, most: number): void => {
    for (const word of wordsOf(text)) {
      length += 1
      for (const form of formsOf(word)) {
        if (isUnsaid(form) || isNoise(form)) continue
        const known = counts.get(form)
        if (known === undefined && counts.size >= maxWords) continue
        counts.set(form, (known ?? 0) + 1)
        if (most === 0) continue
        extra.set(form, Math.max(extra.get(form) ?? 0, most))
        if (form.length > 3 && !isUnspaced(form)) titles.add(form)
      }
    }
  }
  add(title, first === true ? inTitle : inTitle / 2)
  add(keywords, inKeywords)
  for (const [, heading] of sections) add(heading, inHeading)
  for (const [, , text] of sections) add(text, 0)
  const weights = new Map<string, number>()
  for (const [form, count] of counts)
    weights.set(form, Math.min(mostWeight, (extra.get(form) ?? 0) + Math.round(1.6 * Math.log2(1 + count))))
  return { weights, length, titles }
}

/** Digests and keys in examples: nobody looks for them, and each is a word of its own. */
function isNoise(form: string): boolean {
  return form.length > 15 && /\d/.test(form) && !form.includes('_')
}

/** Length of a part in the steps that the index keeps. */
export function lengthStep(words: number): number {
  return Math.min(31, Math.round(3 * Math.log2(1 + words / 8)))
}
