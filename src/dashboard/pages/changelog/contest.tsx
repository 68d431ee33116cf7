import type { ReadEntry } from '../../../contract/changelog.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { differing, wordsOf, type EntryWords } from './entry-words.ts'
import css from './entry.module.css'

interface ContestProps {
  readonly mine: EntryWords
  readonly theirs: ReadEntry
  readonly onMine: () => void
  readonly onTheirs: () => void
}

const labels = { title: 'Title', version: 'Version', tags: 'Tags', content: 'Text' } as const

/** What two people wrote of one entry, side by side. Nothing is saved until one of them says what stays. */
export function Contest({ mine, theirs, onMine, onTheirs }: ContestProps) {
  const others = wordsOf(theirs)
  return (
    <Card
      tone="danger"
      title="Somebody else changed this entry"
      description={
        <>
          They saved <Time at={theirs.updated_at} />, while you were writing. Nothing of yours is saved yet: take over
          below what you want of theirs, then keep yours.
        </>
      }
      actions={
        <>
          <Button look="primary" size="small" onClick={onMine}>
            Keep mine
          </Button>
          <Button size="small" onClick={onTheirs}>
            Take theirs
          </Button>
        </>
      }
    >
      {differing(mine, others).map((name) => (
        <section key={name} className={css['sides']} aria-label={labels[name]}>
          <Side label={`Yours: ${labels[name]}`} value={mine[name]} />
          <Side label={`Theirs: ${labels[name]}`} value={others[name]} />
        </section>
      ))}
    </Card>
  )
}

function Side({ label, value }: { readonly label: string; readonly value: string | readonly string[] }) {
  const text = typeof value === 'string' ? value : value.join(', ')
  return (
    <div>
      <h3>{label}</h3>
      <pre tabIndex={0} role="group" aria-label={label}>
        {text === '' ? 'None' : text}
      </pre>
    </div>
  )
}
