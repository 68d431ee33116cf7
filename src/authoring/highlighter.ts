import type { Highlighter } from './language.ts'
import type { Lines } from './lines.ts'
import { type CodeLanguage, codeLanguage } from './code-languages.ts'
import { tokenizeCode } from './code-tokens.ts'
import { LineStates } from './line-states.ts'
import { tokenizePage, start } from './mdx-lines.ts'
import type { Format } from './mdx-state.ts'

/** @param onRefined lines that were coloured by a guess, far down in a long text, can be drawn as they are */
export function pageHighlighter(lines: Lines, format: Format, onRefined?: () => void): Highlighter {
  return new LineStates({
    lines,
    start,
    tokenize: (text, state, paint) => tokenizePage(format, text, state, paint),
    onRefined,
  })
}

export function codeHighlighter(lines: Lines, language: CodeLanguage, onRefined?: () => void): Highlighter {
  return new LineStates({
    lines,
    start: 0,
    tokenize: (text, state, paint) => tokenizeCode(text, { from: 0, state, language, depth: 0 }, paint).state,
    onRefined,
  })
}

/** What the name of a file says of its language; undefined where it says nothing that we know. */
export function highlighterOf(path: string, lines: Lines, onRefined?: () => void): Highlighter | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  if (ending === 'mdx' || ending === 'md') return pageHighlighter(lines, ending, onRefined)
  const language = codeLanguage(ending)
  return language === undefined ? undefined : codeHighlighter(lines, language, onRefined)
}
