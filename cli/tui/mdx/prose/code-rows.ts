import { fit, span } from '../../canvas/lines.ts'
import type { Line, Span } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { codeLanguage } from '#authoring/code-languages.ts'
import { type CodeState, tokenizeCode, tokenizeDiff } from '#authoring/code-tokens.ts'
import { LinePaint, longestColored } from '#authoring/painting.ts'
import { asWritten } from './parse.ts'
import type { Row } from './row.ts'
import { hardWrapped } from './wrap.ts'

const paint = new LinePaint()

export interface CodeOptions {
  readonly language: string
  /** Above it, such as the name of a file. */
  readonly title: string
  readonly width: number
  /** Line of the source of its first line. */
  readonly source: number
}

/** Code in its colours; what is longer than the width goes on below. */
export function codeRows(code: string, { language, title, width, source }: CodeOptions): Row[] {
  const rows: Row[] = []
  const raised = { background: 'raised' } as const
  if (title !== '')
    rows.push({
      line: fit([span(` ${shown(title)}`, { ...raised, color: 'muted' })], width, raised),
      source: source - 1,
    })
  const known = codeLanguage(language)
  let state: CodeState = 0
  for (const [index, line] of asWritten(code).split('\n').entries()) {
    const colored = line.slice(0, longestColored)
    if (language === 'diff') tokenizeDiff(colored, paint)
    else if (known !== undefined)
      ({ state } = tokenizeCode(colored, { from: 0, state, language: known, depth: 0 }, paint))
    for (const part of hardWrapped(spansOf(line, colored.length), Math.max(1, width - 2)))
      rows.push({ line: fit([span(' ', raised), ...part.map(onRaised)], width, raised), source: source + index })
  }
  return rows
}

function onRaised({ text, style }: Span): Span {
  return { text, style: { ...style, background: 'raised' } }
}

function spansOf(line: string, colored: number): Line {
  const spans: Span[] = []
  let at = 0
  for (const { from, to, style } of paint.take(colored)) {
    if (from > at) spans.push({ text: shown(line.slice(at, from)) })
    spans.push({ text: shown(line.slice(from, to)), style })
    at = to
  }
  if (at < line.length) spans.push({ text: shown(line.slice(at)) })
  return spans
}
