import type { MergePiece } from '../../authoring/merge.ts'
import { withDecision, writtenOf, type PieceDecision } from '../../authoring/merge-pieces.ts'
import { Snippet } from './copy.tsx'
import { Piece, type SideWords } from './merge-piece.tsx'
import { count } from './words.ts'
import css from './merge-piece.module.css'

interface MergePiecesProps {
  readonly pieces: readonly MergePiece[]
  /** Of the pieces in conflict, in their order. */
  readonly names: readonly string[]
  readonly words: SideWords
  /** Also of pieces that are others now. */
  readonly decisions: readonly PieceDecision[]
  /** They are not asked for: the whole text is decided in another way. */
  readonly isIdle?: boolean
  readonly onDecide: (decisions: PieceDecision[]) => void
}

/** A text of two sides: the pieces that are to be decided, with what nobody disputes between them. */
export function MergePieces({ pieces, names, words, decisions, isIdle = false, onDecide }: MergePiecesProps) {
  let number = -1
  return (
    <>
      {pieces.map((piece, index) => {
        if (piece.kind === 'settled')
          return <Settled key={index} lines={piece.lines} isFirst={index === 0} isLast={index === pieces.length - 1} />
        number += 1
        const name = names[number] ?? ''
        return (
          <Piece
            key={name}
            title={`${number + 1} of ${names.length}`}
            piece={piece}
            words={words}
            decision={isIdle ? undefined : decisions.find((one) => one.piece === name)}
            onDecide={(decision) => onDecide(withDecision(decisions, name, decision))}
          />
        )
      })}
      <Unplaced decisions={decisions} names={names} />
    </>
  )
}

interface UnplacedProps {
  readonly decisions: readonly PieceDecision[]
  /** Of the pieces that there are now. */
  readonly names: readonly string[]
}

/** What was written for pieces that are others now: nobody is to write it again. */
function Unplaced({ decisions, names }: UnplacedProps) {
  const texts = new Set(writtenOf(decisions.filter(({ piece }) => !names.includes(piece))))
  return [...texts].map((text) => (
    <div key={text}>
      <p className="soft">You wrote this for lines that are others now. Copy it if you still need it.</p>
      <Snippet label="your text">{text}</Snippet>
    </div>
  ))
}

/** Lines that are shown of what nobody disputes, above and below what is. */
const contextLines = 3

interface SettledProps {
  readonly lines: readonly string[]
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** What nobody disputes: a few lines around the pieces, the rest when it is asked for. */
function Settled({ lines, isFirst, isLast }: SettledProps) {
  const head = isFirst ? 0 : contextLines
  const tail = isLast ? 0 : contextLines
  if (lines.length <= head + tail + 1) return <pre className={css['settledLines']}>{lines.join('')}</pre>
  const hidden = lines.slice(head, lines.length - tail)
  return (
    <div className={css['settledLines']}>
      {head === 0 ? null : <pre>{lines.slice(0, head).join('')}</pre>}
      <details>
        <summary>{count(hidden.length, 'more line')}</summary>
        <pre>{hidden.join('')}</pre>
      </details>
      {tail === 0 ? null : <pre>{lines.slice(-tail).join('')}</pre>}
    </div>
  )
}
