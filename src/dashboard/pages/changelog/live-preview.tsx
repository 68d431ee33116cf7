import { useQuery } from '@tanstack/react-query'
import type { ReadEntry } from '#contract/changelog.ts'
import { Failure } from '#contract/failure.ts'
import { isFailure, messageOf } from '../../client.ts'
import type { EntryWords } from '../../drafts/entry-words.ts'
import { entryPreviewQuery } from '../../queries/changelog.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { EntryPreview } from './entry-preview.tsx'
import css from './entry.module.css'

/** How long somebody pauses before what they typed is rendered. */
const pauseMs = 350

interface LivePreviewProps {
  readonly words: EntryWords
  readonly entry: ReadEntry | undefined
  /** Leads to a place in the text, from 1. */
  readonly onPlace: (line: number, column: number) => void
}

/** What is typed as readers would see it. */
export function LivePreview({ words, entry, onPlace }: LivePreviewProps) {
  const { slug, url } = useProject()
  const { title, content } = useDebounced(words, pauseMs)
  const isSaved = entry?.title === title && entry.content === content
  const query = entryPreviewQuery(slug, title, content)
  const { data, error, isPlaceholderData } = useQuery({ ...query, enabled: !isSaved && content.trim() !== '' })
  if (content.trim() === '') return <p className="soft">What you write is shown here as your readers will see it.</p>
  const html = isSaved ? entry.html : data?.html
  return (
    <>
      {error === null || isSaved ? null : <Refusal error={error} onPlace={onPlace} />}
      {html === undefined ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <div className={css['rendered']} aria-busy={isPlaceholderData && !isSaved}>
          <EntryPreview
            words={words}
            publishedAt={entry?.status === 'draft' ? undefined : entry?.published_at}
            html={html}
            siteUrl={url}
          />
        </div>
      )}
    </>
  )
}

/** Why the text cannot be shown; each place leads there. */
function Refusal({ error, onPlace }: { readonly error: Error; readonly onPlace: LivePreviewProps['onPlace'] }) {
  const places = error instanceof Failure && isFailure(error, 'invalid_content') ? error.errors.slice(0, 5) : []
  if (places.length === 0) return <Notice tone="danger">{messageOf(error)}</Notice>
  return (
    <Notice tone="danger" title="The text cannot be shown as it is">
      <ul className={css['places']}>
        {places.map(({ line, column = 1, message }, index) => (
          <li key={index}>
            {line === undefined ? null : (
              <button type="button" className="link" onClick={() => onPlace(line, column)}>
                Line {line}
              </button>
            )}{' '}
            {message}
          </li>
        ))}
      </ul>
      {error instanceof Failure ? error.hint : null}
    </Notice>
  )
}
