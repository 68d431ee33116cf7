import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import type { PieceDecision } from '#authoring/merge-pieces.ts'
import { type KeptDecision as Kept, textsOf } from '#authoring/pending-conflicts.ts'

const Oid = Type.Union([Type.String(), Type.Null()])
const Decision = Type.Union([
  Type.Object({ use: Type.Union([Type.Literal('branch'), Type.Literal('main')]) }),
  Type.Object({ content: Type.String() }),
])

/** What is in conflict: a branch with main, or a text with what somebody else saved in its place. */
export const DecisionPlace = Type.Object({
  slug: Type.String(),
  /** Or what stands in its place for a changelog. */
  branchId: Type.String(),
  /** Of the text. */
  path: Type.Optional(Type.String()),
})
export type DecisionPlace = Readonly<Static<typeof DecisionPlace>>

const Taken = Type.Union([Type.Literal('mine'), Type.Literal('theirs'), Type.Literal('both')])

const Piece = Type.Object({
  piece: Type.String(),
  choice: Type.Union([Type.Object({ take: Taken }), Type.Object({ text: Type.String() })]),
  writing: Type.Optional(Type.Literal(true)),
})

export const KeptDecision = Type.Object({
  path: Type.String(),
  /** The blobs of both sides that it was made on. */
  seen: Type.Object({ main: Oid, branch: Oid }),
  /** Absent: some of its pieces are decided, and not all of them. */
  decision: Type.Optional(Decision),
  /** False: it is to be looked at again, or gone. */
  settled: Type.Boolean(),
  /** There was no conflict any more, and that was told. */
  gone: Type.Optional(Type.Literal(true)),
  /** What was done of its pieces, also what is being written: see `PieceDecision` of the panes. At most one is. */
  pieces: Type.Optional(Type.Array(Piece)),
})
export type KeptDecision = Kept

/** A text that somebody wrote by hand for a file. */
export interface WrittenText {
  readonly path: string
  readonly text: string
}

/**
 * What two terminals did of one conflict, of which neither knew the other: what was done later stands, and each text of
 * the earlier one stays, as that of its piece, or of a piece that there is not, so that it can be copied.
 */
export function joined(later: KeptDecision, earlier: KeptDecision): KeptDecision {
  const pieces: PieceDecision[] = [...(later.pieces ?? [])]
  const written = textsOf(later)
  const isKnown = (text: string): boolean => text.trim() === '' || written.some((known) => known.includes(text))
  let isNew = false
  const keepText = (text: string): void => {
    if (isKnown(text)) return
    pieces.push({ piece: `other-${createHash('sha256').update(text).digest('hex').slice(0, 20)}`, choice: { text } })
    isNew = true
  }
  for (const one of earlier.pieces ?? []) {
    const isFree = pieces.every(({ piece }) => piece !== one.piece)
    const isSecond = one.writing === true && pieces.some(({ writing }) => writing === true)
    if (isFree && !isSecond) {
      pieces.push(one)
      isNew ||= 'text' in one.choice && !isKnown(one.choice.text)
    } else if ('text' in one.choice) keepText(one.choice.text)
  }
  const decision = later.decision ?? earlier.decision
  if (earlier.decision !== decision && earlier.decision !== undefined && 'content' in earlier.decision)
    keepText(earlier.decision.content)
  const settled = later.settled && !isNew
  return { ...later, settled, ...(decision === undefined ? {} : { decision }), pieces }
}
