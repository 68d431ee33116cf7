import { useInfiniteQuery } from '@tanstack/react-query'
import { ExternalLink, Megaphone, Plus, Rss, SearchX, X } from 'lucide-react'
import { useSearchParams } from 'react-router'
import type { EntryStatus } from '#contract/changelog.ts'
import { paths } from '../../paths.ts'
import { entriesQuery, feedsOf } from '../../queries/changelog.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Rows } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Filters, useFilter, type FilterOptions } from '../../ui/filters.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More, useFurther } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { searchWith, useSearchParam } from '../../ui/search-params.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { EntryRow } from './entry-row.tsx'
import css from './changelog.module.css'

const states: FilterOptions<EntryStatus> = [
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
  const [search] = useSearchParams()
  const status = useFilter('status', states)
  const [tag] = useSearchParam('tag')
  const [find = '', setFind] = useSearchParam('find')
  const wanted = useDebounced(find.trim(), pauseMs)
  const query = useInfiniteQuery({
    ...entriesQuery(slug, { status, tag, find: wanted }),
    placeholderData: (before) => before,
  })
  const found = query.data ?? []
  const isFirst = useFurther(query, found.length === 0)
  const isSearching = isFirst || find.trim() !== wanted || query.isPlaceholderData
  const isFiltered = status !== undefined || tag !== undefined || find !== ''
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
                <Filters label="Which entries" name="status" options={states} />
                <div className={css['find']}>
                  <SearchField
                    label="Find an entry"
                    value={find}
                    onChange={(value) => setFind(value, { replace: true })}
                  />
                </div>
              </div>
              {tag === undefined ? null : (
                <p className={css['chosen']}>
                  Tagged <strong>{tag}</strong>
                  <LinkButton
                    size="small"
                    look="ghost"
                    icon={X}
                    to={`?${searchWith(search, { tag: undefined }).toString()}`}
                    replace
                  >
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

/** Where feed readers find what is published. */
function Feeds({ slug }: { readonly slug: string }) {
  return (
    <div className={css['feeds']}>
      <Rss aria-hidden />
      <span>Feeds for readers</span>
      <ul aria-label="Feeds">
        {feedsOf(slug).map(([name, url]) => (
          <li key={name}>
            <a className="link" href={url}>
              {name}
            </a>
            <CopyButton text={url} label={`Copy the address of the ${name} feed`} />
          </li>
        ))}
      </ul>
    </div>
  )
}
