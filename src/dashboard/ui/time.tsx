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

const units = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
] as const

/** “3 minutes ago”, “tomorrow”; a date where it is more than four weeks away. */
function relativeTime(at: string, from: number): string {
  const distance = Date.parse(at) - from
  if (Math.abs(distance) > 28 * 24 * 60 * minuteMs) return day.format(new Date(at))
  const unit = units.find(([, ms]) => Math.abs(distance) >= ms)
  return unit === undefined ? 'just now' : relative.format(Math.trunc(distance / unit[1]), unit[0])
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
