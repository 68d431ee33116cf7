import type { Language } from '../../languages.ts'

/** A token of a date: a word or a number. */
const token = /\p{L}+|\d+/gu
/** Years that a change log may tell of. */
const years = { first: 1990, last: 2100 } as const
/** Longer texts are no dates. */
const longest = 200

const monthNames = new Map<Language, ReadonlyMap<string, number>>()

/**
 * The day that a text of a change log names: `2026-11-05`, `November 5th, 2026`, `5 novembre 2026`, `2026年11月5日`, or the
 * first of a month: `Nov 2026`. Undefined where it names none, as `v2.1.0`. UTC.
 * @param lang of the names of months; English ones are always known
 */
export function writtenDate(text: string, lang: Language): Date | undefined {
  const short = text.slice(0, longest)
  const iso = /(?<!\d)(\d{4})[-/.年년]\s?(\d{1,2})(?:[-/.月월]\s?(\d{1,2})(?!\d))?/.exec(short)
  if (iso !== null) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3] ?? 1))
  const tokens = short.toLowerCase().match(token) ?? []
  const names = [monthsIn('en'), monthsIn(lang)]
  const monthOf = (word: string): number | undefined => names.find((known) => known.has(word))?.get(word)
  const place = tokens.findIndex((word) => monthOf(word) !== undefined)
  const year = tokens.find((word) => /^\d{4}$/.test(word))
  if (place === -1 || year === undefined) return undefined
  const isDay = (word: string | undefined): boolean => word !== undefined && /^\d{1,2}$/.test(word)
  // `5 de marzo`, `5th of March`; else behind the name of the month.
  const before = tokens.slice(Math.max(0, place - 3), place).findLast(isDay)
  const day = isDay(tokens[place + 1]) ? tokens[place + 1] : before
  return dateOf(Number(year), monthOf(tokens[place] ?? '') ?? 0, Number(day ?? 1))
}

function dateOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal && year >= years.first && year <= years.last ? date : undefined
}

/** Names of months and their short forms, as a language has them by themselves and in a date. */
function monthsIn(lang: Language): ReadonlyMap<string, number> {
  const known = monthNames.get(lang)
  if (known !== undefined) return known
  const names = new Map<string, number>()
  const forms = (['long', 'short'] as const).flatMap((month) => [{ month }, { month, day: 'numeric' } as const])
  for (const form of forms) {
    const format = new Intl.DateTimeFormat(lang, { ...form, timeZone: 'UTC' })
    for (let month = 1; month <= 12; month += 1) {
      const part = format.formatToParts(Date.UTC(2026, month - 1, 1)).find(({ type }) => type === 'month')
      const [word] = part?.value.toLowerCase().match(token) ?? []
      if (word !== undefined && !/^\d/.test(word)) names.set(word, month)
    }
  }
  monthNames.set(lang, names)
  return names
}
