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

/** “3.2 MB”, “1,024 MB”: as the settings of a service count them, in units of 1,024. */
export function sizeWords(bytes: number): string {
  const size = bytes / 1024 / 1024
  return `${size.toLocaleString(undefined, { maximumFractionDigits: size < 100 ? 1 : 0 })} MB`
}
