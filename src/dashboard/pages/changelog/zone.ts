/** Times of forms are in the zone of whoever writes. */

const words = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})

/** “Europe/Berlin”. */
export const zone: string = Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')

/** For a field `datetime-local`: `2027-01-15T09:00`, in the writer’s zone. */
export function fieldTime(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** What such a field says, in UTC; undefined where it says no time. */
export function timeOfField(text: string): string | undefined {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** “Tuesday, 24 November 2026 at 9:00 CET”. */
export function timeInWords(at: string): string {
  return words.format(new Date(at))
}

/** Nine in the morning of the next day. */
export function tomorrowMorning(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9)
}
