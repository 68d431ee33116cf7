/** A change of a text in which something is selected: `insert` in the place of `from` to `to`; then `select` is. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly insert: string
  readonly select: readonly [from: number, to: number]
}

export interface Selected {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Puts marks around what is selected, or takes them away where they are. */
export function wrap({ text, from, to }: Selected, mark: string): Edit {
  const length = mark.length
  const inner = text.slice(from, to)
  const isWrapped = text.slice(from - length, from) === mark && text.slice(to, to + length) === mark
  return isWrapped
    ? { from: from - length, to: to + length, insert: inner, select: [from - length, to - length] }
    : { from, to, insert: mark + inner + mark, select: [from + length, to + length] }
}

const address = /^(?:https?:\/\/|mailto:)\S+$/

/** A link with what is selected as its words; what is to be filled in is selected then. */
export function link({ text, from, to }: Selected, url = 'https://'): Edit {
  const words = text.slice(from, to)
  const insert = `[${words}](${url})`
  const urlAt = from + words.length + 3
  return { from, to, insert, select: words === '' ? [from + 1, from + 1] : [urlAt, urlAt + url.length] }
}

/** An address that is pasted upon words makes a link of them. Null: it is pasted as it is. */
export function pasted({ text, from, to }: Selected, clip: string): Edit | null {
  const words = text.slice(from, to)
  if (words === '' || !address.test(clip.trim()) || address.test(words) || words.includes('\n')) return null
  const edit = link({ text, from, to }, clip.trim())
  const end = from + edit.insert.length
  return { ...edit, select: [end, end] }
}

const indentation = '  '

/** Moves the lines of the selection in, or out. */
export function indent({ text, from, to }: Selected, isOut: boolean): Edit {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const next = text.indexOf('\n', Math.max(from, to - 1))
  const end = next === -1 ? text.length : next
  const lines = text.slice(start, end).split('\n')
  const moved = lines.map((line) => (isOut ? line.replace(/^ {1,2}|^\t/, '') : indentation + line))
  const insert = moved.join('\n')
  const first = (moved[0]?.length ?? 0) - (lines[0]?.length ?? 0)
  return {
    from: start,
    to: end,
    insert,
    select: [Math.max(start, from + first), Math.max(start, to + insert.length - (end - start))],
  }
}

const item = /^(\s*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/

/** Goes on with a list; an item without words ends it. Null: a line end as any other. */
export function nextItem({ text, from, to }: Selected): Edit | null {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const line = text.slice(start, from)
  const found = item.exec(line)
  if (found === null || from !== to) return null
  if (found[0].length === line.length) return { from: start, to, insert: '', select: [start, start] }
  const [, space = '', bullet, number = '', point = '', gap = ' ', box] = found
  const mark = bullet ?? `${Number(number) + 1}${point}`
  const insert = `\n${space}${mark}${gap}${box === undefined ? '' : '[ ] '}`
  return { from, to, insert, select: [from + insert.length, from + insert.length] }
}
