import { useQueryClient } from '@tanstack/react-query'
import { CalendarClock, ExternalLink, MoreHorizontal, Rocket, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { ReadEntry } from '#contract/changelog.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { client, isFailure } from '../../client.ts'
import { paths } from '../../paths.ts'
import { entriesKey, entryQuery } from '../../queries/changelog.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { toast } from '../../ui/toasts.tsx'
import { DateDialog, PublishDialog } from './publish-dialog.tsx'
import type { EntryDraft, Publication } from './use-entry-draft.ts'
import { timeInWords } from './zone.ts'
import css from './entry.module.css'

interface EntryActionsProps {
  readonly entry: ReadEntry | undefined
  readonly draft: EntryDraft
  /** Saves what is typed with what is said of its publication. */
  readonly save: (publication?: Publication) => Promise<ReadEntry>
  readonly isSaving: boolean
  readonly onSave: () => void
}

const saveLabels = { draft: 'Save draft', scheduled: 'Save changes', published: 'Save changes' } as const

/** Saves an entry, and decides whether and when it is seen. */
export function EntryActions({ entry, draft, save, isSaving, onSave }: EntryActionsProps) {
  const [dialog, setDialog] = useSearchParam('dialog')
  const show = (name: 'publish' | 'date' | undefined): void => setDialog(name, { replace: true })
  const [isDeleting, setDeleting] = useState(false)
  const remove = useRemove(entry)
  const status = entry?.status ?? 'draft'
  const isWritten = draft.words.title.trim() !== '' && draft.words.content.trim() !== ''
  const isHeld = draft.theirs !== undefined

  const { setPublication } = draft
  const publish = async (publication: Publication): Promise<void> => {
    const saved = await save(publication)
    if (saved.status === 'published') {
      toast.done('Published: readers see it.')
      return
    }
    const { id, published_at: at = '', updated_at: seen } = saved
    toast.done(`It appears on ${timeInWords(at)}.`, () => setPublication(id, { is_draft: true }, seen))
  }
  /** @param before what brings it back, where something does */
  const change = async (publication: Publication, said: string, before: Publication | undefined): Promise<void> => {
    if (entry === undefined) return
    const { id, updated_at: seen } = await setPublication(entry.id, publication, entry.updated_at)
    toast.done(said, before === undefined ? undefined : () => setPublication(id, before, seen))
  }
  const at = entry?.published_at
  const dated = at === undefined ? undefined : { published_at: at }
  const withdraw = (): Promise<void> =>
    change({ is_draft: true }, 'It is a draft again: readers do not see it any more.', { is_draft: false, ...dated })
  const changeDate = (to: string): Promise<void> => change({ published_at: to }, 'The date is changed.', dated)
  return (
    <>
      <p className={css['saved']} role="status">
        {draft.isDirty ? 'Not saved yet' : entry === undefined ? '' : 'Saved'}
      </p>
      {entry === undefined ? null : (
        <Menu
          trigger={<IconButton icon={MoreHorizontal} label="More actions" look="secondary" />}
          entries={entriesOf(entry, {
            isHeld,
            onDate: () => show('date'),
            onWithdraw: () => void withdraw().catch(toast.failed),
            onDelete: () => setDeleting(true),
          })}
        />
      )}
      <Button
        look={status === 'published' ? 'primary' : 'secondary'}
        busy={isSaving}
        disabled={!draft.isDirty || !isWritten || isHeld}
        onClick={onSave}
      >
        {saveLabels[status]}
      </Button>
      {status === 'published' ? null : (
        <Button
          look="primary"
          icon={status === 'draft' ? Rocket : CalendarClock}
          disabled={!isWritten || isHeld}
          onClick={() => show('publish')}
        >
          {status === 'draft' ? 'Publish' : 'Change time'}
        </Button>
      )}
      <PublishDialog
        open={dialog === 'publish' && status !== 'published' && isWritten && !isHeld}
        onOpenChange={() => show(undefined)}
        entry={entry}
        onPublish={publish}
      />
      <DateDialog
        open={dialog === 'date' && status === 'published' && !isHeld}
        onOpenChange={() => show(undefined)}
        at={entry?.published_at ?? new Date().toISOString()}
        onChange={changeDate}
      />
      <Confirm
        open={isDeleting}
        onOpenChange={setDeleting}
        title={`Delete “${entry?.title ?? ''}”?`}
        action="Delete entry"
        danger
        onConfirm={remove}
      >
        It leaves the public page and the feeds for good, with its text. To take it off the page and keep it, unpublish
        it instead.
      </Confirm>
    </>
  )
}

interface MenuActs {
  readonly isHeld: boolean
  readonly onDate: () => void
  readonly onWithdraw: () => void
  readonly onDelete: () => void
}

function entriesOf({ status, url }: ReadEntry, { isHeld, onDate, onWithdraw, onDelete }: MenuActs): MenuEntry[] {
  const isDraft = status === 'draft'
  return [
    ...(status === 'published'
      ? ([
          {
            kind: 'action',
            label: 'Open its page',
            icon: ExternalLink,
            onSelect: () => open(url, '_blank', 'noreferrer'),
          },
          { kind: 'action', label: 'Change the date', icon: CalendarClock, disabled: isHeld, onSelect: onDate },
        ] as const)
      : []),
    ...(isDraft
      ? []
      : ([
          {
            kind: 'action',
            label: status === 'published' ? 'Unpublish' : 'Back to draft',
            icon: Undo2,
            disabled: isHeld,
            onSelect: onWithdraw,
          },
          { kind: 'separator' },
        ] as const)),
    { kind: 'action', label: 'Delete', icon: Trash2, danger: true, onSelect: onDelete },
  ]
}

function useRemove(entry: ReadEntry | undefined): () => Promise<void> {
  const { slug } = useProject()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    if (entry === undefined) return
    const { queryKey } = entryQuery(slug, entry.id)
    // What somebody wrote since this page showed it does not go with it.
    const query = { id: entry.id, if_updated_at: entry.updated_at }
    await client.call(contract.changelog.remove, { params: { slug }, query }).catch(async (error: unknown) => {
      if (!isFailure(error, 'stale_entry')) throw error
      await queries.invalidateQueries({ queryKey })
      throw new Failure(error.code, 'Somebody changed this entry since it was shown here. Nothing was deleted.', {
        hint: 'Look at it as it is now, then delete it if it is still to go.',
        cause: error,
      })
    })
    // Who has gone elsewhere meanwhile stays there.
    if (location.pathname === paths.entry(slug, entry.id)) await navigate(paths.entries(slug))
    queries.removeQueries({ queryKey })
    await queries.invalidateQueries({ queryKey: [...entriesKey(slug), 'list'] })
    toast.done(`“${entry.title}” is deleted.`)
  }
}
