/** What a comment such as `// [!code ++]` says of a line. */
export type Mark = 'add' | 'remove' | 'highlight' | 'focus' | 'error' | 'warning'

export interface Annotated {
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

/**
 * Takes `[!code …]` comments out of code. A line that holds nothing else goes away, and its mark is for what follows.
 * Columns of the remaining code do not change.
 */
export function readNotation(code: string): Annotated {
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
