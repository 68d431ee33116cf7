import type { EntryWords } from './entry-words.ts'

/** What was typed and is not saved. */
export interface KeptWords {
  readonly words: EntryWords
  /** What they began from, to be put together with what somebody else made of it. Absent: nobody knows any more. */
  readonly base?: EntryWords
  /** `updated_at` of the entry that it began from; null: it is to be a new one. */
  readonly seen: string | null
  /** When it was typed. RFC 3339. */
  readonly at: string
}

const prefix = 'quire-entry '
/** Entries of which something is kept in this browser; the oldest go first. */
const most = 20

/** What stands for the new entry of a project. */
export function newEntryOf(slug: string): string {
  return `new ${slug}`
}

/**
 * The project has another slug: what is kept of its new entry goes with it, of whoever uses this browser. What was kept
 * under that slug takes its place.
 */
export function moveNewEntry(from: string, to: string): void {
  try {
    const ends = ` ${newEntryOf(from)}`
    const accounts = Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix) && key.endsWith(ends))
      .map((key) => key.slice(0, -ends.length))
    for (const account of accounts) swap(account + ends, `${account} ${newEntryOf(to)}`)
  } catch {
    // Where nothing can be kept there is nothing to move.
  }
}

/** @param one something is there */
function swap(one: string, other: string): void {
  const [mine, theirs] = [localStorage.getItem(one), localStorage.getItem(other)]
  localStorage.setItem(other, mine ?? '')
  if (theirs === null) localStorage.removeItem(one)
  else localStorage.setItem(one, theirs)
}

/**
 * Where the words of one person on one entry are kept in this browser. Written with each letter, in one piece: whatever
 * ends the page, they are there.
 */
export class WordsKeeper {
  readonly #key: string

  /** @param entry id, or what stands for the new one of a project */
  constructor(account: string, entry: string) {
    this.#key = `${prefix}${account} ${entry}`
  }

  read(): KeptWords | undefined {
    return parse(stored(this.#key))
  }

  /** Returns whether the browser has room for it and lets pages keep something. */
  keep(kept: Omit<KeptWords, 'at'>): boolean {
    return this.#put({ ...kept, at: new Date().toISOString() })
  }

  /** The words are the same, and the service has what they began from under another `updated_at`. */
  rebase(from: string, to: string): void {
    const kept = this.read()
    if (kept?.seen === from) this.#put({ ...kept, seen: to })
  }

  #put(kept: KeptWords): boolean {
    try {
      localStorage.setItem(this.#key, JSON.stringify(kept))
      for (const key of others(this.#key).slice(most - 1)) localStorage.removeItem(key)
      return true
    } catch {
      return false
    }
  }

  forget(): void {
    try {
      localStorage.removeItem(this.#key)
    } catch {
      // Where nothing can be kept there is nothing to forget.
    }
  }
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** The other keys, newest first. */
function others(own: string): readonly string[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix) && key !== own)
  if (keys.length < most) return []
  const timeOf = (key: string): string => parse(stored(key))?.at ?? ''
  return keys.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
}

function parse(text: string | null): KeptWords | undefined {
  if (text === null) return undefined
  try {
    const kept: unknown = JSON.parse(text)
    return isKept(kept) ? kept : undefined
  } catch {
    return undefined
  }
}

function isKept(value: unknown): value is KeptWords {
  if (typeof value !== 'object' || value === null) return false
  const { words, base, seen, at } = value as Partial<Record<keyof KeptWords, unknown>>
  if (typeof at !== 'string' || (seen !== null && typeof seen !== 'string')) return false
  return areWords(words) && (base === undefined || areWords(base))
}

function areWords(words: unknown): words is EntryWords {
  if (typeof words !== 'object' || words === null) return false
  const { title, version, tags, content } = words as Partial<Record<keyof EntryWords, unknown>>
  return [title, version, content].every((part) => typeof part === 'string') && Array.isArray(tags)
}
