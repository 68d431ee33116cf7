import { PencilLine } from 'lucide-react'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { resultOf, type Choice, type ConflictPiece, type PieceDecision } from '../../authoring/merge-pieces.ts'
import { changedWords } from '../../authoring/merge-words.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { toast } from './toasts.tsx'
import css from './merge-piece.module.css'

type Taken = 'mine' | 'theirs' | 'both'

/** What the sides are called. */
export interface SideWords {
  readonly names: Readonly<Record<'mine' | 'theirs', string>>
  /** Of the buttons that take them. */
  readonly take: Readonly<Record<Taken, string>>
  /** What a piece is then, such as “as main has it”. */
  readonly taken: Readonly<Record<Taken, string>>
}

/** Of a text of the reader’s own beside somebody else’s. @param who wrote the other */
export function wordsBeside(who: string): SideWords {
  return {
    names: { mine: 'Yours', theirs: who },
    take: { mine: 'Keep yours', theirs: 'Take theirs', both: 'Keep both' },
    taken: { mine: 'as you have it', theirs: 'as they have it', both: 'as you have it, then as they do' },
  }
}

type Way = Taken | 'text'
const allWays: readonly Way[] = ['mine', 'theirs', 'both', 'text']

interface PieceProps {
  /** “1 of 3”. */
  readonly title: string
  readonly piece: ConflictPiece
  readonly words: SideWords
  /** What can be decided; all where nothing else is said. */
  readonly ways?: readonly Way[]
  readonly decision: PieceDecision | undefined
  /** @param decision undefined: it is open again */
  readonly onDecide: (decision: Omit<PieceDecision, 'piece'> | undefined) => void
}

/** Lines that both sides changed: what they were, what each made of them, and what they become. */
export function Piece({ title, piece, words, decision, onDecide: tell, ways = allWays }: PieceProps) {
  const onDecide = useWayBack(decision, tell)
  const { base, mine, theirs } = piece
  const changed = useMemo(() => changedWords(mine.join(''), theirs.join('')), [mine, theirs])
  const choice = decision?.choice
  const taken = choice !== undefined && 'take' in choice ? choice.take : undefined
  const isWriting = decision?.writing === true
  const hand = useRef<HTMLButtonElement>(null)
  const wasWriting = useRef(isWriting)
  useEffect(() => {
    // The button that ended it is gone with the text.
    if (wasWriting.current && !isWriting && document.activeElement === document.body) hand.current?.focus()
    wasWriting.current = isWriting
  }, [isWriting])
  const take = (side: Taken): void => onDecide(taken === side ? undefined : { choice: { take: side } })
  const write = (): void => onDecide({ choice: { text: resultOf(piece, choice ?? { take: 'both' }) }, writing: true })
  return (
    <section className={classes(css['piece'], choice !== undefined && !isWriting && css['decided'])} aria-label={title}>
      <h4>
        {title} <span className="soft">{stateWords(choice, isWriting, words)}</span>
      </h4>
      <div className={css['sides']}>
        {base === undefined ? null : (
          <Side name="Before" none="Nothing was here.">
            {base.join('')}
          </Side>
        )}
        <Side name={words.names.mine} look={css['mine']}>
          {mine.length === 0 ? null : <Words lines={mine} changed={changed.mine} />}
        </Side>
        <Side name={words.names.theirs} look={css['theirs']}>
          {theirs.length === 0 ? null : <Words lines={theirs} changed={changed.theirs} />}
        </Side>
      </div>
      <div className={css['buttons']}>
        {(['mine', 'theirs', 'both'] as const)
          .filter((side) => ways.includes(side))
          .map((side) => (
            <Button
              key={side}
              size="small"
              className={css['choice']}
              aria-pressed={taken === side}
              onClick={() => take(side)}
            >
              {words.take[side]}
            </Button>
          ))}
        {ways.includes('text') ? (
          <Button
            ref={hand}
            size="small"
            icon={PencilLine}
            className={css['choice']}
            aria-pressed={choice !== undefined && 'text' in choice}
            onClick={write}
          >
            Edit by hand
          </Button>
        ) : null}
      </div>
      {choice === undefined ? null : <Result {...{ title, piece, choice, isWriting, onDecide }} />}
    </section>
  )
}

