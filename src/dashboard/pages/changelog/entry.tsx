import { useQuery } from '@tanstack/react-query'
import { FileX } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { isFailure } from '../../client.ts'
import { newEntryOf, EntryDraftStore } from '../../drafts/entry-drafts.ts'
import { paths } from '../../paths.ts'
import { meQuery } from '../../queries/account.ts'
import { entryQuery } from '../../queries/changelog.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { EntryEditor } from './entry-editor.tsx'

/** One entry to be written, or with `/entries/new` one that is to come. */
export function Component() {
  const { slug } = useProject()
  const { entry: id = '' } = useParams()
  const account = useQuery(meQuery).data?.account.id ?? ''
  const visit = useVisit(id)
  // What a save has just made is still what is being written, for as long as nothing else is opened.
  const [made, setMade] = useState<{ readonly id: string; readonly visit: number; readonly key: string }>()
  const isNew = id === 'new'
  const key = made?.id === id && visit === made.visit + 1 ? made.key : `${slug} ${id} ${isNew ? visit : ''}`
  const query = useQuery({ ...entryQuery(slug, id), enabled: !isNew })
  const isGone = isFailure(query.error, 'not_found')
  const keptAs = isNew ? newEntryOf(slug) : id

  if (isGone && query.data === undefined && new EntryDraftStore(account, keptAs).read() === undefined) {
    return (
      <Page title="No such entry">
        <Empty
          icon={FileX}
          title="There is no such entry"
          action={<LinkButton to={paths.entries(slug)}>All entries</LinkButton>}
        >
          It was deleted, or the address has a typing mistake.
        </Empty>
      </Page>
    )
  }
  if (!isNew && !isGone && query.data === undefined) {
    return (
      <Page title="Entry">
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  }
  return (
    <EntryEditor
      key={key}
      account={account}
      keptAs={keptAs}
      entry={isGone ? undefined : query.data}
      isGone={isGone}
      onMade={(saved) => setMade({ id: saved, visit, key })}
    />
  )
}

/** Counts how often another entry was opened on this page: a second new one is not the first. */
function useVisit(id: string): number {
  const [last, setLast] = useState({ id, count: 0 })
  if (last.id === id) return last.count
  const count = last.count + 1
  setLast({ id, count })
  return count
}
