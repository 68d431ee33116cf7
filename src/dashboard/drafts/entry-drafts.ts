import { keep } from '../keep.ts'
import { areSame, type EntryWords } from './entry-words.ts'

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
/** Entries of which something is kept in this browser. Beyond, the oldest go, once they are old. */
const most = 20
const oldMs = 30 * 24 * 60 * 60 * 1000

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
 * ends the page, they are there. All tabs have one place; each knows what it has seen there, and takes nothing else away.
 */
export class WordsKeeper {
  readonly #key: string
  #known: KeptWords | undefined

  /** @param entry id, or what stands for the new one of a project */
  constructor(account: string, entry: string) {
    this.#key = `${prefix}${account} ${entry}`
    this.read()
  }

  /** What was kept or read here last. */
  get known(): KeptWords | undefined {
    return this.#known
  }

  read(): KeptWords | undefined {
    this.#known = this.#stored()
    return this.#known
  }

  /** Another tab has kept something here, or taken away what was, since this one looked. */
  get isOther(): boolean {
    const found = this.#stored()
    return !isSameKept(found, this.#known)
  }

  /** What another tab has kept here since this one looked. */
  unseen(): KeptWords | undefined {
    return this.isOther ? this.#stored() : undefined
  }

  /** Returns whether the browser has room for it and lets pages keep something. */
  keep(kept: Omit<KeptWords, 'at'>): boolean {
    return this.#put({ ...kept, at: new Date().toISOString() })
  }

  /** The words are the same, and the service has what they began from under another `updated_at`. */
  rebase(from: string, to: string): void {
    const [known, isOther, kept] = [this.#known, this.isOther, this.#stored()]
    if (kept?.seen !== from) return
    this.#put({ ...kept, seen: to })
    // What another tab has kept is still not seen here.
    if (isOther) this.#known = known
  }

  #stored(): KeptWords | undefined {
    return parse(stored(this.#key))
  }

  #put(kept: KeptWords): boolean {
    if (!keep(this.#key, JSON.stringify(kept))) return false
    this.#known = kept
    for (const key of tooOld(this.#key)) localStorage.removeItem(key)
    return true
  }

  /** Unless another tab has kept something since this one looked. */
  forget(): void {
    if (this.isOther) return
    try {
      localStorage.removeItem(this.#key)
      this.#known = undefined
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

function isSameKept(one: KeptWords | undefined, other: KeptWords | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.at === other.at && one.seen === other.seen && areSame(one.words, other.words)
}

/** Other keys that are too many, and old. */
function tooOld(own: string): readonly string[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix) && key !== own)
  if (keys.length < most) return []
  const since = new Date(Date.now() - oldMs).toISOString()
  const times = new Map(keys.map((key) => [key, parse(stored(key))?.at ?? '']))
  const timeOf = (key: string): string => times.get(key) ?? ''
  return keys
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(most - 1)
    .filter((key) => timeOf(key) < since)
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
