const month = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const shortMonth = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' })
const money = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' })
const cents = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 })

/** “November 2026”, of a UTC month. */
export function monthWords(start: string): string {
  return month.format(new Date(start))
}

export function shortMonthWords(start: string): string {
  return shortMonth.format(new Date(start))
}

/** Small sums are not rounded to nothing. */
export function dollars(amount: number): string {
  return (amount > 0 && amount < 0.01 ? cents : money).format(amount)
}