/** A text that was written comes back with the undo of what takes its place. */
function useWayBack(decision: PieceDecision | undefined, onDecide: PieceProps['onDecide']): PieceProps['onDecide'] {
  const latest = useRef(onDecide)
  useEffect(() => {
    latest.current = onDecide
  })
  return (next) => {
    onDecide(next)
    if (decision === undefined || !('text' in decision.choice) || decision.choice.text.trim() === '') return
    if (next !== undefined && 'text' in next.choice) return
    const { piece: _piece, ...before } = decision
    toast.done('What you wrote is not used.', () => Promise.resolve(latest.current(before)))
  }
}

function stateWords(choice: Choice | undefined, isWriting: boolean, words: SideWords): string {
  if (choice === undefined) return 'to be decided'
  if (isWriting) return 'being written'
  if ('text' in choice) return 'as you wrote it'
  return words.taken[choice.take]
}

interface SideProps {
  readonly name: string
  readonly look?: string | undefined
  /** What is said where it has no lines. */
  readonly none?: string
  readonly children: ReactNode
}

function Side({ name, look, none = 'Nothing: the lines are gone.', children }: SideProps) {
  return (
    <div className={classes(css['side'], look)}>
      <h5>{name}</h5>
      {children === null || children === '' ? (
        <p className="soft">{none}</p>
      ) : (
        <pre className={css['text']}>{children}</pre>
      )}
    </div>
  )
}

/** Lines with the words marked that the other side has not. @param changed of each line, by UTF-16 unit */
function Words({ lines, changed }: { readonly lines: readonly string[]; readonly changed: boolean[][] }) {
  return lines.map((line, at) => <Line key={at} line={line} changed={changed[at] ?? []} />)
}

function Line({ line, changed }: { readonly line: string; readonly changed: readonly boolean[] }) {
  const parts: ReactNode[] = []
  for (let from = 0; from < line.length;) {
    const isChanged = changed[from] ?? false
    let to = from + 1
    while (to < line.length && (changed[to] ?? false) === isChanged) to++
    const text = line.slice(from, to)
    parts.push(isChanged && text.trim() !== '' ? <mark key={from}>{text}</mark> : text)
    from = to
  }
  return parts
}

interface ResultProps extends Pick<PieceProps, 'title' | 'piece' | 'onDecide'> {
  readonly choice: Choice
  readonly isWriting: boolean
}

function Result({ title, piece, choice, isWriting, onDecide }: ResultProps) {
  if (isWriting && 'text' in choice) {
    const { text } = choice
    return (
      <div className={css['writing']}>
        <textarea
          aria-label={`Your text for ${title}`}
          value={text}
          rows={Math.min(20, Math.max(4, text.split('\n').length + 1))}
          spellCheck={false}
          autoFocus
          onChange={(event) => onDecide({ choice: { text: event.target.value }, writing: true })}
        />
        <div className={css['buttons']}>
          <Button size="small" look="primary" onClick={() => onDecide({ choice })}>
            Take this text
          </Button>
          <Button size="small" onClick={() => onDecide(undefined)}>
            Discard
          </Button>
        </div>
      </div>
    )
  }
  const text = resultOf(piece, choice)
  return (
    <div className={css['becomes']}>
      <h5>Result</h5>
      {text === '' ? (
        <p className="soft">Nothing: the lines go.</p>
      ) : (
        <pre className={css['text']} tabIndex={0} role="group" aria-label={`Result of ${title}`}>
          {text}
        </pre>
      )}
    </div>
  )
}
