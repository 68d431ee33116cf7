import type { Lines, Position } from './lines.ts'

/** A tag that the cursor stands in. */
export interface OpenTag {
  readonly name: string
  /** Properties that it has before the cursor. */
  readonly properties: readonly string[]
  /** The property whose value the cursor stands in, and what of it stands before the cursor. */
  readonly value?: { readonly property: string; readonly typed: string }
  /** Of the name of a property, where the cursor is not in a value. */
  readonly typed: string
}

/** Lines above the cursor that a tag may begin on, and those in which one is looked for that is not closed. */
const tagLines = 30
const enclosingLines = 1_000
const longestTag = 10_000

const tagStart = /<([A-Za-z][\w.]*)(?=\s)/g
const attribute = /\s*([A-Za-z_:@][\w.:-]*)(?:\s*=\s*(?:"([^"]*)("?)|'([^']*)('?)))?/y

/** The tag around the cursor; undefined where it stands in none. */
export function openTagAt(lines: Lines, { line, column }: Position): OpenTag | undefined {
  let text = lines.at(line).slice(0, column)
  for (let above = 0; above <= tagLines && text.length < longestTag; above++) {
    for (const match of [...text.matchAll(tagStart)].toReversed()) {
      const tag = readTag(match[1] ?? '', text.slice(match.index + match[0].length))
      if (tag !== 'closed') return tag
      // A tag that is closed before the cursor: none of those before it is open here.
      return undefined
    }
    const next = line - above - 1
    if (next < 0 || lines.at(next).trim() === '') return undefined
    text = `${lines.at(next)}\n${text}`
  }
  return undefined
}

function readTag(name: string, rest: string): OpenTag | 'closed' | undefined {
  const properties: string[] = []
  for (let at = 0; at < rest.length;) {
    if (/[\s=]/.test(rest[at] ?? '')) {
      at++
      continue
    }
    if (rest[at] === '{') {
      const end = behindBraces(rest, at)
      if (end === undefined) return undefined
      at = end
      continue
    }
    if (rest[at] === '>' || rest.startsWith('/>', at)) return 'closed'
    attribute.lastIndex = at
    const match = attribute.exec(rest)
    if (match === null) return undefined
    const [whole, property = '', double, doubleClosed, single, singleClosed] = match
    at += whole.length
    const typed = double ?? single
    if (typed !== undefined && (doubleClosed ?? singleClosed) === '')
      return { name, properties, value: { property, typed }, typed: '' }
    if (at === rest.length && typed === undefined) return { name, properties, typed: property }
    properties.push(property)
  }
  return { name, properties, typed: '' }
}

function behindBraces(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at + 1
  }
  return undefined
}

const anyTag = /<(\/?)([A-Za-z][\w.]*)((?:"[^"]{0,2000}"|'[^']{0,2000}'|[^"'<>]){0,5000})>/g
const voidTags = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/** The name of the innermost element that is open before the cursor. */
export function enclosingTag(lines: Lines, { line, column }: Position): string | undefined {
  const closed: string[] = []
  for (let at = line; at >= 0 && at > line - enclosingLines; at--) {
    const text = at === line ? lines.at(at).slice(0, column) : lines.at(at)
    if (!text.includes('<') || text.length > longestTag) continue
    for (const [, slash, name = '', rest = ''] of [...text.matchAll(anyTag)].toReversed()) {
      if (rest.endsWith('/') || voidTags.has(name)) continue
      if (slash === '/') closed.push(name)
      else if (closed.at(-1) === name) closed.pop()
      else return name
    }
  }
  return undefined
}
