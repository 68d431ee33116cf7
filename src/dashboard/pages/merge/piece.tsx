import { PencilLine } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import { resultOf, type Choice, type ConflictPiece, type PieceDecision } from '../../../authoring/merge-pieces.ts'
import { changedWords } from '../../../authoring/merge-words.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import css from './merge.module.css'

type Way = 'mine' | 'theirs' | 'both' | 'text'
const allWays: readonly Way[] = ['mine', 'theirs', 'both', 'text']

interface PieceProps {
  /** “1 of 3”. */
  readonly title: string
  readonly piece: ConflictPiece
  /** Names of the sides: a branch, and main where nothing else is said. */
  readonly mine: string
  readonly theirs?: string
  /** What can be decided; all where nothing else is said. */
  readonly ways?: readonly Way[]
  readonly decision: PieceDecision | undefined
  /** @param decision undefined: it is open again */
  readonly onDecide: (decision: Omit<PieceDecision, 'piece'> | undefined) => void
}

/** Lines that both sides changed: what they were, what each made of them, and what they become. */
export function Piece({ title, piece, decision, onDecide, ways = allWays, ...names }: PieceProps) {
  const { base, mine, theirs } = piece
  const sides = { mine: names.mine, theirs: names.theirs ?? 'main' }
  const words = useMemo(() => changedWords(mine.join(''), theirs.join('')), [mine, theirs])
  const choice = decision?.choice
  const taken = choice !== undefined && 'take' in choice ? choice.take : undefined
  const isWriting = decision?.writing === true
  const take = (side: 'mine' | 'theirs' | 'both'): void =>
    onDecide(taken === side ? undefined : { choice: { take: side } })
  const write = (): void => onDecide({ choice: { text: resultOf(piece, choice ?? { take: 'both' }) }, writing: true })
  const buttons = [
    ['mine', `Use ${sides.mine}`],
    ['theirs', `Use ${sides.theirs}`],
    ['both', 'Use both'],
  ] as const
  return (
    <section className={classes(css['piece'], choice !== undefined && !isWriting && css['decided'])} aria-label={title}>
      <h4>
        {title} <span className="soft">{stateWords(choice, isWriting, sides)}</span>
      </h4>
      <div className={css['sides']}>
        {base === undefined ? null : <Side name="Before">{base.join('')}</Side>}
        <Side name={sides.mine} look={css['mine']}>
          {mine.length === 0 ? null : <Words lines={mine} changed={words.mine} />}
        </Side>
        <Side name={sides.theirs} look={css['theirs']}>
          {theirs.length === 0 ? null : <Words lines={theirs} changed={words.theirs} />}
        </Side>
      </div>
      <div className={css['buttons']}>
        {buttons
          .filter(([side]) => ways.includes(side))
          .map(([side, label]) => (
            <Button
              key={side}
              size="small"
              className={css['choice']}
              aria-pressed={taken === side}
              onClick={() => take(side)}
            >
              {label}
            </Button>
          ))}
        {ways.includes('text') ? (
          <Button
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

interface SideNames {
  readonly mine: string
  readonly theirs: string
}

function stateWords(choice: Choice | undefined, isWriting: boolean, { mine, theirs }: SideNames): string {
  if (choice === undefined) return 'to be decided'
  if (isWriting) return 'being written'
  if ('text' in choice) return 'as you wrote it'
  return { mine: `as ${mine} has it`, theirs: `as ${theirs} has it`, both: `as ${mine} has it, then ${theirs}` }[
    choice.take
  ]
}

interface SideProps {
  readonly name: string
  readonly look?: string | undefined
  readonly children: ReactNode
}

function Side({ name, look, children }: SideProps) {
  return (
    <div className={classes(css['side'], look)}>
      <h5>{name}</h5>
      {children === null || children === '' ? (
        <p className="soft">Nothing: the lines are gone.</p>
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
