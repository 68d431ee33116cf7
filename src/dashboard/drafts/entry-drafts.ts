import { forgetText, storedKeys, storedText, storeText } from '../local-storage.ts'
import { areSame, noWords, type EntryWords } from './entry-words.ts'

/** What was typed and is not saved. */
export interface KeptEntry {
  readonly words: EntryWords
  /** What they began from, to be put together with what somebody else made of it. Absent: nobody knows any more. */
  readonly base?: EntryWords
  /** `updated_at` of the entry that it began from; null: it is to be a new one. */
  readonly seen: string | null
  /** When it was typed. RFC 3339. */
  readonly at: string
}

const keyPrefix = 'quire-entry '
/** Beyond, the oldest go, once they may. */
const maxKeptEntries = 20
const clearableAfterMs = 30 * 24 * 60 * 60 * 1000

/** What stands for the new entry of a project. */
export function newEntryOf(slug: string): string {
  return `new ${slug}`
}

/**
 * The project has another slug: what is kept of its new entry goes with it, of whoever uses this browser. What was kept
 * under that slug takes its place.
 */
export function moveNewEntry(from: string, to: string): void {
  const ends = ` ${newEntryOf(from)}`
  const accounts = storedKeys(keyPrefix)
    .filter((key) => key.endsWith(ends))
    .map((key) => key.slice(0, -ends.length))
  for (const account of accounts) swap(account + ends, `${account} ${newEntryOf(to)}`)
}

/** What both keys hold changes its place, or all stays as it is: there may be no room for a longer key. */
function swap(one: string, other: string): void {
  const [mine, theirs] = [storedText(one), storedText(other)]
  const isDone = storeInstead([one, theirs], [other, mine])
  if (!isDone) storeInstead([one, mine], [other, theirs])
}

/** @returns whether there was room for all of it */
function storeInstead(...texts: readonly (readonly [key: string, text: string | undefined])[]): boolean {
  // What goes makes room for what comes.
  for (const [key] of texts) forgetText(key)
  return texts.every(([key, text]) => text === undefined || storeText(key, text))
}

/**
 * Where the words of one person on one entry are kept in this browser. Written with each letter, in one piece: whatever
 * ends the page, they are there. All tabs have one place; each knows what it has seen there, and takes nothing else away.
 */
export class EntryDraftStore {
  readonly #account: string
  #key: string
  #known: KeptEntry | undefined

  /** @param entry id, or what stands for the new one of a project */
  constructor(account: string, entry: string) {
    this.#account = account
    this.#key = keyOf(account, entry)
    this.read()
  }

  /** From now on it is where the words of another entry are kept. */
  moveTo(entry: string): void {
    this.#key = keyOf(this.#account, entry)
    this.read()
  }

  /** What was kept or read here last. */
  get known(): KeptEntry | undefined {
    return this.#known
  }

  read(): KeptEntry | undefined {
    this.#known = this.#stored()
    return this.#known
  }

  /** Another tab has kept something here, or taken away what was, since this one looked. */
  get isOther(): boolean {
    const found = this.#stored()
    return !isSameKept(found, this.#known)
  }

  /** What another tab has kept here since this one looked. */
  unseen(): KeptEntry | undefined {
    return this.isOther ? this.#stored() : undefined
  }

  /** Returns whether the browser has room for it and lets pages keep something. */
  keep(kept: Omit<KeptEntry, 'at'>): boolean {
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

  #stored(): KeptEntry | undefined {
    return parse(storedText(this.#key))
  }

  #put(kept: KeptEntry): boolean {
    if (!storeText(this.#key, JSON.stringify(kept))) return false
    this.#known = kept
    for (const key of tooOld(this.#key)) forgetText(key)
    return true
  }

  /** Unless another tab has kept something since this one looked. */
  forget(): void {
    if (this.isOther) return
    forgetText(this.#key)
    this.#known = undefined
  }
}

function keyOf(account: string, entry: string): string {
  return `${keyPrefix}${account} ${entry}`
}

function isSameKept(one: KeptEntry | undefined, other: KeptEntry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.at === other.at && one.seen === other.seen && areSame(one.words, other.words)
}

/** Other keys that are too many, and old. */
function tooOld(own: string): readonly string[] {
  const keys = storedKeys(keyPrefix).filter((key) => key !== own)
  if (keys.length < maxKeptEntries) return []
  const since = new Date(Date.now() - clearableAfterMs).toISOString()
  const times = new Map(keys.map((key) => [key, parse(storedText(key))?.at ?? '']))
  const timeOf = (key: string): string => times.get(key) ?? ''
  return keys
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(maxKeptEntries - 1)
    .filter((key) => timeOf(key) < since)
}

function parse(text: string | undefined): KeptEntry | undefined {
  if (text === undefined) return undefined
  try {
    const kept: unknown = JSON.parse(text)
    if (!isKept(kept)) return undefined
    // What was kept at an earlier time has no tag that was being typed.
    return { ...kept, words: { ...noWords, ...kept.words }, ...(kept.base && { base: { ...noWords, ...kept.base } }) }
  } catch {
    return undefined
  }
}

function isKept(value: unknown): value is KeptEntry {
  if (typeof value !== 'object' || value === null) return false
  const { words, base, seen, at } = value as Partial<Record<keyof KeptEntry, unknown>>
  if (typeof at !== 'string' || (seen !== null && typeof seen !== 'string')) return false
  return areWords(words) && (base === undefined || areWords(base))
}

function areWords(words: unknown): words is EntryWords {
  if (typeof words !== 'object' || words === null) return false
  const { title, version, tags, content } = words as Partial<Record<keyof EntryWords, unknown>>
  return [title, version, content].every((part) => typeof part === 'string') && Array.isArray(tags)
}
