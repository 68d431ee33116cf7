import { createHash } from 'node:crypto'
import type { MergePiece } from '../../text/merge.ts'
import type { Choice } from './entries.ts'

type Conflict = Extract<MergePiece, { kind: 'conflict' }>

/** What was done of a piece, in a form that outlives its pane and finds its piece again. */
export interface PieceDecision {
  /** Names the piece: made of the lines of both sides. */
  readonly piece: string
  readonly choice: Choice
  /** It is being written: nobody has taken it yet. */
  readonly writing?: true
}

/** A name of each piece that stays while both sides of it do, wherever it stands in the text. */
export function pieceNames(conflicts: readonly Conflict[]): readonly string[] {
  const seen = new Map<string, number>()
  return conflicts.map(({ mine, theirs }) => {
    const lines = createHash('sha256')
      .update(JSON.stringify([mine, theirs]))
      .digest('hex')
      .slice(0, 20)
    const count = seen.get(lines) ?? 0
    seen.set(lines, count + 1)
    return `${lines}-${count}`
  })
}

/** The texts among decisions: what somebody wrote. */
export function writtenOf(decisions: readonly PieceDecision[]): string[] {
  return decisions.flatMap(({ choice }) => ('text' in choice ? [choice.text] : []))
}
