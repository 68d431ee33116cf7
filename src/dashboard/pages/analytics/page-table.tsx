import { useState } from 'react'
import type { AnalyticsPage } from '#contract/analytics.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { NumberTable } from '../../ui/number-table.tsx'
import { addressOf } from './address.ts'
import { rateWords } from './rate-words.ts'
import css from './analytics.module.css'

const shownAtFirst = 15

/** What was read, and how helpful it was. @param url of the site */
export function PageTable({ pages, url }: { readonly pages: readonly AnalyticsPage[]; readonly url: string }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? pages : pages.slice(0, shownAtFirst)
  return (
    <Card title="Pages" description="Most viewed first, with how many answers said that the page was helpful.">
      {pages.length === 0 ? (
        <p className="soft">No page has been viewed in this time.</p>
      ) : (
        <NumberTable label="Views and answers by page" className={css['pages']}>
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Views</th>
              <th scope="col">Helpful</th>
              <th scope="col">Yes</th>
              <th scope="col">No</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ path, views, helpful }) => (
              <tr key={path}>
                <th scope="row">
                  <a href={addressOf(url, path)} target="_blank" rel="noreferrer">
                    {path}
                  </a>
                </th>
                <td>{views.toLocaleString()}</td>
                <td>{rateWords(helpful)}</td>
                <td>{helpful.yes.toLocaleString()}</td>
                <td>{helpful.no.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </NumberTable>
      )}
      {shown.length < pages.length ? (
        <div>
          <Button onClick={() => setWhole(true)}>Show all {pages.length.toLocaleString()} pages</Button>
        </div>
      ) : null}
    </Card>
  )
}
