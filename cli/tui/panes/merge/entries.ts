import type { Style } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { StyledRange } from '#authoring/language.ts'
import { linesOf, type MergePiece } from '#authoring/merge.ts'
import { type Choice, type ConflictPiece, resultOf } from '#authoring/merge-pieces.ts'
import { changedWords } from '#authoring/merge-words.ts'

export interface Labels {
  readonly mine: string
  readonly theirs: string
}

/** A line of what is shown of a merge. */
export interface Entry {
  readonly text: string
  readonly ranges: readonly StyledRange<Style>[]
  /** The number of the piece that it belongs to. */
  readonly conflict?: number
}

/** Lines around a piece that are shown. */
const context = 3
/** What is shown of a merge: the pieces that are to be decided, or were, and some lines around them. */
export function entriesOf(
  pieces: readonly MergePiece[],
  choices: readonly (Choice | undefined)[],
  labels: Labels,
): readonly Entry[] {
  let entries: Entry[] = []
  let conflict = 0
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'settled') {
      const place = { isFirst: index === 0, isLast: index === pieces.length - 1 }
      entries = entries.concat(settledEntries(piece.lines, place))
      continue
    }
    const number = conflict++
    const place = { number, all: choices.length }
    const choice = choices[number]
    entries = entries.concat(
      choice === undefined ? openEntries(piece, place, labels) : decidedEntries(piece, place, { choice, labels }),
    )
  }
  return entries
}

function settledEntries(
  lines: readonly string[],
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): Entry[] {
  const head = isFirst ? 0 : context
  const tail = isLast ? 0 : context
  const plain = (line: string): Entry => styled(line, { color: 'muted' })
  if (lines.length <= head + tail + 1) return lines.map(plain)
  const folded = styled(`⋯ ${lines.length - head - tail} lines`, { color: 'muted', dim: true })
  return [...lines.slice(0, head).map(plain), folded, ...(tail === 0 ? [] : lines.slice(-tail).map(plain))]
}

interface Numbering {
  readonly number: number
  readonly all: number
}

function openEntries({ mine, theirs }: ConflictPiece, { number, all }: Numbering, labels: Labels): Entry[] {
  const words = changedWords(mine.join(''), theirs.join(''))
  const side = (lines: readonly string[], changed: readonly boolean[][], kind: 'added' | 'deleted'): Entry[] =>
    lines.length === 0
      ? [{ ...styled('(nothing)', { color: 'muted' }), conflict: number }]
      : lines.map((line, index) => ({ ...wordEntry(line, changed[index] ?? [], kind), conflict: number }))
  return [
    { ...styled(`${number + 1} of ${all}: to be decided`, { color: 'warning', bold: true }), conflict: number },
    { ...styled(`1  ${shown(labels.mine)}`, { bold: true }), conflict: number },
    ...side(mine, words.mine, 'added'),
    { ...styled(`2  ${shown(labels.theirs)}`, { bold: true }), conflict: number },
    ...side(theirs, words.theirs, 'deleted'),
    { ...styled('3  both   e  edit', { color: 'muted' }), conflict: number },
  ]
}

function decidedEntries(
  piece: ConflictPiece,
  { number, all }: Numbering,
  { choice, labels }: { readonly choice: Choice; readonly labels: Labels },
): Entry[] {
  const words = 'text' in choice ? 'as you wrote it' : choice.take === 'both' ? 'both' : shown(labels[choice.take])
  const lines = linesOf(resultOf(piece, choice))
  return [
    { ...styled(`✓ ${number + 1} of ${all}: ${words}`, { color: 'success', bold: true }), conflict: number },
    ...lines.map((line) => ({ ...styled(line, {}), conflict: number })),
  ]
}

/** A text that was written of a piece which is another one now, or twice. */
export function unplacedEntries(text: string): Entry[] {
  return [
    styled('', {}),
    styled('Yours, and in none of these pieces; y copies it:', { color: 'warning', bold: true }),
    ...linesOf(text).map((line) => styled(line, {})),
  ]
}

/** The text stays what it is; whoever draws it shows control characters as symbols. */
function styled(line: string, style: Style): Entry {
  const text = withoutEnd(line)
  return { text, ranges: [{ from: 0, to: text.length, style }] }
}

function withoutEnd(line: string): string {
  return line.replace(/[\r\n]+$/, '')
}

/** @param changed of each UTF-16 unit of the line */
function wordEntry(line: string, changed: readonly boolean[], kind: 'added' | 'deleted'): Entry {
  const text = withoutEnd(line)
  const ranges: StyledRange<Style>[] = []
  for (let from = 0; from < text.length;) {
    const isChanged = changed[from] ?? false
    let to = from + 1
    while (to < text.length && (changed[to] ?? false) === isChanged) to++
    const background = isChanged ? (kind === 'added' ? 'addedWord' : 'deletedWord') : kind
    ranges.push({ from, to, style: { background } })
    from = to
  }
  return { text, ranges }
}
