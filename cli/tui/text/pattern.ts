import { Failure } from '#contract/failure.ts'
import type { Lines, Position } from '#authoring/lines.ts'

export interface Query {
  readonly text: string
  /** It is a regular expression. */
  readonly pattern?: boolean
  /** Only where no letters stand beside it. */
  readonly wholeWord?: boolean
}

/** UTF-16 units of a line that are searched at once. A longer line is searched in parts, which overlap. */
export const partLength = 50_000
/** What is longer than this may be missed where it goes over the end of such a part. */
const overlap = 1_000
/** UTF-16 units of a query. Of longer patterns some take seconds before they begin, which nothing can break off. */
const longest = { text: overlap, pattern: 250 } as const

/** UTF-16 units of a line. */
export interface Found {
  readonly from: number
  readonly to: number
}

/**
 * What a query looks for, as a regular expression: any case, unless the query has capitals.
 * @throws Failure invalid_request when a pattern is none, or it is too long
 */
export function expressionOf({ text, pattern = false, wholeWord = false }: Query): RegExp {
  if (pattern && text.length > longest.pattern)
    throw new Failure('invalid_request', `Too long: a pattern has at most ${longest.pattern} characters.`)
  if (text.length > longest.text)
    throw new Failure('invalid_request', 'Too long: at most 1,000 characters are looked for.')
  const source = pattern ? text : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  const bounded = wholeWord ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source
  // What stands behind a backslash is no capital that the person wants to see: \W, \S.
  const letters = pattern ? text.replaceAll(/\\./gs, '') : text
  const flags = letters === letters.toLowerCase() ? 'giu' : 'gu'
  try {
    return new RegExp(bounded, flags)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, '') : 'it cannot be read'
    throw new Failure('invalid_request', `This is no pattern: ${reason}.`, {
      hint: 'Write \\ before a sign that is meant as itself, or search for plain text.',
    })
  }
}

/**
 * What is found in the part of a line that begins at `from`; empty finds do not count.
 * @param limit of finds
 */
export function foundIn(
  line: string,
  expression: RegExp,
  { from, limit }: { readonly from: number; readonly limit: number },
): Found[] {
  const isWhole = line.length <= partLength + overlap
  const base = isWhole ? 0 : Math.max(0, from - overlap)
  const text = isWhole ? line : line.slice(base, from + partLength + overlap)
  const found: Found[] = []
  expression.lastIndex = from - base
  for (let match = expression.exec(text); match !== null && found.length < limit; match = expression.exec(text)) {
    if (match[0] === '') expression.lastIndex += 1
    else if (!isWhole && base + match.index >= from + partLength) break
    else found.push({ from: base + match.index, to: base + match.index + match[0].length })
  }
  return found
}

/** Where the part of a line begins in which a column is searched. */
export function partOf(line: string, column: number): number {
  if (line.length <= partLength + overlap) return 0
  return Math.min(Math.floor(column / partLength), Math.ceil(line.length / partLength) - 1) * partLength
}

/** Where the next part of a text begins; after the last one, the first. */
export function partAfter(lines: Lines, { line, column }: Position): Position {
  const text = lines.at(line)
  const next = column + partLength
  if (partOf(text, next) === next && next < text.length) return { line, column: next }
  return { line: line + 1 < lines.count ? line + 1 : 0, column: 0 }
}

export function partBefore(lines: Lines, { line, column }: Position): Position {
  if (column > 0) return { line, column: Math.max(0, column - partLength) }
  const before = line > 0 ? line - 1 : lines.count - 1
  return { line: before, column: partOf(lines.at(before), Number.MAX_SAFE_INTEGER) }
}

/** What takes the place of a find; undefined where the expression does not find just that. */
export function replacementAt(
  line: string,
  expression: RegExp,
  { found, text, isPattern }: { readonly found: Found; readonly text: string; readonly isPattern: boolean },
): string | undefined {
  const base = Math.max(0, found.from - overlap)
  expression.lastIndex = found.from - base
  const match = expression.exec(line.slice(base, found.to + overlap))
  if (match === null || base + match.index !== found.from || match[0].length !== found.to - found.from) return undefined
  return isPattern ? filledIn(match, text) : text
}

/** In a pattern, `$1` and `$&` stand for what was found, `\n` for a line end, `\t` for a tab. */
function filledIn(match: RegExpExecArray, replacement: string): string {
  return replacement.replaceAll(/\$([$&]|\d{1,2})|\\([nt\\])/g, (whole, sign?: string, escape?: string) => {
    if (escape !== undefined) return { n: '\n', t: '\t' }[escape] ?? '\\'
    if (sign === '$') return '$'
    return sign === '&' ? match[0] : sign === undefined ? whole : (match[Number(sign)] ?? '')
  })
}
