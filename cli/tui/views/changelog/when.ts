/** A time as it was typed, or why it is none. */
export type TypedTime = { readonly time: Date } | { readonly trouble: string }

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
/** Where somebody names a day and no time. */
const morning = { hour: 9, minute: 0 }
const minuteMs = 60_000
const units: Readonly<Record<string, number>> = {
  m: minuteMs,
  min: minuteMs,
  minute: minuteMs,
  h: 60 * minuteMs,
  hour: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  day: 24 * 60 * minuteMs,
  week: 7 * 24 * 60 * minuteMs,
}
const examples = 'Such as tomorrow 9:00, monday 14:30, in 2 hours, 2027-03-01 9:00, or a time with its zone.'

interface Clock {
  readonly hour: number
  readonly minute: number
}

interface Day {
  readonly year: number
  /** From 0. */
  readonly month: number
  readonly day: number
}

/**
 * Reads a time as people type it: `tomorrow 9:00`, `monday 14:30`, `9pm`, `in 2 hours`, `21 March 9:00`,
 * `2027-03-01 09:00`, RFC 3339. What names no zone is in the zone of this machine.
 */
export function readTime(text: string, now: Date = new Date()): TypedTime {
  const typed = text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  if (typed === '') return { trouble: examples }
  if (typed === 'now') return { time: now }
  const later = laterBy(typed, now)
  if (later !== undefined) return { time: later }
  // Whatever says its zone is that time, wherever this machine is.
  if (/^\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)$/.test(typed)) {
    const exact = new Date(text.trim().toUpperCase())
    return Number.isNaN(exact.getTime()) ? { trouble: `There is no such time. ${examples}` } : { time: exact }
  }
  const { clock, rest } = clockIn(typed)
  if (clock === 'none') return { trouble: `There is no such time of a day. ${examples}` }
  const day = dayOf(rest, { clock, now })
  if (day === undefined) return { trouble: `That is not understood. ${examples}` }
  return timeOn(day, clock ?? morning)
}

function timeOn({ year, month, day }: Day, { hour, minute }: Clock): TypedTime {
  const time = new Date(year, month, day, hour, minute)
  if (time.getMonth() !== month || time.getDate() !== day) return { trouble: `There is no such day. ${examples}` }
  if (time.getHours() === hour && time.getMinutes() === minute) return { time }
  const clock = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')
  return { trouble: `There is no ${clock} on that day: the clocks go forward then. Choose an hour before or after.` }
}

/** `in 2 hours`, `2h`, `in 30 min`, `in a week`. */
function laterBy(typed: string, now: Date): Date | undefined {
  const [, number, unit = ''] =
    /^in (an?|\d{1,4}) ?([a-z]+?)s?$/.exec(typed) ?? /^(\d{1,4}) ?([a-z]+?)s?$/.exec(typed) ?? []
  const length = units[unit]
  if (number === undefined || length === undefined || !Object.hasOwn(units, unit)) return undefined
  return new Date(now.getTime() + (number.startsWith('a') ? 1 : Number(number)) * length)
}

/** The time of day at the end, or at the beginning: `9`, only with `am`, `pm` or `at` before it. */
function clockIn(typed: string): { readonly clock: Clock | 'none' | undefined; readonly rest: string } {
  const pattern =
    /(?:^|[ ,t])(?:at )?(?:(\d{1,2})[:.](\d\d)(?::\d\d)?(?: ?([ap])\.?m\.?)?|(\d{1,2}) ?([ap])\.?m\.?|(noon|midnight))$/
  const found = pattern.exec(typed) ?? /(?:^| )at (\d{1,2})$/.exec(typed) ?? /(?<=day|tomorrow) (\d{1,2})$/.exec(typed)
  if (found === null) return frontClock(typed)
  const [whole, hour, minute = '0', half, plain, plainHalf, word] = found
  const rest = typed.slice(0, typed.length - whole.length).trim()
  if (word !== undefined) return { clock: { hour: word === 'noon' ? 12 : 0, minute: 0 }, rest }
  return { clock: clockOf(Number(hour ?? plain), Number(minute), half ?? plainHalf), rest }
}

