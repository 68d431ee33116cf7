import { linesOf, mergeTexts, type MergePiece } from '../src/authoring/merge.ts'
import { canMerge } from '../src/authoring/pending-conflicts.ts'
import type { Conflict } from '../src/contract/branches.ts'
import { count, printable, type Output } from './output.ts'

/** Lines that are shown before and after those in conflict. */
const context = 3
/** Of one file. */
const shownLines = 120

/** A conflict for people: the places where both sides differ, with what stands around them; each line names its side. */
export function showConflict(conflict: Conflict, output: Output): string {
  const { path, type, main, branch, omitted } = conflict
  const title = `${output.paint('yellow', 'conflict')}  ${output.paint('bold', printable(path))}  ${output.paint('dim', type)}`
  if (omitted !== undefined) return `${title}\n  its content is ${omitted}: take one side or give a file`
  const lines = canMerge(conflict)
    ? hunkLines(piecesOf(conflict), output)
    : [...wholeLines('main', main, output), ...wholeLines('branch', branch, output)]
  const rest = lines.length - shownLines
  const more = rest > 0 ? [output.paint('dim', `  … ${count(rest, 'more line')}`)] : []
  return [title, ...lines.slice(0, shownLines), ...more].join('\n')
}

/** The text with the marks of Git around what is in conflict, and all else merged. */
export function markedText(conflict: Conflict): string {
  const whole = (lines: readonly string[]): string => {
    const text = lines.join('')
    return text === '' || text.endsWith('\n') ? text : `${text}\n`
  }
  return piecesOf(conflict)
    .map((piece) =>
      piece.kind === 'settled'
        ? piece.lines.join('')
        : `<<<<<<< main\n${whole(piece.mine)}=======\n${whole(piece.theirs)}>>>>>>> branch\n`,
    )
    .join('')
}

function piecesOf({ base, main = '', branch = '' }: Conflict): readonly MergePiece[] {
  return mergeTexts(base, main, branch)
}

const colors = { main: 'cyan', branch: 'yellow' } as const
type Side = keyof typeof colors

function sideLines(side: Side, lines: readonly string[], output: Output): string[] {
  const label = output.paint(colors[side], `  ${side.padEnd(6)} │`)
  if (lines.length === 0) return [`${label} ${output.paint('dim', '(nothing)')}`]
  return lines.map((line) => `${label} ${output.paint(colors[side], shownLine(line))}`)
}

function wholeLines(side: Side, text: string | undefined, output: Output): string[] {
  if (text !== undefined) return sideLines(side, linesOf(text), output)
  return [`${output.paint(colors[side], `  ${side.padEnd(6)} │`)} ${output.paint('dim', '(deleted)')}`]
}

function hunkLines(pieces: readonly MergePiece[], output: Output): string[] {
  const lines: string[] = []
  // Of main, from 1.
  let at = 1
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'conflict') {
      lines.push(...sideLines('main', piece.mine, output), ...sideLines('branch', piece.theirs, output))
      at += piece.mine.length
      continue
    }
    const after = index === 0 ? 0 : context
    const before = index === pieces.length - 1 ? 0 : context
    const isCut = piece.lines.length > after + before
    const shown = isCut ? [piece.lines.slice(0, after), piece.lines.slice(piece.lines.length - before)] : [piece.lines]
    const [head = [], tail] = shown
    lines.push(...head.map((line) => around(line, output)))
    if (tail !== undefined && before > 0) {
      lines.push(output.paint('dim', `  ── line ${at + piece.lines.length - before} ──`))
      lines.push(...tail.map((line) => around(line, output)))
    }
    at += piece.lines.length
  }
  return lines
}

function around(line: string, output: Output): string {
  return output.paint('dim', `         │ ${shownLine(line)}`)
}

function shownLine(line: string): string {
  return printable(line.replace(/[\r\n]+$/, ''))
}
