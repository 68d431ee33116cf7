import { useInfiniteQuery } from '@tanstack/react-query'
import { ExternalLink, Megaphone, Plus, SearchX, X } from 'lucide-react'
import { useSearchParams } from 'react-router'
import type { EntryStatus } from '../../../contract/changelog.ts'
import { paths } from '../../paths.ts'
import { entriesQuery } from '../../queries/changelog.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Rows } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Filters } from '../../ui/filters.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More, useFirstItems } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useSettled } from '../../ui/settled.ts'
import { EntryRow } from './entry-row.tsx'
import { Feeds } from './feeds.tsx'
import css from './changelog.module.css'

const states: readonly (readonly [status: EntryStatus | undefined, label: string])[] = [
  [undefined, 'All'],
  ['draft', 'Drafts'],
  ['scheduled', 'Scheduled'],
  ['published', 'Published'],
]

/** How long somebody pauses before what they typed is looked for. */
const pauseMs = 250

/** All entries; `?status=`, `?tag=` and `?find=` say which. */
export function Component() {
  const { slug } = useProject()
  const [search, setSearch] = useSearchParams()
  const [status] = states.find(([name]) => name !== undefined && name === search.get('status')) ?? [undefined]
  const tag = search.get('tag') ?? undefined
  const find = search.get('find') ?? ''
  const wanted = useSettled(find.trim(), pauseMs)
  const query = useInfiniteQuery({
    ...entriesQuery(slug, { status, tag, find: wanted }),
    placeholderData: (before) => before,
  })
  const found = query.data?.pages.flatMap(({ items }) => items) ?? []
  const isFirst = useFirstItems(query, found.length)
  const isSearching = isFirst || find.trim() !== wanted || query.isPlaceholderData
  const isFiltered = status !== undefined || tag !== undefined || find !== ''
  const set = (name: string, value: string): void =>
    setSearch(
      (before) => {
        if (value === '') before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
  const create = (
    <LinkButton look="primary" icon={Plus} to={paths.newEntry(slug)}>
      New entry
    </LinkButton>
  )

  return (
    <Page
      title="Changelog"
      description="What is new, told to readers on a page of its own and in feeds."
      actions={
        <>
          <LinkButton icon={ExternalLink} to={paths.publicChangelog(slug)} reloadDocument>
            Public page
          </LinkButton>
          {create}
        </>
      }
    >
      <Loaded query={query} pending={<Skeleton lines={6} />}>
        {() =>
          found.length === 0 && !isFiltered && !isSearching && !query.hasNextPage ? (
            <Empty icon={Megaphone} title="Nothing is announced yet" action={create}>
              Write what changed for your readers: a feature, a fix, a new page. An entry stays a draft until you
              publish it or its time comes. Then it is on the public page, in the feeds, and told to webhooks.
            </Empty>
          ) : (
            <>
              <div className={css['tools']}>
                <Filters label="Which entries" name="status" options={states} value={status} />
                <div className={css['find']}>
                  <SearchField label="Find an entry" value={find} onChange={(value) => set('find', value)} />
                </div>
              </div>
              {tag === undefined ? null : (
                <p className={css['chosen']}>
                  Tagged <strong>{tag}</strong>
                  <LinkButton size="small" look="ghost" icon={X} to={withoutTag(search)} replace>
                    Show all tags
                  </LinkButton>
                </p>
              )}
              {isSearching && found.length === 0 ? (
                <Skeleton lines={6} />
              ) : found.length === 0 && query.hasNextPage ? null : found.length === 0 ? (
                <Empty icon={SearchX} title="No such entry" action={<LinkButton to="?">Show all entries</LinkButton>}>
                  {find === ''
                    ? 'There is none in this state.'
                    : `None has “${find}” in its title, version, tags or text.`}
                </Empty>
              ) : (
                <Rows label="Entries" ordered busy={isSearching}>
                  {found.map((entry) => (
                    <EntryRow key={entry.id} entry={entry} slug={slug} />
                  ))}
                </Rows>
              )}
              {isSearching ? null : <More query={query} />}
              <Feeds slug={slug} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function withoutTag(search: URLSearchParams): string {
  const next = new URLSearchParams(search)
  next.delete('tag')
  return `?${next.toString()}`
}
