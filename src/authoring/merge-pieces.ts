import type { MergePiece } from './merge.ts'

export type ConflictPiece = Extract<MergePiece, { kind: 'conflict' }>

/** What was decided of a piece. */
export type Choice = { readonly take: 'mine' | 'theirs' | 'both' } | { readonly text: string }

/** What was done of a piece, in a form that outlives its view and finds its piece again. */
export interface PieceDecision {
  /** Names the piece: made of the lines of both sides. */
  readonly piece: string
  readonly choice: Choice
  /** It is being written: nobody has taken it yet. */
  readonly writing?: true
}

/**
 * A name of each piece that stays while both sides of it do, wherever it stands in the text.
 * @param digest of a text, where names are to be short
 */
export function pieceNames(
  conflicts: readonly ConflictPiece[],
  digest: (text: string) => string = (text) => text,
): readonly string[] {
  const seen = new Map<string, number>()
  return conflicts.map(({ mine, theirs }) => {
    const lines = digest(JSON.stringify([mine, theirs]))
    const count = seen.get(lines) ?? 0
    seen.set(lines, count + 1)
    return `${lines}-${count}`
  })
}

/** @param decision in place of an earlier one of its piece; undefined: the piece is open again */
export function withDecision(
  decisions: readonly PieceDecision[],
  piece: string,
  decision: Omit<PieceDecision, 'piece'> | undefined,
): PieceDecision[] {
  const others = decisions.filter((one) => one.piece !== piece)
  return decision === undefined ? others : [...others, { piece, ...decision }]
}

/** What two tabs decided since both had the same: of a piece of both, what `mine` has. */
export function joinedDecisions(
  before: readonly PieceDecision[],
  mine: readonly PieceDecision[],
  theirs: readonly PieceDecision[],
): readonly PieceDecision[] {
  const wordsIn = (decisions: readonly PieceDecision[], name: string): string =>
    JSON.stringify(decisions.filter(({ piece }) => piece === name))
  const isMine = (name: string): boolean => wordsIn(mine, name) !== wordsIn(before, name)
  return [...theirs.filter(({ piece }) => !isMine(piece)), ...mine.filter(({ piece }) => isMine(piece))]
}

/** The texts among decisions: what somebody wrote. */
export function writtenOf(decisions: readonly PieceDecision[]): string[] {
  return decisions.flatMap(({ choice }) => ('text' in choice ? [choice.text] : []))
}

/** The text that a piece becomes. */
export function resultOf({ mine, theirs }: ConflictPiece, choice: Choice | undefined): string {
  if (choice === undefined) return ''
  if ('text' in choice) return withEnd(choice.text, [...mine, ...theirs])
  if (choice.take !== 'both') return (choice.take === 'mine' ? mine : theirs).join('')
  const first = mine.join('')
  // The last line of a file may have no end.
  const isOpen = first !== '' && !/[\r\n]$/.test(first) && theirs.length > 0
  return `${first}${isOpen ? '\n' : ''}${theirs.join('')}`
}

/** What is written by hand does not run into the line after it. @param lines that it takes the place of */
function withEnd(text: string, lines: readonly string[]): string {
  if (text === '' || /[\r\n]$/.test(text)) return text
  const ends = lines.map((line) => /[\r\n]+$/.exec(line)?.[0])
  return text + (ends.find((end) => end !== undefined) ?? '')
}

/** The choices of pieces, in the order of their names; of what is open or being written, undefined. */
export function choicesOf(
  names: readonly string[],
  decisions: readonly PieceDecision[],
): readonly (Choice | undefined)[] {
  const decided = new Map(decisions.map((one) => [one.piece, one]))
  return names.map((name) => (decided.get(name)?.writing === true ? undefined : decided.get(name)?.choice))
}

/**
 * The text of pieces; undefined while one of them is not decided.
 * @param choices of the pieces in conflict, in their order
 */
export function mergedText(
  pieces: readonly MergePiece[],
  choices: readonly (Choice | undefined)[],
): string | undefined {
  let text = ''
  let conflict = 0
  for (const piece of pieces) {
    if (piece.kind === 'settled') text += piece.lines.join('')
    else {
      const choice = choices[conflict++]
      if (choice === undefined) return undefined
      text += resultOf(piece, choice)
    }
  }
  return text
}
