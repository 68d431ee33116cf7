/*
 * The files of a search index, and how they are read; service and browsers have this together.
 *
 * What is found is a part of a page: some sections in a row, of a page of usual length all of them. A part has a number
 * that is made of its address, so that it stays when other pages come and go. For each version and language of a site
 * (its scope, a number) there is
 *
 *   /_quire/search/<scope>.json        `IndexRoot`: the parts, and where its words are
 *   /_quire/search/words-<hash>.txt    words of the same beginning with the parts that have them, a word a line
 *   /_quire/search/parts/<number>.json `PartText` of a part
 */

export const searchFolder = '/_quire/search/'

/** Path of searches on the host of a site, for programs: browsers search with the files. */
export const searchPath = '/search.json'

/** Of one scope. */
export interface IndexRoot {
  readonly format: 1
  /** Versions and languages, by scope. */
  readonly scopes: readonly Scope[]
  /** Labels of the tabs that pages of the scope stand under. */
  readonly tabs: readonly string[]
  /** `PartEntry` of each part, as `encodeParts` writes them. */
  readonly parts: string
  /** Names of the files of words by their key: how the words in them begin. */
  readonly words: Readonly<Record<string, string>>
  /** Name of the file of words in titles, for what is misspelt in its first letters; absent where there are none. */
  readonly titles?: string
}

export interface Scope {
  readonly version?: string
  /** Label, and where it is known its BCP 47 tag. */
  readonly language?: string
  readonly lang?: string
}

export interface PartEntry {
  readonly number: number
  /** In `IndexRoot.tabs`; `noTab` for none. */
  readonly tab: number
  /** How long it is, in steps of a third of a doubling: 0 to 31. */
  readonly length: number
}

/** What is shown of a part, and looked through for where its words stand. */
export interface PartText {
  /** Path of the page. */
  readonly path: string
  readonly title: string
  /** It is the first one of its page. */
  readonly first?: true
  /** Words that the page is found by beside those that it shows; of the first one alone. */
  readonly keywords?: string
  /** What is multiplied by how well it is found. */
  readonly boost?: number
  /** Id of the heading, which is empty over the first; the heading; what stands under it. */
  readonly sections: readonly (readonly [anchor: string, heading: string, text: string])[]
}

/** A part that has a word, and how much it says there: 1 to 31. */
export interface Posting {
  readonly number: number
  readonly weight: number
}

export const mostWeight = 31
/** More tabs than that are not told apart. */
export const noTab = 31

/** Base 32, least first; digits of the second half say that another one follows. */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const values = new Uint8Array(128)
for (let value = 0; value < digits.length; value += 1) values[digits.charCodeAt(value)] = value

function encodeNumber(number: number): string {
  let text = ''
  let rest = number
  for (; rest > 31; rest = Math.floor(rest / 32)) text += digits[32 + (rest % 32)]
  return text + digits[rest]
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isOver(): boolean {
    return this.#at >= this.#text.length
  }

  number(): number {
    let number = 0
    for (let factor = 1; ; factor *= 32) {
      const value = this.digit()
      number += (value & 31) * factor
      if (value < 32) return number
    }
  }

  digit(): number {
    const value = values[this.#text.charCodeAt(this.#at)] ?? 0
    this.#at += 1
    return this.#at > this.#text.length ? 0 : value
  }
}

/**
 * One flat text: what is put together by `+=` takes fifty bytes for each posting, until somebody reads it.
 *
 * @param postings in the order of their numbers
 */
export function encodePostings(postings: readonly Posting[]): string {
  const pieces: (string | undefined)[] = []
  let before = 0
  for (const { number, weight } of postings) {
    pieces.push(encodeNumber(number - before), digits[weight])
    before = number
  }
  return pieces.join('')
}

/** @param most postings that are read */
export function decodePostings(text: string, most = Infinity): Posting[] {
  const reader = new Reader(text)
  const postings: Posting[] = []
  for (let number = 0; !reader.isOver && postings.length < most;) {
    number += reader.number()
    postings.push({ number, weight: reader.digit() })
  }
  return postings
}

/** @param parts in the order of their numbers */
export function encodeParts(parts: readonly PartEntry[]): string {
  let text = ''
  let before = 0
  for (const { number, tab, length } of parts) {
    text += encodeNumber(number - before) + digits[tab] + digits[length]
    before = number
  }
  return text
}

export function decodeParts(text: string): PartEntry[] {
  const reader = new Reader(text)
  const parts: PartEntry[] = []
  for (let number = 0; !reader.isOver;) {
    number += reader.number()
    const tab = reader.digit()
    parts.push({ number, tab, length: reader.digit() })
  }
  return parts
}

/** What stands for the characters beyond ASCII in keys: capitals, which words have none of. */
const beyond = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ@$+*!='

/** Most characters of a key. */
export const longestKey = 4

/** The beginning of a word, as keys are made of it: a character of ours for each of its first ones. */
export function keyOf(word: string, length = longestKey): string {
  let key = ''
  let count = 0
  for (const character of word) {
    if (count === length) break
    const code = character.codePointAt(0) ?? 0
    key += code < 128 ? character : beyond[code % beyond.length]
    count += 1
  }
  return key
}

/** Key of the file that a word is in: the longest one that the word begins with. */
export function fileOf(word: string, files: { readonly has: (key: string) => boolean }): string | undefined {
  for (let key = keyOf(word); key !== ''; key = key.slice(0, -1)) if (files.has(key)) return key
  return undefined
}

/** Lines of a file of words: what each word has, by word. */
export function readWords(text: string): Map<string, string> {
  const words = new Map<string, string>()
  for (let at = 0; at < text.length;) {
    const space = text.indexOf(' ', at)
    const end = text.indexOf('\n', space)
    if (space === -1 || end === -1) break
    words.set(text.slice(at, space), text.slice(space + 1, end))
    at = end + 1
  }
  return words
}

/** @param words in the order that they are written in */
export function writeWords(words: Iterable<readonly [word: string, value: string]>): string {
  let text = ''
  for (const [word, value] of words) text += `${word} ${value}\n`
  return text
}

export function rootPath(scope: number): string {
  return `${searchFolder}${scope}.json`
}

export function partPath(number: number): string {
  return `${searchFolder}parts/${number.toString(36)}.json`
}

export function wordsPath(name: string): string {
  return `${searchFolder}words-${name}.txt`
}
