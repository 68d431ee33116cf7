import type { AnalyticsDay } from '#contract/analytics.ts'
import { count } from '../../ui/words.ts'
import css from './analytics.module.css'

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const dayWords = (day: string): string => dayFormat.format(Date.parse(day))

/** Bars that are told apart on a phone. */
const mostBars = 90

interface Bar {
  readonly from: string
  readonly to: string
  readonly views: number
}

/** Views over time: a bar a day, or of several days where there are many. */
export function DayChart({ days }: { readonly days: readonly AnalyticsDay[] }) {
  const bars = barsOf(days)
  const top = bars.reduce<Bar | undefined>(
    (best, bar) => (best === undefined || bar.views > best.views ? bar : best),
    undefined,
  )
  if (top === undefined) return null
  const all = bars.reduce((sum, { views }) => sum + views, 0)
  const most = top.views === 0 ? '' : ` Most, ${top.views.toLocaleString()}: ${spanWords(top)}.`
  return (
    <figure className={css['figure']}>
      <div className={css['chart']} role="img" aria-label={`${count(all, 'view')} by day.${most}`}>
        {bars.map((bar) => (
          <span key={bar.from} className={css['bar']} title={`${spanWords(bar)}: ${count(bar.views, 'view')}`}>
            <span style={{ height: `${top.views === 0 ? 0 : (bar.views / top.views) * 100}%` }} />
          </span>
        ))}
      </div>
      <figcaption className={css['axis']}>
        <span>{dayWords(bars[0]?.from ?? '')}</span>
        <span>{dayWords(bars.at(-1)?.to ?? '')}</span>
      </figcaption>
    </figure>
  )
}

function spanWords({ from, to }: Bar): string {
  return from === to ? dayWords(from) : `${dayWords(from)} to ${dayWords(to)}`
}

/** The newest bar is whole; the oldest may be of fewer days. */
function barsOf(days: readonly AnalyticsDay[]): readonly Bar[] {
  const size = Math.ceil(days.length / mostBars)
  const bars: Bar[] = []
  for (let end = days.length; end > 0; end -= size) {
    const part = days.slice(Math.max(0, end - size), end)
    const [from, to] = [part[0]?.day ?? '', part.at(-1)?.day ?? '']
    bars.unshift({ from, to, views: part.reduce((sum, { views }) => sum + views, 0) })
  }
  return bars
}