function frontClock(typed: string): { readonly clock: Clock | 'none' | undefined; readonly rest: string } {
  const [whole, hour, minute] = /^(\d{1,2}):(\d\d) /.exec(typed) ?? []
  if (whole === undefined) return { clock: undefined, rest: typed }
  return { clock: clockOf(Number(hour), Number(minute), undefined), rest: typed.slice(whole.length) }
}

function clockOf(hour: number, minute: number, half: string | undefined): Clock | 'none' {
  if (minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12))) return 'none'
  if (half === undefined) return { hour, minute }
  return { hour: (hour % 12) + (half === 'p' ? 12 : 0), minute }
}

function dayOf(
  typed: string,
  { clock, now }: { readonly clock: Clock | undefined; readonly now: Date },
): Day | undefined {
  const words = typed.replace(/^on /, '').replace(/,$/, '')
  if (words === '' || words === 'today') {
    if (clock === undefined) return undefined
    // A time of day alone is the next one.
    return inDays(now, words === '' && isOver(clock, now) ? 1 : 0)
  }
  if (words === 'tomorrow') return inDays(now, 1)
  const weekday = weekdayIn(words.replace(/^next /, ''))
  if (weekday !== undefined) {
    const days = (weekday - now.getDay() + 7) % 7
    const isToday = days === 0 && clock !== undefined && !isOver(clock, now) && !words.startsWith('next ')
    return inDays(now, isToday ? 0 : days || 7)
  }
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words) ?? []
  if (year !== undefined) return { year: Number(year), month: Number(month) - 1, day: Number(day) }
  return namedDay(words, now)
}

function isOver({ hour, minute }: Clock, now: Date): boolean {
  return hour * 60 + minute <= now.getHours() * 60 + now.getMinutes()
}

/** `21 march`, `march 21`, `21st of mar 2027`; without a year, the next one. */
function namedDay(words: string, now: Date): Day | undefined {
  const [, first, , second, year] =
    /^([a-z]+|\d{1,2})(st|nd|rd|th)?\.? (?:of )?([a-z]+|\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$/.exec(words) ?? []
  const name = [first, second].find((part) => part !== undefined && /^[a-z]{3}/.test(part))
  const number = [first, second].find((part) => part !== undefined && /^\d/.test(part))
  if (name === undefined || number === undefined) return undefined
  const month = months.findIndex((one) => one.startsWith(name))
  if (month === -1) return undefined
  const day = { month, day: Number(number) }
  if (year !== undefined) return { year: Number(year), ...day }
  const thisYear = { year: now.getFullYear(), ...day }
  const end = new Date(thisYear.year, month, day.day + 1)
  return end <= now ? { ...thisYear, year: thisYear.year + 1 } : thisYear
}

function weekdayIn(word: string): number | undefined {
  const at = word.length < 3 ? -1 : weekdays.findIndex((day) => day.startsWith(word))
  return at === -1 ? undefined : at
}

function inDays(now: Date, count: number): Day {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + count)
  return { year: day.getFullYear(), month: day.getMonth(), day: day.getDate() }
}

/** `Monday, 1 March 2027 at 09:00 (Europe/Berlin, UTC+1)`. */
export function whenText(time: Date): string {
  const day = time.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const clock = time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return `${day} at ${clock} (${zoneText(time)})`
}

function zoneText(time: Date): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const offset = -time.getTimezoneOffset()
  const minutes = Math.abs(offset) % 60
  const hours = Math.trunc(Math.abs(offset) / 60)
  const utc = offset === 0 ? 'UTC' : `UTC${offset < 0 ? '−' : '+'}${hours}${minutes === 0 ? '' : `:${minutes}`}`
  return timeZone === 'UTC' ? 'UTC' : `${timeZone}, ${utc}`
}

/** How far off a time is: `in 2 h 10 min`, `in 3 days`, `5 min ago`. */
export function distanceText(time: Date, now: Date = new Date()): string {
  const minutes = Math.round((time.getTime() - now.getTime()) / minuteMs)
  const [off, isPast] = [Math.abs(minutes), minutes < 0]
  if (off < 1) return 'now'
  const text =
    off < 60
      ? `${off} min`
      : off < 48 * 60
        ? `${Math.floor(off / 60)} h${off % 60 === 0 ? '' : ` ${off % 60} min`}`
        : `${Math.round(off / (24 * 60))} days`
  return isPast ? `${text} ago` : `in ${text}`
}
