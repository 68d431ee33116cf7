import { setImmediate as nextTurn } from 'node:timers/promises'
import { diffWordsWithSpace } from 'diff'
import type { DiffHunk, DiffLine, DiffWord } from '../repository.ts'

/** A block of changed lines longer than this, on either side, is shown as lines only. */
const maxBlockLength = 20_000
/** Word changes after which two texts are too different for their words to tell anything. */
const maxEdits = 400
/** Below this share of common text the lines are not forms of each other. */
const leastCommon = 0.3

/** Milliseconds of comparing after which everybody else gets a turn. */
const turnTime = 10

/** As `markWords`, for many hunks: a large change keeps nobody else waiting. */
export async function markHunks(hunks: readonly DiffHunk[]): Promise<DiffHunk[]> {
  const marked: DiffHunk[] = []
  let since = performance.now()
  for (const hunk of hunks) {
    if (performance.now() - since > turnTime) {
      await nextTurn()
      since = performance.now()
    }
    marked.push({ ...hunk, lines: markWords(hunk.lines) })
  }
  return marked
}

/** Adds to each block of deleted lines that added ones follow which of their words changed. */
function markWords(lines: readonly DiffLine[]): DiffLine[] {
  const marked: DiffLine[] = []
  for (let at = 0; at < lines.length;) {
    const deleted = run(lines, at, 'deleted')
    const added = run(lines, at + deleted.length, 'added')
    if (deleted.length === 0 && added.length === 0) {
      marked.push(lines[at]!)
      at++
      continue
    }
    marked.push(...markBlock(deleted, added))
    at += deleted.length + added.length
  }
  return marked
}

function run(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end++
  return lines.slice(from, end)
}

function markBlock(deleted: readonly DiffLine[], added: readonly DiffLine[]): DiffLine[] {
  const both = [...deleted, ...added]
  if (deleted.length === 0 || added.length === 0) return both
  const before = join(deleted)
  const after = join(added)
  if (before.length > maxBlockLength || after.length > maxBlockLength) return both
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maxEdits })
  if (!changes) return both
  const common = changes.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length), 0)
  if (common < leastCommon * Math.max(before.length, after.length)) return both
  const words = (without: 'added' | 'removed'): DiffWord[] =>
    changes.filter((part) => !part[without]).map((part) => ({ text: part.value, changed: part.added || part.removed }))
  return [...spread(deleted, words('added')), ...spread(added, words('removed'))]
}

function join(lines: readonly DiffLine[]): string {
  return lines.map((line) => line.text).join('\n')
}

/** Gives each line its part of the words: a word that holds a line feed is cut there. */
function spread(lines: readonly DiffLine[], words: readonly DiffWord[]): DiffLine[] {
  const byLine: DiffWord[][] = [[]]
  for (const { text, changed } of words) {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) byLine.push([])
      if (piece !== '') byLine.at(-1)?.push({ text: piece, changed })
    }
  }
  return lines.map((line, index) => ({ ...line, words: byLine[index] ?? [] }))
}
