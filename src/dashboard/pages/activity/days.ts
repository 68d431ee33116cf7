/** The reader’s day that a time is in, such as `2026-11-23`. */
export function dayOf(at: string | Date): string {
  const date = new Date(at)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** When a day of the reader’s begins, or `after` days later; undefined for what is no day. */
export function beginOf(day: string, after = 0): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return undefined
  const begin = new Date(Number(year), Number(month) - 1, Number(date) + after)
  return Number.isNaN(begin.getTime()) ? undefined : begin.toISOString()
}

const words = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })

/** “Today”, “Yesterday”, “Monday, 23 November 2026”. */
export function dayWords(day: string, now: Date): string {
  if (day === dayOf(now)) return 'Today'
  if (day === dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1))) return 'Yesterday'
  return words.format(new Date(beginOf(day) ?? now))
}

/** Things in the order in which they come, by day. */
export function byDay<T extends { readonly at: string }>(items: readonly T[]): readonly (readonly [string, T[]])[] {
  const days = new Map<string, T[]>()
  for (const item of items) {
    const day = dayOf(item.at)
    days.set(day, [...(days.get(day) ?? []), item])
  }
  return [...days]
}
