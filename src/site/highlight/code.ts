import type { CodeMeta } from '../components/component.tsx'
import { icon } from '../components/icons.ts'
import { attributes, escapeHtml } from '../../lib/html.ts'
import { tokenise } from './tokenise.ts'

/** What a comment such as `// [!code ++]` says of a line. */
type Mark = 'add' | 'remove' | 'highlight' | 'focus' | 'error' | 'warning'

interface Annotated {
  /** The code without those comments. */
  readonly code: string
  /** Marks by line, 1-based in `code`. */
  readonly marks: ReadonlyMap<number, ReadonlySet<Mark>>
}

const markNames: Readonly<Record<string, Mark>> = {
  '++': 'add',
  '--': 'remove',
  highlight: 'highlight',
  hl: 'highlight',
  focus: 'focus',
  error: 'error',
  warning: 'warning',
}
/** The comment at a line’s end, in the comment signs of common languages; `:3` reaches over three lines. */
const commentPattern =
  /[ \t]*(?:\/\/|\/\*|<!--|\{\/\*|--|[#;%])[ \t]*\[!code (\+\+|--|highlight|hl|focus|error|warning)(?::(\d{1,4}))?\][ \t]*(?:\*\/\}?|-->)?[ \t]*$/

/** An `expandable` block of more lines than this starts folded. */
const foldAfter = 12

const markClasses: Readonly<Record<Mark, string>> = {
  add: 'q-line-add',
  remove: 'q-line-del',
  highlight: 'q-line-mark',
  focus: 'q-line-focus',
  error: 'q-line-error',
  warning: 'q-line-warning',
}

/**
 * A code block as a complete `<figure class="q-code">`; a Mermaid block as `<figure class="q-mermaid">` with its
 * escaped source. Everything is escaped; an unknown language is plain text.
 */
export async function highlight(code: string, meta: CodeMeta): Promise<string> {
  const source = code.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  if (isMermaid(meta)) {
    const { actions, placement } = meta
    const wanted = attributes({
      'data-actions': actions === undefined ? undefined : String(actions),
      'data-placement': placement,
    })
    return `<figure class="q-mermaid" data-mermaid${wanted}><pre><code>${escapeHtml(source)}</code></pre></figure>`
  }
  const isDiff = meta.language === 'diff'
  const annotated = isDiff ? readDiff(source) : readNotation(source)
  const lines = await tokenise(annotated.code, meta.language)
  const focused = meta.focus.size > 0 || [...annotated.marks.values()].some((marks) => marks.has('focus'))
  const plain = meta.highlight.size === 0 && annotated.marks.size === 0 && !focused && !meta.lines && !isDiff
  const body = plain
    ? lines.join('\n')
    : lines.map((line, index) => lineHtml(line, marksOf(meta, annotated.marks, index + 1))).join('')
  const folds = meta.expandable && lines.length > foldAfter
  const names = [
    'q-code',
    meta.lines && 'q-code-lines',
    meta.wrap && 'q-code-wrap',
    focused && 'q-code-focus',
    isDiff && 'q-code-diff',
  ]
  const opening = attributes({
    class: names.filter((name) => name !== false).join(' '),
    'data-language': meta.language === '' ? undefined : meta.language,
    'data-label': meta.title === undefined ? meta.label : undefined,
  })
  return `<figure${opening}>${caption(meta)}<pre><code>${body}</code></pre>${folds ? fold(lines.length) : ''}</figure>`
}

/** Whether a fence is a diagram: the page then needs the feature `mermaid`. */
export function isMermaid(meta: CodeMeta): boolean {
  return meta.language.toLowerCase() === 'mermaid'
}

function caption(meta: CodeMeta): string {
  if (meta.title === undefined) return ''
  const picture = meta.icon === undefined ? '' : (icon(meta.icon) ?? '')
  // A title that says the language says it for both.
  const label = meta.label?.toLowerCase() === meta.title.toLowerCase() ? undefined : meta.label
  return `<figcaption${attributes({ class: 'q-code-title', 'data-label': label })}>${picture}<span>${escapeHtml(meta.title)}</span></figcaption>`
}

function marksOf(meta: CodeMeta, written: ReadonlyMap<number, ReadonlySet<Mark>>, line: number): Set<Mark> {
  const marks = new Set(written.get(line))
  if (meta.highlight.has(line)) marks.add('highlight')
  if (meta.focus.has(line)) marks.add('focus')
  return marks
}

/** The line break stands inside: the element is a block, and what is copied keeps its lines. */
function lineHtml(html: string, marks: ReadonlySet<Mark>): string {
  const names = ['q-line', ...[...marks].map((mark) => markClasses[mark])]
  return `<span class="${names.join(' ')}">${html}\n</span>`
}

function fold(lines: number): string {
  return `<details class="q-code-more"><summary><span data-word="showAll:${lines}">Show all lines (${lines})</span><span data-word="showLess">Show less</span></summary></details>`
}

/** What a diff adds and takes away. Its lines say so by their first character, which stays. */
function readDiff(code: string): Annotated {
  const marks = new Map<number, Set<Mark>>()
  for (const [index, line] of code.split('\n').entries()) {
    if (/^\+(?!\+\+ )/.test(line)) marks.set(index + 1, new Set(['add']))
    else if (/^-(?!-- )/.test(line)) marks.set(index + 1, new Set(['remove']))
  }
  return { code, marks }
}

/**
 * Takes `[!code …]` comments out of code. A line that holds nothing else goes away, and its mark is for what follows.
 * Columns of the remaining code do not change.
 */
function readNotation(code: string): Annotated {
  if (!code.includes('[!code ')) return { code, marks: new Map() }
  const lines: string[] = []
  const marks = new Map<number, Set<Mark>>()
  for (const line of code.split('\n')) {
    const match = commentPattern.exec(line)
    const mark = markNames[match?.[1] ?? '']
    const rest = match === null ? line : line.slice(0, match.index)
    const alone = match !== null && rest.trim() === ''
    if (!alone) lines.push(rest)
    if (mark === undefined) continue
    const first = alone ? lines.length + 1 : lines.length
    for (let at = first; at < first + Number(match?.[2] ?? 1); at++)
      marks.set(at, (marks.get(at) ?? new Set<Mark>()).add(mark))
  }
  return { code: lines.join('\n'), marks }
}
