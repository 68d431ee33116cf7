import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { choicesOf, mergedText, pieceNames, type PieceDecision } from '#authoring/merge-pieces.ts'
import { Button } from '../../ui/button.tsx'
import { wordsBeside } from '../../ui/merge-piece.tsx'
import { MergePieces } from '../../ui/merge-pieces.tsx'
import type { EditConflict } from './open-file-state.ts'
import css from './edit-conflict.module.css'

interface EditConflictProps {
  readonly conflict: EditConflict
  readonly onDecide: (decisions: readonly PieceDecision[]) => void
  /** With all decided. */
  readonly onSettle: (text: string) => Promise<void>
  readonly onPostpone: () => void
}

/** What two people wrote in the same place, side by side: each is decided by whoever saves last. */
export function EditConflictView({ conflict, onDecide, onSettle, onPostpone }: EditConflictProps) {
  const { pieces, decisions } = conflict
  const who = conflict.who.replace(/,$/, '')
  const [busy, setBusy] = useState(false)
  const names = useMemo(() => pieceNames(pieces.filter((piece) => piece.kind === 'conflict')), [pieces])
  const choices = choicesOf(names, decisions)
  const open = choices.filter((choice) => choice === undefined).length
  const text = mergedText(pieces, choices)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    // Whoever types in the text while it is taken away goes on for a few letters: they are meant for nothing else.
    if (isFocusLost()) heading.current?.focus()
  }, [])

  const settle = (): void => {
    if (text === undefined) return
    setBusy(true)
    void onSettle(text).finally(() => setBusy(false))
  }

  return (
    <section className={css['conflict']} aria-label="Conflict">
      <header className={css['head']}>
        <div>
          <h3 ref={heading} tabIndex={-1} data-single-keys="off">
            {titleOf(conflict, names.length)}
          </h3>
          <p className="soft">
            {names.length === 0
              ? 'Nothing is to be decided any more. What you wrote for the lines is below the text.'
              : 'Choose what stays, place by place. Nothing is saved until you do.'}
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
        <MergePieces {...{ pieces, names, decisions, onDecide }} words={wordsBeside(who)} />
      </div>
    </section>
  )
}

/** It is nowhere, or where it is of no use. */
export function isFocusLost(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body || activeElement.matches('[hidden] *, :disabled')
}

function titleOf({ who, theirs }: EditConflict, conflicts: number): string {
  if (theirs.oid === null) return `${who} deleted this file`
  return conflicts === 0 ? `${who} saved again: nothing is in conflict` : `${who} changed the same lines`
}
