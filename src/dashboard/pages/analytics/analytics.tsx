import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesColumn } from 'lucide-react'
import type { Analytics } from '#contract/analytics.ts'
import { analyticsQuery } from '../../queries/analytics.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Card } from '../../ui/card.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Filters, useFilter, type FilterOptions } from '../../ui/filters.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { count } from '../../ui/words.ts'
import { DayChart } from './day-chart.tsx'
import { Notes } from './notes.tsx'
import { PageTable } from './page-table.tsx'
import { rateWords } from './rate-words.ts'
import { Terms } from './terms.tsx'
import css from './analytics.module.css'

const spans: FilterOptions<'7' | '90' | '400'> = [
  ['7', '7 days'],
  [undefined, '30 days'],
  ['90', '90 days'],
  ['400', '400 days'],
]

export function Component() {
  const { slug, url } = useProject()
  const days = Number(useFilter('days', spans) ?? 30)
  const query = useQuery(analyticsQuery(slug, days))
  return (
    <Page
      title="Analytics"
      description="What readers of the live site do and say. Counted by day in UTC, without cookies or addresses."
    >
      <Loaded query={query} pending={<Skeleton lines={6} />}>
        {(shown) => (isNothing(shown) ? <Off /> : <Shown shown={shown} slug={slug} url={url} />)}
      </Loaded>
    </Page>
  )
}

/** Neither now nor before. */
function isNothing({ enabled, views, searches, helpful }: Analytics): boolean {
  return !enabled.analytics && !enabled.feedback && views + searches + helpful.yes + helpful.no === 0
}

const bothOn = `"analytics": { "enabled": true },
"feedback": { "enabled": true }`

function Off() {
  return (
    <Empty icon={ChartNoAxesColumn} title="Nothing is counted here">
      <div className={css['off']}>
        <p>
          A site counts views and search terms, and asks readers whether a page was helpful, once its docs.json says so.
          No cookies, no addresses, nobody else. Put this into docs.json and deploy:
        </p>
        <Snippet label="Settings for docs.json">{bothOn}</Snippet>
      </div>
    </Empty>
  )
}

function Shown({ shown, slug, url }: { readonly shown: Analytics; readonly slug: string; readonly url: string }) {
  const { enabled, views, searches, withoutResults, helpful, days, pages } = shown
  return (
    <>
      <Filters label="How many days" name="days" options={spans} />
      <PartlyOff enabled={enabled} />
      <Card>
        <dl className={css['sums']}>
          <Sum name="Views" value={views.toLocaleString()} />
          <Sum name="Searches" value={searches.toLocaleString()} />
          <Sum name="Found nothing" value={withoutResults.toLocaleString()} />
          <Sum name="Helpful" value={rateWords(helpful)} note={count(helpful.yes + helpful.no, 'answer')} />
        </dl>
        <DayChart days={days} />
      </Card>
      <PageTable pages={pages} url={url} />
      <div className={css['terms']}>
        <Terms
          title="Searches"
          description="What was asked more than once."
          none="No term was searched for more than once."
          terms={shown.terms.map(({ term, searches: number }) => ({ term, number }))}
        />
        <Terms
          title="Searches without results"
          description="What readers expect, and do not find."
          none="No term that was searched for more than once found nothing."
          terms={shown.termsWithoutResults.map(({ term, withoutResults: number }) => ({ term, number }))}
        />
      </div>
      <Notes slug={slug} url={url} />
    </>
  )
}

function Sum({ name, value, note }: { readonly name: string; readonly value: string; readonly note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {note === undefined ? null : <span className="soft"> {note}</span>}
      </dd>
    </div>
  )
}

/** What of it is not counted any more, or not yet. */
function PartlyOff({ enabled }: Pick<Analytics, 'enabled'>) {
  const off = [
    ...(enabled.analytics ? [] : (['analytics'] as const)),
    ...(enabled.feedback ? [] : (['feedback'] as const)),
  ]
  if (off.length === 0) return null
  const words = { analytics: 'Views and searches are not counted', feedback: 'Readers are not asked' }
  return (
    <Notice tone="note" title={off.map((name) => words[name]).join(', ')}>
      docs.json of the live site switches it on: {off.map((name) => `"${name}": { "enabled": true }`).join(', ')}.
    </Notice>
  )
}
