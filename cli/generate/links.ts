import type { ErrorDetail } from '../../src/contract/common.ts'

/** How the builder says it of a link or a picture; it warns of other things at the same places. */
const leadsNowhere = /leads nowhere|has no anchor|has no file for/

export function isDeadLink({ message }: ErrorDetail): boolean {
  return leadsNowhere.test(message)
}

/**
 * A page without the links that lead nowhere: their words stay. What is no link at the place of a warning stays as it is.
 * @param warnings of this page. @param isPage whether a path of the site has a page: such a link only loses its anchor.
 */
export function unlink(
  text: string,
  warnings: readonly ErrorDetail[],
  isPage: (href: string) => boolean,
): { readonly text: string; readonly mended: number } {
  const starts = lineStarts(text)
  const places = warnings
    .filter(isDeadLink)
    .flatMap(({ line, column }) =>
      line === undefined || column === undefined ? [] : [(starts[line - 1] ?? text.length) + column - 1],
    )
    .toSorted((a, b) => b - a)
  let [result, mended] = [text, 0]
  // From the end on, so that the places before stay true.
  for (const at of new Set(places)) {
    const span = linkAt(result, at)
    if (span === undefined) continue
    const [path] = span.href.split('#', 1)
    const kept = span.href.includes('#') && isPage(path ?? '') ? span.with(path ?? '') : span.words
    result = result.slice(0, span.from) + kept + result.slice(span.to)
    mended += 1
  }
  return { text: result, mended }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

interface Link {
  readonly from: number
  readonly to: number
  readonly href: string
  /** What stays of it. */
  readonly words: string
  readonly with: (href: string) => string
}

function linkAt(text: string, at: number): Link | undefined {
  if (text[at] === '<') return attributeAt(text, at)
  const open = text.startsWith('![', at) ? at + 1 : at
  if (text[open] !== '[') return undefined
  const close = matching(text, open, '[', ']')
  if (close === undefined) return undefined
  const words = text.slice(open + 1, close)
  const next = text[close + 1]
  if (next !== '(' && next !== '[') return undefined
  const end = matching(text, close + 1, next, next === '(' ? ')' : ']')
  if (end === undefined) return undefined
  const target = text.slice(close + 2, end)
  const href = next === '(' ? (target.trim().split(/\s/, 1)[0] ?? '').replace(/^<|>$/g, '') : ''
  return { from: at, to: end + 1, href, words, with: (kept) => `${text.slice(at, close + 1)}(${kept})` }
}

/** The bracket that ends what begins at `at`; undefined beyond a few thousand characters, where no link ends. */
function matching(text: string, at: number, open: string, close: string): number | undefined {
  let depth = 0
  const end = Math.min(text.length, at + 4000)
  for (let index = at; index < end; index++) {
    const character = text[index]
    if (character === '\\') index += 1
    else if (character === open) depth += 1
    else if (character === close && --depth === 0) return index
  }
  return undefined
}

/** The `href` or `src` of a tag: without it the tag links nowhere. */
function attributeAt(text: string, at: number): Link | undefined {
  const tag = /^<[A-Za-z][\w.]*(?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?)*\s*\/?>/.exec(
    text.slice(at, at + 4000),
  )?.[0]
  const found = tag === undefined ? null : /\s+(href|src)=(?:"([^"]*)"|'([^']*)'|\{["'`]([^"'`]*)["'`]\})/.exec(tag)
  if (found === null) return undefined
  const from = at + found.index
  const [whole, name] = found
  return {
    from,
    to: from + whole.length,
    href: found[2] ?? found[3] ?? found[4] ?? '',
    words: '',
    with: (href) => ` ${name ?? 'href'}="${href}"`,
  }
}
