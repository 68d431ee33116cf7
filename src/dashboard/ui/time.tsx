import { useSyncExternalStore } from 'react'

const minuteMs = 60_000
let now = Date.now()

/** All times of a page are told anew each minute, together. */
function subscribe(changed: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now()
    changed()
  }, minuteMs / 2)
  return () => clearInterval(timer)
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Days of the reader’s calendar from one time to another: some have 23 or 25 hours. */
function daysBetween(from: Date, to: Date): number {
  const dayOf = (at: Date): number => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate())
  return (dayOf(to) - dayOf(from)) / dayMs
}

/** “3 minutes ago”, “tomorrow”; a date where it is more than four weeks away. @param from ms since the epoch */
export function relativeTime(at: string, from: number): string {
  const distance = Date.parse(at) - from
  const days = daysBetween(new Date(from), new Date(at))
  if (Math.abs(days) > 28) return day.format(new Date(at))
  if (Math.abs(distance) >= dayMs && days !== 0) return relative.format(days, 'day')
  if (Math.abs(distance) >= hourMs) return relative.format(Math.trunc(distance / hourMs), 'hour')
  return Math.abs(distance) >= minuteMs ? relative.format(Math.trunc(distance / minuteMs), 'minute') : 'just now'
}

/** A time in the reader’s own words and zone; the exact one on hover. */
export function Time({ at }: { readonly at: string }) {
  useSyncExternalStore(subscribe, () => now)
  const time = Math.max(now, Date.now())
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {relativeTime(at, time)}
    </time>
  )
}

/** A day, such as the one on which something ends. */
export function Day({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {day.format(new Date(at))}
    </time>
  )
}
