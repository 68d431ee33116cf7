import { Parser } from 'htmlparser2'
import type { Steps } from '../../lib/slices.ts'
import { parseOwnJson } from '../../lib/own-json.ts'
import type { PageArtifact } from '../page.ts'

/** A piece of a page that can be found and handed to a model. */
export interface Passage {
  /** Id of the heading that it stands under; absent over the first. */
  readonly anchor?: string
  /** Text of that heading; empty over the first. */
  readonly heading: string
  readonly text: string
}

export interface PageText {
  readonly title: string
  /** Words that it is found by beside those that it shows. */
  readonly keywords?: string
  readonly boost?: number
  readonly passages: readonly Passage[]
}

/** Longest passage, in characters: a long section is several. */
export const passageLength = 1600
/** Of one page, in characters; what comes after is not found. */
const longestKeywords = 1000
/** Of one page; what comes after is not found. */
const maxPassages = 1000
/** Of a heading, and of the title, which is looked at with each passage. */
const longestHeading = 200
/** Elements in one another: the parser's work grows with it. */
const maxDepth = 500
/** Characters that are parsed at once. */
const parsedAtOnce = 4 * 1024

/** The text of a page by its artifact, in passages of its sections. The same bytes always give the same passages. */
export function* readPassages(artifact: Buffer): Steps<PageText> {
  const { title, description, html, keywords, boost } = (yield* parseOwnJson(artifact)) as PageArtifact
  const sections = new Sections(description ?? '')
  const parser = new Parser(sections, { decodeEntities: true, lowerCaseTags: true })
  for (let at = 0; at < html.length && !sections.isFull; at += parsedAtOnce) {
    parser.write(html.slice(at, at + parsedAtOnce))
    yield 'large'
  }
  if (!sections.isFull) parser.end()
  return {
    title: title.slice(0, longestHeading).toWellFormed(),
    ...(keywords === undefined ? {} : { keywords: keywords.join('\n').slice(0, longestKeywords).toWellFormed() }),
    ...(boost === undefined ? {} : { boost }),
    passages: sections.finish(),
  }
}

/** Elements that begin and end a line. */
const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote dd details div dl dt figcaption figure footer header hr main nav ol p section ' +
    'summary table tr ul'
  ).split(' '),
)
const headings = /^h[1-6]$/
/** What nobody reads in an element of these names. */
const silent: ReadonlySet<string> = new Set(['script', 'style', 'svg', 'template', 'noscript', 'button', 'iframe'])

/** Listens to a parser, and writes what a reader sees as plain text with the marks of Markdown that carry meaning. */
class Sections {
  readonly #passages: Passage[] = []
  #anchor: string | undefined
  #heading = ''
  #text: string
  /** How deep in what is not read. */
  #silence = 0
  /** The section has a passage. */
  #hasPassage = false
  #depth = 0
  #isCode = false
  #isHeading = false

  constructor(lead: string) {
    this.#text = lead
  }

  /** Nothing more is read of the page. */
  get isFull(): boolean {
    return this.#passages.length >= maxPassages || this.#depth > maxDepth
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (!voids.has(name)) this.#depth += 1
    const isUnsaid = attributes['aria-hidden'] === 'true' || attributes['data-made'] !== undefined
    // A button that copies what it says, such as a colour, says a word of the page.
    const isSilent = silent.has(name) && attributes['data-copy-text'] === undefined
    if (this.#silence > 0 || isSilent || isUnsaid) {
      if (!voids.has(name)) this.#silence += 1
      return
    }
    if (headings.test(name) && attributes['id'] !== undefined) this.#begin(attributes['id'])
    else if (name === 'pre') this.#startCode()
    else if (name === 'code') this.#mark()
    else if (name === 'li') this.#line('- ')
    else if (name === 'td' || name === 'th') this.#text += this.#text.endsWith('\n') ? '| ' : ' | '
    else if (name === 'br' || blocks.has(name)) this.#line('')
    this.#bound()
  }

  onclosetag(name: string): void {
    if (!voids.has(name)) this.#depth -= 1
    if (this.#silence > 0) {
      if (!voids.has(name)) this.#silence -= 1
      return
    }
    if (headings.test(name)) {
      this.#isHeading = false
      this.#line('')
    } else if (name === 'pre') this.#endCode()
    else if (name === 'code') this.#mark()
    else if (blocks.has(name) || name === 'li') this.#line('')
  }

  ontext(text: string): void {
    if (this.#silence > 0) return
    if (this.#isHeading) this.#heading = (this.#heading + text).slice(0, longestHeading)
    else if (this.#isCode) this.#text += text
    else this.#text += text.replaceAll(/\s+/g, ' ')
    this.#bound()
  }

  finish(): readonly Passage[] {
    this.#cut(true)
    return this.#passages.slice(0, maxPassages)
  }

  #begin(id: string): void {
    this.#cut(true)
    this.#anchor = id
    this.#heading = ''
    this.#isHeading = true
    this.#hasPassage = false
  }

  /** Of code in a line. */
  #mark(): void {
    if (!this.#isCode && !this.#isHeading) this.#text += '`'
  }

  #startCode(): void {
    this.#line('```\n')
    this.#isCode = true
  }

  #endCode(): void {
    this.#isCode = false
    this.#line('```\n')
  }

  #line(start: string): void {
    if (this.#isHeading) return
    this.#text =
      this.#text === '' || this.#text.endsWith('\n') ? this.#text + start : `${this.#text.trimEnd()}\n${start}`
  }

  /** A text without an end is cut while it comes: each look at its last character costs its whole length. */
  #bound(): void {
    if (this.#text.length > passageLength * 2) this.#cut(false)
  }

  /** Makes passages of the text so far; the last one stays open unless the section ends. */
  #cut(isEnd: boolean): void {
    let rest = this.#text
    while (rest.length > passageLength) {
      const line = rest.lastIndexOf('\n', passageLength)
      const space = line > passageLength / 2 ? line : rest.lastIndexOf(' ', passageLength)
      const end = space > passageLength / 2 ? space : passageLength
      this.#add(rest.slice(0, end))
      rest = rest.slice(end)
    }
    if (isEnd) this.#add(rest)
    this.#text = isEnd ? '' : rest
  }

  #add(text: string): void {
    const heading = this.#heading.replaceAll(/\s+/g, ' ').trim()
    const trimmed = text.trim()
    // A heading without a text is found, too.
    if (trimmed === '' && (heading === '' || this.#hasPassage)) return
    this.#hasPassage = true
    this.#passages.push({
      ...(this.#anchor === undefined ? {} : { anchor: this.#anchor }),
      heading,
      text: trimmed.toWellFormed(),
    })
  }
}

const voids: ReadonlySet<string> = new Set([
  'br',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
  'col',
])
