import { useState } from 'react'
import type { MergePiece } from '../../../authoring/merge.ts'
import { Button } from '../../ui/button.tsx'
import type { Contest } from './open-file.ts'
import css from './contest.module.css'

type Choice = 'mine' | 'theirs' | 'both'
type Conflict = Extract<MergePiece, { kind: 'conflict' }>

/** Lines that are shown of what nobody disputes, above and below what is. */
const context = 3

interface ContestProps {
  readonly contest: Contest
  /** With all decided. */
  readonly onSettle: (text: string) => Promise<void>
  readonly onPostpone: () => void
}

function linesOf({ mine, theirs }: Conflict, choice: Choice): readonly string[] {
  if (choice === 'mine') return mine
  if (choice === 'theirs') return theirs
  const last = mine.at(-1)
  // A text may end without a line end, and what follows must not run into it.
  const ended = last === undefined || last.endsWith('\n') ? mine : [...mine.slice(0, -1), `${last}\n`]
  return [...ended, ...theirs]
}

/** What two people wrote in the same place, side by side: each is decided by whoever saves last. */
export function ContestView({ contest, onSettle, onPostpone }: ContestProps) {
  const { pieces, who } = contest
  const [choices, setChoices] = useState<ReadonlyMap<number, Choice>>(new Map())
  const [busy, setBusy] = useState(false)
  const numbers = pieces.flatMap((piece, index) => (piece.kind === 'conflict' ? [index] : []))
  const open = numbers.filter((index) => !choices.has(index)).length

  const settle = (): void => {
    const lines = pieces.flatMap((piece, index) =>
      piece.kind === 'settled' ? piece.lines : linesOf(piece, choices.get(index) ?? 'both'),
    )
    setBusy(true)
    void onSettle(lines.join('')).finally(() => setBusy(false))
  }

  return (
    <section className={css['contest']} aria-label="Conflict">
      <header className={css['head']}>
        <div>
          <h2>{who.replace(/,$/, '')} changed the same lines</h2>
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
            <Sides
              key={index}
              piece={piece}
              who={who}
              number={numbers.indexOf(index) + 1}
              all={numbers.length}
              choice={choices.get(index)}
              onChoose={(choice) => setChoices(new Map(choices).set(index, choice))}
            />
          ),
        )}
      </div>
    </section>
  )
}

interface SettledProps {
  readonly lines: readonly string[]
  readonly isFirst: boolean
  readonly isLast: boolean
}

function Settled({ lines, isFirst, isLast }: SettledProps) {
  const head = isFirst ? [] : lines.slice(0, context)
  const tail = isLast ? [] : lines.slice(Math.max(head.length, lines.length - context))
  const hidden = lines.length - head.length - tail.length
  return (
    <>
      {head.length === 0 ? null : <pre className={css['settled']}>{head.join('')}</pre>}
      {hidden === 0 ? null : (
        <p className={css['hidden']}>
          {hidden} {hidden === 1 ? 'line' : 'lines'} without conflict
        </p>
      )}
      {tail.length === 0 ? null : <pre className={css['settled']}>{tail.join('')}</pre>}
    </>
  )
}

interface SidesProps {
  readonly piece: Conflict
  readonly who: string
  readonly number: number
  readonly all: number
  readonly choice: Choice | undefined
  readonly onChoose: (choice: Choice) => void
}

function Sides({ piece, who, number, all, choice, onChoose }: SidesProps) {
  const name = who.replace(/,$/, '')
  const button = (value: Choice, label: string) => (
    <Button
      size="small"
      look={choice === value ? 'primary' : 'secondary'}
      aria-pressed={choice === value}
      onClick={() => onChoose(value)}
    >
      {label}
    </Button>
  )
  const side = (value: 'mine' | 'theirs', label: string) => (
    <div className={css['side']} data-taken={choice === undefined ? undefined : choice === value || choice === 'both'}>
      <h4>{label}</h4>
      <pre>{piece[value].length === 0 ? <em>Nothing: these lines are deleted.</em> : piece[value].join('')}</pre>
    </div>
  )
  return (
    <div className={css['piece']} role="group" aria-label={`Conflict ${number} of ${all}`}>
      <h3>
        Conflict {number} of {all}
      </h3>
      <div className={css['sides']}>
        {side('mine', 'Yours')}
        {side('theirs', name)}
      </div>
      <div className={css['choices']}>
        {button('mine', 'Keep yours')}
        {button('theirs', 'Take theirs')}
        {button('both', 'Keep both')}
      </div>
    </div>
  )
}
