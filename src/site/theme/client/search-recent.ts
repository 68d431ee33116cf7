import { recall, remember } from './browser.ts'

/** Queries that led somewhere, in this browser and for this site alone. */
const key = 'q-search'
const most = 6

export function recentQueries(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(recall(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string').slice(0, most) : []
  } catch {
    return []
  }
}

export function keepRecent(query: string): void {
  if (query !== '')
    remember(key, JSON.stringify([query, ...recentQueries().filter((one) => one !== query)].slice(0, most)))
}

export function forgetRecent(): void {
  remember(key, '[]')
}
