import { useInfiniteQuery } from '@tanstack/react-query'
import { Eye, PencilLine } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { ReadEntry } from '#contract/changelog.ts'
import { Failure } from '#contract/failure.ts'
import { isFailure, messageOf } from '../../client.ts'
import { areSame, wordsOf } from '../../drafts/entry-words.ts'
import { paths } from '../../paths.ts'
import { entriesQuery } from '../../queries/changelog.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSaveKey } from '../../ui/use-save-key.ts'
import { EntryActions } from './entry-actions.tsx'
import { EntryState } from './entry-state.tsx'
import { KeptNotices } from './kept-notices.tsx'
import { LivePreview } from './live-preview.tsx'
import { TagsField } from './tags-field.tsx'
import { useEntryDraft, type Publication } from './use-entry-draft.ts'
import { WritingArea } from './writing-area.tsx'
import css from './entry.module.css'

// What merges texts is heavy, and seldom needed.
const EntryConflict = lazy(() => import('./entry-conflict.tsx').then((module) => ({ default: module.EntryConflict })))

interface EntryEditorProps {
  readonly account: string
  readonly keptAs: string
  /** Undefined: a save makes a new one. */
  readonly entry: ReadEntry | undefined
  /** It was there, and somebody deleted it. */
  readonly isGone: boolean
  readonly onMade: (id: string) => void
}

/** Fields of an entry with a preview beside them, and what can be done with it. */
export function EntryEditor({ account, keptAs, entry, isGone, onMade }: EntryEditorProps) {
  const { slug } = useProject()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const draft = useEntryDraft({ slug, account, keptAs, entry })
  const { words, write, theirs } = draft
  const [error, setError] = useState<unknown>()
  const [isPreview, setPreview] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const inUse = useTagsInUse(slug)

  /** Saves what is typed; throws what the service refuses. */
  const save = async (publication?: Publication): Promise<ReadEntry> => {
    setError(undefined)
    const saved = await draft.save(publication)
    if (entry === undefined) {
      onMade(saved.id)
      // Who has gone elsewhere meanwhile stays there.
      if (location.pathname === pathname) void navigate(paths.entry(slug, saved.id), { replace: true })
    }
    return saved
  }
  const [isSaving, setSaving] = useState(false)
  const saveWords = async (): Promise<void> => {
    if (isSaving) return
    setSaving(true)
    try {
      const { status } = await save()
      toast.done(status === 'published' ? 'Saved: readers see it.' : 'Saved.')
    } catch (failure) {
      setError(failure)
    } finally {
      setSaving(false)
    }
  }
  useSaveKey(saveWords)

  const title = words.title === '' ? (entry === undefined ? 'New entry' : 'Untitled') : words.title
  return (
    <Page
      title={title}
      width="wide"
      heading={
        <span className={css['heading']}>
          {title} <EntryState status={entry?.status ?? 'draft'} />
        </span>
      }
      actions={
        <EntryActions entry={entry} draft={draft} save={save} isSaving={isSaving} onSave={() => void saveWords()} />
      }
    >
      <KeptNotices draft={draft} isGone={isGone} />
      {error === undefined || (theirs !== undefined && isFailure(error, 'stale_entry')) ? null : (
        <Notice tone="danger">{messageOf(error)}</Notice>
      )}
      {theirs === undefined ? null : (
        <Suspense fallback={<Skeleton />}>
          <EntryConflict
            base={draft.base}
            mine={words}
            theirs={theirs}
            onSettle={(settled) => {
              setError(undefined)
              const undo = draft.settle(settled)
              const said = areSame(settled, wordsOf(theirs))
                ? 'You have their text now.'
                : 'It is in the fields below. Look at it, then save.'
              toast.done(said, () => Promise.resolve(undo()))
            }}
          />
        </Suspense>
      )}
      <div className={css['switch']} role="group" aria-label="Show">
        <Button size="small" icon={PencilLine} aria-pressed={!isPreview} onClick={() => setPreview(false)}>
          Write
        </Button>
        <Button size="small" icon={Eye} aria-pressed={isPreview} onClick={() => setPreview(true)}>
          Preview
        </Button>
      </div>
      <div className={css['panes']}>
        <div className={classes(css['fields'], isPreview && css['behind'])}>
          <TextField
            name="title"
            label="Title"
            value={words.title}
            error={errorAt(error, 'title')}
            maxLength={200}
            autoComplete="off"
            placeholder="Faster search"
            onChange={(event) => write({ title: event.target.value })}
          />
          <div className={css['pair']}>
            <TextField
              name="version"
              label="Version"
              value={words.version}
              error={errorAt(error, 'version')}
              maxLength={100}
              autoComplete="off"
              placeholder="2.4.0"
              onChange={(event) => write({ version: event.target.value })}
            />
            <TagsField words={words} inUse={inUse} error={errorAt(error, 'tags')} onChange={write} />
          </div>
          <WritingArea
            value={words.content}
            area={area}
            error={errorAt(error, 'content')}
            onChange={(content) => write({ content })}
          />
        </div>
        <section className={classes(css['preview'], !isPreview && css['behind'])} aria-label="Preview" tabIndex={0}>
          <LivePreview
            words={words}
            entry={entry}
            onPlace={(line, column) => {
              setPreview(false)
              if (area.current !== null) showPlace(area.current, line, column)
            }}
          />
        </section>
      </div>
    </Page>
  )
}

/** What the service says of a field. */
function errorAt(error: unknown, field: string): string | undefined {
  if (!(error instanceof Failure)) return undefined
  const place = error.errors.find(({ pointer }) => pointer?.split('/')[1] === field)
  if (place === undefined) return undefined
  return place.line === undefined ? place.message : `Line ${place.line}: ${place.message}`
}

/** Tags of the newest entries. */
function useTagsInUse(slug: string): readonly string[] {
  const { data } = useInfiniteQuery(entriesQuery(slug))
  const tags = data?.flatMap((entry) => entry.tags) ?? []
  return [...new Set(tags)].toSorted((a, b) => a.localeCompare(b))
}

/** @param line from 1, as `column` */
function showPlace(area: HTMLTextAreaElement, line: number, column: number): void {
  const before = area.value.split('\n').slice(0, line - 1)
  const at = before.reduce((length, text) => length + text.length + 1, 0) + column - 1
  // After what hid it is gone.
  requestAnimationFrame(() => {
    area.focus()
    area.setSelectionRange(at, at)
  })
}
