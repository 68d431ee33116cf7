import { markdownToMdast, mdxToMdast } from 'satteri'
import type { Format } from '#authoring/mdx-state.ts'
import type { Node } from './node.ts'

export interface ParsedPage {
  readonly root: Node
  /** What was not understood, with its line: sentences. */
  readonly notes: readonly string[]
  /** The text that the tree is of: characters that could not be read as what they are have a stand-in. */
  readonly source: string
}

const features = { gfm: true, frontmatter: true, math: true, headingAttributes: true } as const
/** Places of one page that are passed over; with more, it is read as Markdown. */
const mostPassed = 20
/** Milliseconds for it. */
const patience = 600

/** Stand for `<`, `{` and `$` that mean themselves, or nothing yet; one UTF-16 unit, so that no position moves. */
const standIns = { '<': '\uE025', '{': '\uE026' } as const
const written = new Map<string, string>(Object.entries(standIns).map(([character, standIn]) => [standIn, character]))

/** A text of the tree as it was written. */
export function asWritten(text: string): string {
  return text.replaceAll(/[\uE025\uE026]/g, (standIn) => written.get(standIn) ?? '')
}

/**
 * A page that is being written is rarely right: what cannot be read is taken for text, and told, and the rest is read
 * as it would be without it.
 */
export function parse(text: string, format: Format): ParsedPage {
  let source = text.replaceAll(/[\uE025\uE026]/g, '\uFFFD')
  if (format === 'md') return { root: markdownToMdast(source, { features }) as unknown as Node, notes: [], source }
  const notes: string[] = []
  const deadline = performance.now() + patience
  for (let passed = 0; passed < mostPassed && performance.now() < deadline; passed++) {
    let message: string
    try {
      const root = mdxToMdast(source, { features }) as unknown as Node
      const open = unfinishedModule(root, source)
      if (open === undefined) return { root, notes, source }
      notes.push(`Line ${open.line}: the ${open.word} is not finished.`)
      source = open.source
      continue
    } catch (error) {
      message = error instanceof Error ? error.message : String(error)
    }
    const place = positionOf(message, source)
    notes.push(place.note)
    if (place.offset === undefined) break
    const standIn = standIns[source[place.offset] as '<' | '{']
    source = source.slice(0, place.offset) + standIn + source.slice(place.offset + 1)
  }
  return { root: markdownToMdast(source, { features }) as unknown as Node, notes, source }
}

interface SourcePosition {
  readonly note: string
  /** Of the `<` or `{` that the parser stumbled over. */
  readonly offset?: number
}

function positionOf(message: string, source: string): SourcePosition {
  const [, line = '1', column = '1', reason = message] = /^(\d+):(\d+): ([\s\S]*)$/.exec(message) ?? []
  // A tag that is not closed is told by where it begins, wherever its end was missed.
  const [, openLine, openColumn] = /closing tag for `<[^`]*>` \((\d+):(\d+)\)/.exec(reason) ?? []
  const note = `Line ${openLine ?? line}: ${explain(reason)}`
  const from = offsetOf(source, Number(openLine ?? line), Number(openColumn ?? column))
  const offset = Math.max(source.lastIndexOf('<', from), source.lastIndexOf('{', from))
  return offset === -1 ? { note } : { note, offset }
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', start)
    if (end === -1) return text.length
    start = end + 1
  }
  return Math.min(text.length, start + column - 1)
}

function explain(reason: string): string {
  if (reason.includes('`!` (U+0021)')) return 'a comment is written {/* like this */}.'
  const missing = /^Expected a closing tag for `(<[^`]*>)`/.exec(reason)?.[1]
  if (missing !== undefined) return `${missing} is not closed.`
  const unclosed = /expected corresponding closing tag for `(<[^`]*>)`/.exec(reason)?.[1]
  if (unclosed !== undefined) return `${unclosed} is not closed.`
  const stray = /^Unexpected closing tag `(<[^`]*>)`/.exec(reason)?.[1]
  if (stray !== undefined) return `${stray} closes nothing.`
  if (reason.includes('closing brace')) return '{ is not closed.'
  if (reason.includes('valid JSX tag')) return '< begins no tag; write \\< for the character.'
  if (reason.startsWith('Could not parse expression'))
    return 'what stands in { } is no expression; write \\{ for a brace.'
  return `${reason.replace(/\s*\([^()]*\)\s*$/, '').replace(/\.$/, '')}.`
}

/** An import or export that is not finished takes the rest of the page with it: its paragraph is left out. */
function unfinishedModule(
  { children = [] }: Node,
  source: string,
): { readonly line: number; readonly word: string; readonly source: string } | undefined {
  const last = children.at(-1)
  const start = last?.position?.start
  if (last?.type !== 'mdxjsEsm' || start?.offset === undefined) return undefined
  const begin = offsetOf(source, start.line, 1)
  const end = /\n[ \t]*\n/.exec(source.slice(begin))
  if (end === null || source.slice(begin + end.index).trim() === '') return undefined
  if (/^(?:import|export)\b/.test(source.slice(begin + end.index).trim())) return undefined
  const paragraph = source.slice(begin, begin + end.index)
  return {
    line: start.line,
    word: /^\w+/.exec(paragraph)?.[0] ?? 'import',
    source: source.slice(0, begin) + paragraph.replaceAll(/[^\n]/g, ' ') + source.slice(begin + end.index),
  }
}
