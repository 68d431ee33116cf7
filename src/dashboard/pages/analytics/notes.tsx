import { useInfiniteQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import type { FeedbackNote } from '#contract/analytics.ts'
import { notesQuery, removeNote } from '../../queries/analytics.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Filters, useFilter, type FilterOptions } from '../../ui/filters.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { More } from '../../ui/more.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { addressOf } from './address.ts'
import css from './analytics.module.css'

const answers: FilterOptions<'yes' | 'no'> = [
  [undefined, 'All'],
  ['no', 'Not helpful'],
  ['yes', 'Helpful'],
]

/** What readers wrote: plain text of anybody. @param url of the site */
export function Notes({ slug, url }: { readonly slug: string; readonly url: string }) {
  const helpful = useFilter('helpful', answers)
  const query = useInfiniteQuery(notesQuery(slug, helpful))
  return (
    <section className={css['notes']} aria-labelledby="notes">
      <header>
        <h2 id="notes">Notes of readers</h2>
        <Filters label="Which notes" name="helpful" options={answers} />
      </header>
      <Loaded query={query}>
        {(notes) =>
          notes.length === 0 ? (
            <p className="soft">
              {helpful === undefined ? 'Nobody has written anything yet.' : 'There are no notes with this answer.'}
            </p>
          ) : (
            <Rows label="Notes of readers">
              {notes.map((note) => (
                <Note key={note.id} note={note} url={url} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <More query={query} />
    </section>
  )
}

function Note({ note: { id, at, path, helpful, note }, url }: { readonly note: FeedbackNote; readonly url: string }) {
  const project = useProject()
  const [isDeleting, setDeleting] = useDialog('delete', id)
  return (
    <Row
      title={<span className={css['note']}>{note}</span>}
      detail={
        <>
          <a href={addressOf(url, path)} target="_blank" rel="noreferrer">
            {path}
          </a>
          , <Time at={at} />
        </>
      }
      {...(may(project, 'write')
        ? {
            tools: (
              <IconButton
                size="small"
                icon={Trash2}
                label={`Delete the note on ${path}`}
                onClick={() => setDeleting(true)}
              />
            ),
          }
        : {})}
    >
      <Badge tone={helpful ? 'success' : 'warning'}>{helpful ? 'Helpful' : 'Not helpful'}</Badge>
      <Confirm
        open={isDeleting}
        onOpenChange={setDeleting}
        title="Delete this note?"
        action="Delete note"
        danger
        onConfirm={async () => {
          await removeNote(project.slug, id)
          toast.done('The note is deleted.')
        }}
      >
        It is erased. The answer that came with it stays counted.
      </Confirm>
    </Row>
  )
}
