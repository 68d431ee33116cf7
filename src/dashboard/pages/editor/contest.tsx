import { useState } from 'react'
import { mergedText, type PieceDecision } from '../../../authoring/merge-pieces.ts'
import { Button } from '../../ui/button.tsx'
import { Piece, Settled, wordsBeside } from '../../ui/merge-piece.tsx'
import type { Contest } from './open-file-state.ts'
import css from './contest.module.css'

type Decision = Omit<PieceDecision, 'piece'>

interface ContestProps {
  readonly contest: Contest
  /** With all decided. */
  readonly onSettle: (text: string) => Promise<void>
  readonly onPostpone: () => void
}

/** What two people wrote in the same place, side by side: each is decided by whoever saves last. */
export function ContestView({ contest, onSettle, onPostpone }: ContestProps) {
  const { pieces } = contest
  const who = contest.who.replace(/,$/, '')
  const [decisions, setDecisions] = useState<ReadonlyMap<number, Decision>>(new Map())
  const [busy, setBusy] = useState(false)
  const numbers = pieces.flatMap((piece, index) => (piece.kind === 'conflict' ? [index] : []))
  const choices = numbers.map((index) => {
    const decision = decisions.get(index)
    return decision?.writing === true ? undefined : decision?.choice
  })
  const open = choices.filter((choice) => choice === undefined).length
  const text = mergedText(pieces, choices)

  const decide = (index: number, decision: Decision | undefined): void => {
    const next = new Map(decisions)
    if (decision === undefined) next.delete(index)
    else next.set(index, decision)
    setDecisions(next)
  }
  const settle = (): void => {
    if (text === undefined) return
    setBusy(true)
    void onSettle(text).finally(() => setBusy(false))
  }

  return (
    <section className={css['contest']} aria-label="Conflict">
      <header className={css['head']}>
        <div>
          <h3>{contest.who} changed the same lines</h3>
          <p className="soft">
            Choose what stays, place by place. Nothing is saved until you do, and your text is kept in this browser.
          </p>
        </div>
        <div className={css['actions']}>
          <Button look="primary" size="small" disabled={open > 0} busy={busy} onClick={settle}>
            {open === 0 ? 'Save the result' : `${open} to decide`}
          </Button>
          <Button size="small" onClick={onPostpone}>
            Back to my text
          </Button>
        </div>
      </header>
      <div className={css['pieces']}>
        {pieces.map((piece, index) =>
          piece.kind === 'settled' ? (
            <Settled key={index} lines={piece.lines} isFirst={index === 0} isLast={index === pieces.length - 1} />
          ) : (
            <Piece
              key={index}
              title={`${numbers.indexOf(index) + 1} of ${numbers.length}`}
              piece={piece}
              words={wordsBeside(who)}
              decision={pieceDecision(index, decisions.get(index))}
              onDecide={(decision) => decide(index, decision)}
            />
          ),
        )}
      </div>
    </section>
  )
}

function pieceDecision(index: number, decision: Decision | undefined): PieceDecision | undefined {
  return decision && { piece: String(index), ...decision }
}
