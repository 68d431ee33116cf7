import { useMemo, useState } from 'react'
import type { Choice } from '#authoring/merge-pieces.ts'
import type { ReadEntry } from '#contract/changelog.ts'
import { wordsOf, type EntryWords } from '../../drafts/entry-words.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Piece, wordsBeside } from '../../ui/merge-piece.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../ui/words.ts'
import { mergeEntries, type EntryPiece } from './entry-merge.ts'
import css from './entry.module.css'

interface EntryConflictProps {
  /** What both began from; undefined: nobody knows any more. */
  readonly base: EntryWords | undefined
  readonly mine: EntryWords
  readonly theirs: ReadEntry
  readonly onSettle: (words: EntryWords) => void
}

const labels = { title: 'Title', version: 'Version', content: 'Text' } as const

/** What two people wrote of one entry, put together: what both changed is decided. Nothing is saved by it. */
export function EntryConflict({ base, mine, theirs, onSettle }: EntryConflictProps) {
  const others = useMemo(() => wordsOf(theirs), [theirs])
  const { conflicts, joined } = useMemo(() => mergeEntries(base, mine, others), [base, mine, others])
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const open = conflicts.filter(({ name }) => !choices.has(name)).length
  const words = joined(choices)
  const decide = (name: string, choice: Choice | undefined): void => {
    const next = new Map(choices)
    if (choice === undefined) next.delete(name)
    else next.set(name, choice)
    setChoices(next)
  }
  return (
    <Card
      tone="danger"
      title="Somebody else changed this entry"
      description={
        <>
          They saved <Time at={theirs.updated_at} />, while you were writing. Nothing of yours is saved yet.{' '}
          {conflicts.length === 0
            ? 'You wrote in different places: both go together.'
            : 'Where only one of you wrote, that is taken; say what stays where both did.'}
        </>
      }
      actions={
        <>
          <Button
            look="primary"
            size="small"
            disabled={words === undefined}
            onClick={() => words !== undefined && onSettle(words)}
          >
            {open === 0 ? 'Put both together' : `${open} to decide`}
          </Button>
          <Button size="small" onClick={() => onSettle(mine)}>
            Keep mine
          </Button>
          <Button size="small" onClick={() => onSettle(others)}>
            Take theirs
          </Button>
        </>
      }
    >
      {(['title', 'version', 'content'] as const).map((of) => (
        <Part
          key={of}
          label={labels[of]}
          places={conflicts.filter((one) => one.of === of)}
          choices={choices}
          onDecide={decide}
        />
      ))}
    </Card>
  )
}

interface PartProps {
  readonly label: string
  readonly places: readonly EntryPiece[]
  readonly choices: ReadonlyMap<string, Choice>
  readonly onDecide: (name: string, choice: Choice | undefined) => void
}

const words = wordsBeside('Theirs')

/** What is in conflict of one field. */
function Part({ label, places, choices, onDecide }: PartProps) {
  if (places.length === 0) return null
  return (
    <div className={css['conflict']}>
      <h3 className="visually-hidden">{label}</h3>
      {places.map(({ name, of, piece }, index) => {
        const choice = choices.get(name)
        return (
          <Piece
            key={name}
            title={places.length === 1 ? label : `${label}, ${index + 1} of ${count(places.length, 'place')}`}
            piece={piece}
            words={words}
            // The rest is written in the fields below, where it is kept.
            ways={of === 'content' ? ['mine', 'theirs', 'both'] : ['mine', 'theirs']}
            decision={choice === undefined ? undefined : { piece: name, choice }}
            onDecide={(decision) => onDecide(name, decision?.choice)}
          />
        )
      })}
    </div>
  )
}
