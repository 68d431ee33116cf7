import { isUtf8 } from 'node:buffer'
import { limits } from '../../contract/limits.ts'
import { PageProblem } from './problem.ts'

/**
 * A linear look at a page before any parser reads it. The parsers recurse and some of their steps are quadratic:
 * input made for that would cost a child its life. This names the line instead. It only approximates Markdown, so its
 * bounds are far above what real pages have, and what it misses is still stopped by the limits of the child.
 */
export const shape = {
  /** Block quote and list markers at the start of one line. */
  markers: 32,
  /** The same where a fence seems to be open: whatever it really is, parsers stand that many. */
  markersInCode: 500,
  /** Lists in lists. */
  lists: 32,
  /** Elements in elements. */
  elements: 128,
  /** Square brackets open at once in one paragraph. */
  brackets: 400,
  /** Braces and parentheses open at once. */
  braces: 600,
  /** Runs of backticks of different lengths. */
  backticks: 48,
  /** Cells of one table. */
  cells: 20_000,
  /** Link and footnote definitions. */
  definitions: 4_000,
} as const
const voidElements = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd td th tr'.split(' '),
)

/** Bytes that are looked at together, with the rest of their last line. */
const pieceBytes = 8192

/** The first line of the bytes that is not valid UTF-8, 1-based. Not line by line from the start: there may be a million. */
function lineOfInvalid(bytes: Uint8Array): number {
  let line = 1
  for (let start = 0; start < bytes.length;) {
    const end = endOfLine(bytes, start + pieceBytes)
    if (!isUtf8(bytes.subarray(start, end))) return lineIn(bytes.subarray(0, end), start, line)
    for (let at = start; at < end; at++) if (bytes[at] === 10) line++
    start = end
  }
  return line
}

function lineIn(bytes: Uint8Array, from: number, first: number): number {
  let line = first
  for (let start = from; start < bytes.length; line++) {
    const end = endOfLine(bytes, start)
    if (!isUtf8(bytes.subarray(start, end))) return line
    start = end
  }
  return line
}

/** Behind the line break at a place or after it. */
function endOfLine(bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(10, from)
  return found === -1 ? bytes.length : found + 1
}

/**
 * Bytes of a page → text, or a `PageProblem` where it is too large, not UTF-8, or shaped to wear out a parser.
 * Linear in the size; runs before any parser sees the text. A byte order mark is dropped; NUL, which HTML cannot hold,
 * becomes U+FFFD (CommonMark, 2.3).
 */
export function readSource(path: string, bytes: Uint8Array): string {
  const text = readText(path, bytes)
  const exceeded = findExceededLimit(text, !path.toLowerCase().endsWith('.md'))
  if (exceeded !== undefined) throw new PageProblem({ path, rule: 'page-limit', ...exceeded })
  return text
}

/** Pictures in the text itself. A megabyte of prose takes 4 s and 300 MB of a child, one of these 0.1 s and 10 MB. */
const embedded = /;base64,[A-Za-z0-9+/=]{1024,}/g

/** Bytes of a page that count against `limits.pageBytes`. */
function pageLength(bytes: Uint8Array): number {
  if (bytes.length <= limits.pageBytes || bytes.length > limits.fileBytes) return bytes.length
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').replaceAll(embedded, '').length
}

/** As `readSource`, for code, which no parser of Markdown reads. */
export function readText(path: string, bytes: Uint8Array): string {
  const length = pageLength(bytes)
  if (length > limits.pageBytes) {
    const size = (length / 1024).toFixed(0)
    throw new PageProblem({
      path,
      rule: 'page-limit',
      message: `The page is ${size} KiB; a page may have at most ${limits.pageBytes / 1024} KiB. Split it into several pages.`,
    })
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new PageProblem({
      path,
      line: 1,
      column: 1,
      rule: 'page-encoding',
      message: 'The file is UTF-16. Save it as UTF-8.',
    })
  }
  if (!isUtf8(bytes)) {
    const line = lineOfInvalid(bytes)
    throw new PageProblem({
      path,
      line,
      rule: 'page-encoding',
      message: `Line ${line} is not valid UTF-8. Save the file as UTF-8.`,
    })
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '\uFFFD')
}

