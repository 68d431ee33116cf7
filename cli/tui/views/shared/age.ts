const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long ago something was, in a few letters: `now`, `5 min`, `3 h`, `2 d`; a date where it is more than four weeks. */
export function ageOf(timestamp: string | Date, now: number = Date.now()): string {
  const then = new Date(timestamp)
  const age = now - then.getTime()
  if (age < minute) return 'now'
  if (age < hour) return `${Math.floor(age / minute)} min`
  if (age < day) return `${Math.floor(age / hour)} h`
  if (age < 28 * day) return `${Math.floor(age / day)} d`
  return localDate(then)
}

/** As a part of a sentence: `just now`, `5 min ago`, `on 2026-03-01`. */
export function agoText(timestamp: string | Date, now: number = Date.now()): string {
  const age = ageOf(timestamp, now)
  if (age === 'now') return 'just now'
  return age.includes(' ') ? `${age} ago` : `on ${age}`
}

/** Milliseconds for people: `40 ms`, `0.4 s`, `12 s`, `3 min 20 s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** `14:05`, of the person’s own clock. */
export function clockText(time: Date): string {
  return `${two(time.getHours())}:${two(time.getMinutes())}`
}

function localDate(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
