/** A line of a page, with where it stood in its file. */
export interface Line {
  readonly text: string
  readonly line: number
}

export function linesOf(text: string, first = 1): Line[] {
  return text.split('\n').map((line, index) => ({ text: line, line: first + index }))
}

export const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join('\n')

export const indentOf = (text: string): number => /^[ \t]*/.exec(text)?.[0].replaceAll('\t', '    ').length ?? 0

/** Takes up to so many columns of blanks away. */
export function dedent(text: string, columns: number): string {
  let index = 0
  for (let column = 0; column < columns && index < text.length; index++) {
    if (text[index] === '\t') column += 4
    else if (text[index] === ' ') column++
    else break
  }
  return text.slice(index)
}

/** Words of a line in which braces are only braces, outside of code. */
export const literal = (text: string): string =>
  outsideCode(text, (part) => part.replaceAll('{', '&#123;').replaceAll('}', '&#125;'))

/** Changes a line outside of code, formulas and comments. */
export function outsideCode(text: string, change: (text: string) => string): string {
  return text
    .split(/((?<!`)`+(?!`)[^`]*(?<!`)`+(?!`)|<!--.*?-->|(?<![\\$\w])\$[^\s$][^$]*(?<!\s)\$(?![\d$]))/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}

/** The mark of a fence that a line opens, such as three backticks; undefined for other lines. */
export function fenceOf(text: string): string | undefined {
  const [, mark = '', rest = ''] =
    /^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})(.*)$/.exec(text) ?? []
  return mark === '' || (mark.startsWith('`') && rest.includes('`')) ? undefined : mark
}

export function closesFence(text: string, mark: string): boolean {
  const closing = text.replace(/^[ \t]*(?:>[ \t]?)*/, '').trimEnd()
  return closing.length >= mark.length && closing === (mark[0] ?? '').repeat(closing.length)
}

/** Where a fenced block ends that begins at an index: the index of its last line. */
export function fenceEnd(lines: readonly Line[], start: number): number {
  const mark = fenceOf(lines[start]?.text ?? '') ?? ''
  for (let index = start + 1; index < lines.length; index++)
    if (closesFence(lines[index]?.text ?? '', mark)) return index
  return lines.length - 1
}

/**
 * Where a block ends whose first line is before `start`: the index of the line that closes it, or the number of lines.
 * @param opened how many blocks of its kind a line opens, less those that it closes; not asked of lines in fences
 */
export function blockEnd(lines: readonly Line[], start: number, opened: (text: string) => number): number {
  let depth = 1
  let end = start
  for (; end < lines.length; end++) {
    const text = lines[end]?.text ?? ''
    if (fenceOf(text) !== undefined) {
      end = fenceEnd(lines, end)
      continue
    }
    depth += opened(text)
    if (depth === 0) break
  }
  return end
}

/**
 * Lines with others in the place of those outside of fenced blocks, which stay.
 * @param change gives what a line becomes; of several at once, the index of the last one as well
 */
export function outsideFences(
  lines: readonly Line[],
  change: (line: Line, index: number) => { readonly lines: readonly Line[]; readonly last?: number },
): Line[] {
  const done: Line[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as Line
    const end = fenceOf(line.text) === undefined ? undefined : fenceEnd(lines, index)
    const next = end === undefined ? change(line, index) : { lines: lines.slice(index, end + 1), last: end }
    done.push(...next.lines)
    index = next.last ?? index
  }
  return done
}
