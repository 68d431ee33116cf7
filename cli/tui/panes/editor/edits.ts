import type { TextBuffer } from '../../text/buffer.ts'
import type { Position, Range } from '#authoring/lines.ts'
import { after, before, wordAfter, wordBefore, wordRange } from '../../text/movement.ts'
import { cursorAt, isEmpty, rangeOf } from '../../text/positions.ts'

/** What a line of a list or of a quote begins with. */
const listItem = /^((?:[ \t]*>)*[ \t]*)([-*+]|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/
const quote = /^[ \t]*>(?:[ \t]*>)*[ \t]?/

/** Changes of a text by keys. What is selected is what they change. */
type Change = (buffer: TextBuffer) => void

const changes: Readonly<Record<string, Change>> = {
  enter: breakLine,
  tab: indent,
  'shift+tab': outdent,
  backspace,
  'shift+backspace': backspace,
  delete: (buffer) => remove(buffer, after(buffer, buffer.selection.head)),
  'ctrl+backspace': (buffer) => remove(buffer, wordBefore(buffer, buffer.selection.head)),
  'alt+backspace': (buffer) => remove(buffer, wordBefore(buffer, buffer.selection.head)),
  'ctrl+w': (buffer) => remove(buffer, wordBefore(buffer, buffer.selection.head)),
  'ctrl+delete': (buffer) => remove(buffer, wordAfter(buffer, buffer.selection.head)),
  'alt+d': (buffer) => remove(buffer, wordAfter(buffer, buffer.selection.head)),
  'alt+up': (buffer) => moveLines(buffer, -1),
  'alt+down': (buffer) => moveLines(buffer, 1),
  'ctrl+b': (buffer) => surround(buffer, '**'),
  'alt+i': (buffer) => surround(buffer, '_'),
  'ctrl+k': link,
}

/** The change that a key makes, if it makes one. */
export function changeBy(chord: string): Change | undefined {
  return Object.hasOwn(changes, chord) ? changes[chord] : undefined
}

/** Writes in the place of what is selected. */
export function insert(buffer: TextBuffer, text: string, kind: 'typing' | 'other'): void {
  const range = rangeOf(buffer.selection)
  buffer.replace(range, text, isEmpty(range) ? kind : 'other')
}

/** Removes what is selected, or else up to a position. */
function remove(buffer: TextBuffer, to: Position): void {
  const selected = rangeOf(buffer.selection)
  if (!isEmpty(selected)) buffer.replace(selected, '')
  else buffer.replace(rangeOf({ anchor: buffer.selection.head, head: to }), '', 'deleting')
}

function backspace(buffer: TextBuffer): void {
  const { head } = buffer.selection
  remove(buffer, before(buffer, head))
}

/** A new line; in a list or a quote, of the same kind. In an empty item, the list ends. */
function breakLine(buffer: TextBuffer): void {
  const { start } = rangeOf(buffer.selection)
  const line = buffer.at(start.line)
  const item = listItem.exec(line.slice(0, 1_000))
  const prefix = item?.[0] ?? quote.exec(line.slice(0, 1_000))?.[0] ?? ''
  if (prefix === '' || start.column < prefix.length) {
    const own = /^[ \t]*/.exec(line.slice(0, Math.min(start.column, 200)))?.[0] ?? ''
    insert(buffer, `\n${own}`, 'typing')
  } else if (line.trimEnd().length <= prefix.trimEnd().length) {
    const kept = item?.[1] ?? ''
    buffer.replace({ start: { ...start, column: kept.length }, end: { ...start, column: line.length } }, '')
  } else insert(buffer, `\n${item === null ? prefix : nextItem(item)}`, 'typing')
}

function nextItem([, outer = '', sign = '-', number, delimiter = '', space = ' ', task]: RegExpExecArray): string {
  const marker = number === undefined ? sign : `${Number(number) + 1}${delimiter}`
  return `${outer}${marker}${space}${task === undefined ? '' : task.replace(/[xX]/, ' ')}`
}

/** The lines that are selected; one where only the cursor stands. */
function selectedLines(buffer: TextBuffer): { first: number; last: number } {
  const { start, end } = rangeOf(buffer.selection)
  const isAtStart = end.column === 0 && end.line > start.line
  return { first: start.line, last: isAtStart ? end.line - 1 : end.line }
}

/** What is selected, or the item of a list, goes to the right; elsewhere spaces are written. */
function indent(buffer: TextBuffer): void {
  const { first, last } = selectedLines(buffer)
  if (
    first === last &&
    listItem.exec(buffer.at(first).slice(0, 1_000)) === null &&
    isEmpty(rangeOf(buffer.selection))
  ) {
    insert(buffer, buffer.at(first).startsWith('\t') ? '\t' : '  ', 'typing')
    return
  }
  buffer.step(() => {
    for (let line = first; line <= last; line++) {
      const text = buffer.at(line)
      if (text !== '') put(buffer, { line, from: 0, to: 0 }, text.startsWith('\t') ? '\t' : ' '.repeat(step(text)))
    }
  })
}

/** An item stands under the text of the one that it belongs to. */
function step(line: string): number {
  const item = listItem.exec(line.slice(0, 1_000))
  return item === null ? 2 : Math.min(4, (item[2]?.length ?? 1) + 1)
}

function outdent(buffer: TextBuffer): void {
  const { first, last } = selectedLines(buffer)
  buffer.step(() => {
    for (let line = first; line <= last; line++) {
      const text = buffer.at(line)
      const width = text.startsWith('\t') ? 1 : Math.min(step(text), text.length - text.trimStart().length)
      put(buffer, { line, from: 0, to: width }, '')
    }
  })
}

/** Changes a piece of a line while the selection stays on the same characters. */
function put(
  buffer: TextBuffer,
  { line, from, to }: { readonly line: number; readonly from: number; readonly to: number },
  text: string,
): void {
  const { anchor, head } = buffer.selection
  const range: Range = { start: { line, column: from }, end: { line, column: to } }
  buffer.replace(range, text)
  const shifted = (position: Position): Position =>
    position.line === line && position.column >= to
      ? { line, column: position.column - (to - from) + text.length }
      : position
  buffer.selection = { anchor: shifted(anchor), head: shifted(head) }
}

function moveLines(buffer: TextBuffer, by: -1 | 1): void {
  const { first, last } = selectedLines(buffer)
  const other = by < 0 ? first - 1 : last + 1
  if (other < 0 || other >= buffer.count) return
  const from = Math.min(first, other)
  const texts = Array.from({ length: last - first + 2 }, (_, index) => buffer.at(from + index))
  const moved = by < 0 ? [...texts.slice(1), ...texts.slice(0, 1)] : [...texts.slice(-1), ...texts.slice(0, -1)]
  const { anchor, head } = buffer.selection
  buffer.step(() => {
    buffer.rewrite(from, moved)
    buffer.selection = {
      anchor: { ...anchor, line: anchor.line + by },
      head: { ...head, line: head.line + by },
    }
  })
}

/** Puts signs around what is selected, or the word; takes them away where they are. */
function surround(buffer: TextBuffer, sign: string): void {
  const { head } = buffer.selection
  const selected = rangeOf(buffer.selection)
  const word = wordRange(buffer, head)
  const range = isEmpty(selected) ? (/[\p{L}\p{N}]/u.test(buffer.slice(word)) ? word : selected) : selected
  if (range.start.line !== range.end.line) return
  const { line, column: from } = range.start
  const to = range.end.column
  const text = buffer.at(line)
  const isAround = text.slice(from - sign.length, from) === sign && text.slice(to, to + sign.length) === sign
  buffer.step(() => {
    if (isAround && from >= sign.length) {
      buffer.replace(
        { start: { line, column: from - sign.length }, end: { line, column: to + sign.length } },
        text.slice(from, to),
      )
      buffer.selection = { anchor: { line, column: from - sign.length }, head: { line, column: to - sign.length } }
    } else {
      buffer.replace(range, `${sign}${text.slice(from, to)}${sign}`)
      const anchor = { line, column: from + sign.length }
      buffer.selection = isEmpty(range) ? cursorAt(anchor) : { anchor, head: { line, column: to + sign.length } }
    }
  })
}

/** A link of what is selected, with the cursor where its address or its text is missing. */
function link(buffer: TextBuffer): void {
  const range = rangeOf(buffer.selection)
  if (range.start.line !== range.end.line) return
  const text = buffer.slice(range)
  const isAddress = /^(https?:\/\/|mailto:|\/)\S+$/.test(text)
  const { line, column } = range.start
  buffer.step(() => {
    buffer.replace(range, isAddress ? `[](${text})` : `[${text}]()`)
    const inside = isAddress || text === '' ? column + 1 : column + text.length + 3
    buffer.selection = cursorAt({ line, column: inside })
  })
}