/** The first limit of the page’s structure that the text exceeds, and where. */
export interface LimitExceeded {
  readonly line: number
  readonly column: number
  readonly message: string
}

class Scan {
  line = 0
  readonly #mdx: boolean
  #fence: { readonly mark: string; readonly length: number } | undefined
  readonly #indents: number[] = []
  #elements = 0
  #brackets = 0
  #braces = 0
  readonly #runs = new Set<number>()
  #cells = 0
  #definitions = 0

  constructor(mdx: boolean) {
    this.#mdx = mdx
  }

  /** Takes the next line; gives what is too much in it. */
  next(text: string): LimitExceeded | undefined {
    this.line++
    if (text.trim() === '') {
      this.#brackets = 0
      this.#cells = 0
      return undefined
    }
    const start = this.#containers(text)
    if (typeof start !== 'number') return start
    const fence = /^(`{3,}|~{3,})/.exec(text.slice(start, start + 2_000))
    if (this.#inFence(fence?.[1], text, start)) return undefined
    return this.#table(text) ?? this.#definition(text, start) ?? this.#inline(text, start)
  }

  /** Counts the markers of block quotes and lists; gives the index after them. */
  #containers(text: string): number | LimitExceeded {
    let index = 0
    let column = 0
    let markers = 0
    const isRule =
      /^\s*([-*_])[ \t]*(?:\1[ \t]*)+$/.test(text.slice(0, 200)) && new Set(text.replaceAll(/\s/g, '')).size === 1
    if (isRule) return text.length
    for (;;) {
      const character = text[index]
      if (character === ' ' || character === '\t') {
        column += character === '\t' ? 4 : 1
        index++
        continue
      }
      if (character === '>') {
        index++
        column++
        markers++
      } else {
        const width = markerWidth(text, index)
        if (width === 0) break
        const exceeded = this.#listAt(column, index)
        if (exceeded !== undefined) return exceeded
        index += width
        column += width
        markers++
      }
      const most = this.#fence === undefined ? shape.markers : shape.markersInCode
      if (markers > most) return this.#exceeded(index, `quotes or lists are nested more than ${most} deep`)
    }
    if (index === 0) this.#indents.length = 0
    return index
  }

  #listAt(column: number, index: number): LimitExceeded | undefined {
    if (this.#fence !== undefined) return undefined
    while ((this.#indents.at(-1) ?? -1) >= column) this.#indents.pop()
    this.#indents.push(column)
    return this.#indents.length > shape.lists
      ? this.#exceeded(index, `lists are nested more than ${shape.lists} deep`)
      : undefined
  }

  #inFence(run: string | undefined, text: string, start: number): boolean {
    if (this.#fence !== undefined) {
      const closes = run?.[0] === this.#fence.mark && run.length >= this.#fence.length
      if (closes && text.slice(start + run.length).trim() === '') this.#fence = undefined
      return true
    }
    if (run === undefined || (run.startsWith('`') && text.includes('`', start + run.length))) return false
    this.#fence = { mark: run.charAt(0), length: run.length }
    return true
  }

  #table(text: string): LimitExceeded | undefined {
    let pipes = 0
    for (let at = text.indexOf('|'); at !== -1; at = text.indexOf('|', at + 1)) pipes++
    this.#cells = pipes === 0 ? 0 : this.#cells + pipes
    return this.#cells > shape.cells ? this.#exceeded(0, `the table has more than ${shape.cells} cells`) : undefined
  }

  #definition(text: string, start: number): LimitExceeded | undefined {
    if (text[start] !== '[' || !text.includes(']:', start)) return undefined
    this.#definitions++
    return this.#definitions > shape.definitions
      ? this.#exceeded(start, `the page has more than ${shape.definitions} link definitions`)
      : undefined
  }

  #inline(text: string, start: number): LimitExceeded | undefined {
    for (let index = start; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code === 92) index++
      else if (code === 91) this.#brackets++
      else if (code === 93) this.#brackets = Math.max(0, this.#brackets - 1)
      else if (code === 123 || code === 40) this.#braces++
      else if (code === 125 || code === 41) this.#braces = Math.max(0, this.#braces - 1)
      else if (code === 60) this.#tag(text, index)
      else if (code === 47 && text.charCodeAt(index + 1) === 62) this.#elements = Math.max(0, this.#elements - 1)
      else if (code === 96) {
        const end = endOfRun(text, index)
        this.#runs.add(end - index)
        // What stands between a run and the next of the same length is code: nothing in it nests.
        const close = closeOfRun(text, end, end - index)
        index = (close ?? end) - 1
      }
      const exceeded = this.#inlineLimit(index)
      if (exceeded !== undefined) return exceeded
    }
    return undefined
  }

  #tag(text: string, index: number): void {
    const match = /^<(\/?)([A-Za-z][\w.:-]{0,100})?(?=[\s/>]|$)/.exec(text.slice(index, index + 110))
    if (match === null) return
    const isVoid = match[2] !== undefined && voidElements.has(match[2].toLowerCase())
    if (!this.#mdx && (match[2] === undefined || isVoid)) return
    // Without a slash, which closes what is open: `<br>` holds nothing.
    if (isVoid && /^<[a-z]+(?:[^<>]{0,1000}[^<>/])?>/i.test(text.slice(index, index + 1_100))) return
    this.#elements = Math.max(0, this.#elements + (match[1] === '/' ? -1 : 1))
  }

  #inlineLimit(index: number): LimitExceeded | undefined {
    if (this.#brackets > shape.brackets)
      return this.#exceeded(index, `more than ${shape.brackets} brackets are open at once`)
    if (this.#braces > shape.braces)
      return this.#exceeded(index, `more than ${shape.braces} braces or parentheses are open at once`)
    if (this.#elements > shape.elements)
      return this.#exceeded(index, `elements are nested more than ${shape.elements} deep`)
    if (this.#runs.size > shape.backticks)
      return this.#exceeded(index, `there are more than ${shape.backticks} runs of backticks of different lengths`)
    return undefined
  }

  #exceeded(index: number, what: string): LimitExceeded {
    return {
      line: this.line,
      column: index + 1,
      message: `The page is too complex to parse: in line ${this.line}, ${what}.`,
    }
  }
}

/** Width of a list marker with its space (`- `, `12. `), 0 where there is none. */
function markerWidth(text: string, index: number): number {
  const match = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t])/.exec(text.slice(index, index + 12))
  return match === null ? 0 : match[0].length + 1
}

function endOfRun(text: string, index: number): number {
  let end = index
  while (text.charCodeAt(end) === 96) end++
  return end
}

/** End of the run of exactly `length` backticks after `from` in the same line. Looks at 2,000 characters, to stay linear. */
function closeOfRun(text: string, from: number, length: number): number | undefined {
  const until = Math.min(text.length, from + 2_000)
  for (let index = text.indexOf('`', from); index !== -1 && index < until;) {
    const end = endOfRun(text, index)
    if (end - index === length) return end
    index = text.indexOf('`', end)
  }
  return undefined
}

/** The first thing in the text that a parser would suffer from. `mdx` tells MDX from Markdown, where tags need no end. */
function findExceededLimit(text: string, mdx: boolean): LimitExceeded | undefined {
  const scan = new Scan(mdx)
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const exceeded = scan.next(text.slice(start, end))
    if (exceeded !== undefined) return exceeded
    start = end + 1
  }
  return undefined
}
