import { slice, span } from '../../canvas/lines.ts'
import type { Background, Line, Span, Style } from '../../canvas/style.ts'
import { cellsOf, cellsWidth } from '../../text/graphemes.ts'
import type { Marker, StyledRange } from '#authoring/language.ts'
import type { Range } from '#authoring/lines.ts'
import type { Found } from '../../text/pattern.ts'
import type { Row } from '../../text/wrap.ts'
import { wordAt } from '../../text/words.ts'

/** What is to be seen of a row, beside its text. */
export interface Look {
  readonly ranges: readonly StyledRange<Style>[]
  readonly matches: readonly Found[]
  readonly markers: readonly Marker[]
  readonly selected: Range | undefined
  /** The cursor stands in it. */
  readonly isCurrent: boolean
  /** Columns. */
  readonly width: number
}

/** UTF-16 units of the line, with what is changed of their style. */
interface Layer {
  readonly from: number
  readonly to: number
  readonly style: Style
}

const plain = /^[\x20-\x7e]*$/

/** The line of the screen for a row of a text. */
export function drawRow(text: string, row: Row, look: Look): Line {
  const layers = layersOf(text, row, look)
  const base: Style | undefined = look.isCurrent ? { background: 'raised' } : undefined
  const own = text.slice(row.from, row.to)
  const spans: Span[] = row.indent > 0 ? [span(' '.repeat(row.indent), base)] : []
  let width = row.indent
  if (plain.test(own)) {
    // A unit is a cell: pieces between the edges of the layers.
    for (const { from, to } of piecesOf(row, layers))
      spans.push(styled(text.slice(from, to), styleAt(layers, from, base)))
    width += own.length
  } else width = drawCells(own, { row, layers, base, spans })
  const selected = look.selected
  // The line end is selected, too.
  const isEndSelected =
    row.to === text.length && selected !== undefined && selected.start.line <= row.line && selected.end.line > row.line
  if (isEndSelected && width < look.width) {
    spans.push(span(' ', { background: 'selected' }))
    width++
  }
  // Spaces hang over the edge.
  if (width > look.width) return slice(spans, 0, look.width)
  if (base !== undefined && width < look.width) spans.push(span(' '.repeat(look.width - width), base))
  return spans
}

function drawCells(
  own: string,
  {
    row,
    layers,
    base,
    spans,
  }: { readonly row: Row; readonly layers: readonly Layer[]; readonly base: Style | undefined; readonly spans: Span[] },
): number {
  let width = row.indent
  let text = ''
  let style: Style | undefined
  let until = -1
  for (const cell of cellsOf(own, row.indent)) {
    const at = row.from + cell.index
    width += cell.width
    if (cell.symbol) {
      if (text !== '') spans.push(styled(text, style))
      text = ''
      until = -1
      spans.push(styled(cell.text, { ...styleAt(layers, at, base), color: 'muted' }))
      continue
    }
    if (at >= until) {
      if (text !== '') spans.push(styled(text, style))
      text = ''
      style = styleAt(layers, at, base)
      until = edgeAfter(layers, at)
    }
    text += cell.text
  }
  if (text !== '') spans.push(styled(text, style))
  return width
}

function styled(text: string, style: Style | undefined): Span {
  return style === undefined ? { text } : { text, style }
}

/** From the lowest to the topmost. */
function layersOf(text: string, row: Row, { ranges, matches, markers, selected }: Look): readonly Layer[] {
  const layers: Layer[] = []
  for (let at = firstBehind(ranges, row.from); at < ranges.length; at++) {
    const range = ranges[at]
    if (range === undefined || range.from >= row.to) break
    layers.push(range)
  }
  for (const { line, column, severity } of markers) {
    if (line !== row.line || column === undefined || text === '') continue
    const { from, to } = wordAt(text, Math.min(column, text.length - 1))
    layers.push({
      from,
      to: Math.max(to, from + 1),
      style: { underline: true, color: severity === 'error' ? 'danger' : 'warning' },
    })
  }
  for (let at = firstBehind(matches, row.from); at < matches.length; at++) {
    const match = matches[at]
    if (match === undefined || match.from >= row.to) break
    const isSelected = selected?.start.line === row.line && selected.start.column === match.from
    layers.push({ ...match, style: { background: isSelected ? 'currentMatch' : 'match' } })
  }
  const chosen = selectedOn(row, text, selected)
  if (chosen !== undefined && !matches.some(({ from, to }) => from === chosen.from && to === chosen.to))
    layers.push({ ...chosen, style: { background: 'selected' satisfies Background } })
  return layers
}

function selectedOn({ line }: Row, text: string, selected: Range | undefined): Found | undefined {
  if (selected === undefined || line < selected.start.line || line > selected.end.line) return undefined
  const from = line === selected.start.line ? selected.start.column : 0
  const to = line === selected.end.line ? selected.end.column : text.length
  return from < to ? { from, to } : undefined
}

/** The first of ranges in order that does not end at a column or before it. */
function firstBehind(ranges: readonly Found[], column: number): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.to ?? 0) > column) high = middle
    else low = middle + 1
  }
  return low
}

function styleAt(layers: readonly Layer[], at: number, base: Style | undefined): Style | undefined {
  let style = base
  for (const layer of layers)
    if (layer.from <= at && layer.to > at) style = style === undefined ? layer.style : { ...style, ...layer.style }
  return style
}

/** Where the style changes next. */
function edgeAfter(layers: readonly Layer[], at: number): number {
  let edge = Number.POSITIVE_INFINITY
  for (const { from, to } of layers) {
    if (from > at) edge = Math.min(edge, from)
    else if (to > at) edge = Math.min(edge, to)
  }
  return edge
}

function piecesOf({ from: start, to: end }: Row, layers: readonly Layer[]): { from: number; to: number }[] {
  const pieces: { from: number; to: number }[] = []
  for (let from = start; from < end;) {
    const to = Math.min(end, edgeAfter(layers, from))
    pieces.push({ from, to })
    from = to
  }
  return pieces
}

/** Columns in front of the text: a sign for what is wrong, and, where they are wanted, the numbers of lines. */
export function gutterWidth(count: number, hasNumbers: boolean): number {
  return 2 + (hasNumbers ? Math.max(3, String(count).length) + 1 : 0)
}

export function drawGutter(
  row: Row,
  {
    markers,
    width,
    isCurrent,
  }: { readonly markers: readonly Marker[]; readonly width: number; readonly isCurrent: boolean },
): Line {
  const isFirst = row.from === 0
  const worst = markers.find(({ severity }) => severity === 'error') ?? markers[0]
  const sign: Span =
    worst === undefined || !isFirst
      ? span(' ')
      : worst.severity === 'error'
        ? span('●', { color: 'danger' })
        : span('▲', { color: 'warning' })
  if (width <= 2) return [sign, span(' ')]
  const number = isFirst ? String(row.line + 1) : ''
  return [sign, span(`${number.padStart(width - 2)} `, { color: isCurrent ? 'accent' : 'muted' })]
}

/** Columns up to a column of a row, for the cursor. */
export function cursorColumn(text: string, row: Row, column: number): number {
  return row.indent + cellsWidth(text.slice(row.from, column), row.indent)
}
