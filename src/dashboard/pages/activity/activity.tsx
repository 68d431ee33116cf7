import { useInfiniteQuery } from '@tanstack/react-query'
import { History, SearchX } from 'lucide-react'
import { useSearchParams } from 'react-router'
import type { AuditEntry } from '#contract/audit.ts'
import { auditQuery, type AuditFilter } from '../../queries/audit.ts'
import { OwnersOnly } from '../../shell/owners-only.tsx'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Rows } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { More, useFurther } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { ActivityFilters } from './activity-filters.tsx'
import { ActivityRow } from './activity-row.tsx'
import { beginOf, byDay, dayWords } from './days.ts'
import css from './activity.module.css'

const words = 'Who changed what, and from where. Reading leaves no trace.'

export function Component() {
  const { slug } = useProject()
  return (
    <OwnersOnly
      title="Activity"
      says="The activity is for owners"
      why="It shows where people work from. Ask the project’s owner about what happened."
    >
      <Log slug={slug} />
    </OwnersOnly>
  )
}

/** What the address asks for; a day is one of the reader’s. */
function filterOf(search: URLSearchParams): AuditFilter {
  const filter = {
    actor: search.get('who') ?? undefined,
    action: search.get('what') ?? undefined,
    since: beginOf(search.get('from') ?? ''),
    until: beginOf(search.get('to') ?? '', 1),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''))
}

function Log({ slug }: { readonly slug: string }) {
  const [search] = useSearchParams()
  const filter = filterOf(search)
  const query = useInfiniteQuery(auditQuery(slug, filter))
  const items = query.data ?? []
  const isSearching = useFurther(query, items.length === 0)
  return (
    <Page title="Activity" description={words}>
      <ActivityFilters slug={slug} seen={items} />
      <Loaded query={query} pending={<Skeleton lines={6} />}>
        {() =>
          isSearching ? (
            <Skeleton lines={6} />
          ) : items.length === 0 && !query.hasNextPage ? (
            <Nothing isFiltered={Object.keys(filter).length > 0} />
          ) : (
            <Days entries={items} slug={slug} />
          )
        }
      </Loaded>
      {isSearching ? null : <More query={query} />}
    </Page>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon={SearchX} title="Nothing like that happened" action={<LinkButton to="?">Show everything</LinkButton>}>
      No entry of the log is of that person, kind and time.
    </Empty>
  ) : (
    <Empty icon={History} title="Nothing has been changed yet">
      Deploys, saves, members, keys: whoever changes something is listed here.
    </Empty>
  )
}

function Days({ entries, slug }: { readonly entries: readonly AuditEntry[]; readonly slug: string }) {
  const now = new Date()
  return byDay(entries).map(([day, ofDay]) => (
    <section key={day} className={css['day']} aria-label={dayWords(day, now)}>
      <h2>{dayWords(day, now)}</h2>
      <Rows label={dayWords(day, now)} ordered>
        {ofDay.map((entry) => (
          <ActivityRow key={entry.id} entry={entry} slug={slug} />
        ))}
      </Rows>
    </section>
  ))
}
