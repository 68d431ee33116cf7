import { excerptOf, spotsOf, type Excerpt, type Spot } from './excerpt.ts'
import {
  decodeParts,
  decodePostings,
  fileOf,
  keyOf,
  noTab,
  type IndexRoot,
  type PartEntry,
  type PartText,
} from './format.ts'
import type { IndexFiles } from './files.ts'
import { matchesOf, misspeltOf, synonymsOf, type Match, type Pause } from './matching.ts'
import { formsOf, isUnsaid, isUnspaced, wordsOf } from './words.ts'

/** A section of a page that was found. */
export interface Hit {
  /** Path of the page. */
  readonly path: string
  readonly title: string
  /** What of the title was asked for. */
  readonly titleMarks: Excerpt['marks']
  /** Label of the tab that the page is under; absent for none. */
  readonly tab?: string
  /** Id of the section's heading; empty for what stands over the first. */
  readonly anchor: string
  readonly heading: Excerpt
  readonly excerpt: Excerpt
  readonly score: number
}

export interface SearchOptions {
  /** Only pages under the tab of this label. */
  readonly tab?: string | undefined
  /** Most pages, and sections of each. */
  readonly pages?: number
  readonly sections?: number
}

/** What is looked at of a query: the rest is left out. */
const maxQuery = 200
const maxAsked = 10
/** Files that one word may be looked up in, and words in a name that are looked up by themselves. */
const maxFiles = 3
const maxInName = 8
/** Parts with a word that are looked at, over all words of a query. */
const maxPostings = 250_000
/** Parts that are read, by what words they have, to see where these stand. */
const partsRead = 12

/** Saturation, and how much a long part is held back: as in BM25. */
const saturation = 8
const lengthNormalised = 0.4

/** A word that is asked for: its forms, the whole of a name first, and whether it may go on. */
interface Asked {
  readonly forms: readonly string[]
  readonly isWhole: boolean
  /** With its neighbours in one word: `web hook` may mean `webhook`. */
  readonly joined: readonly string[]
}

/** Searches the pages of one version and language of a site. The service and browsers search with it. */
export class SearchIndex {
  readonly root: IndexRoot
  readonly #source: IndexFiles
  readonly #parts: ReadonlyMap<number, PartEntry>
  readonly #files: ReadonlySet<string>
  readonly #meanLength: number
  readonly #pause: Pause

  private constructor(root: IndexRoot, source: IndexFiles, pause: Pause) {
    const parts = decodeParts(root.parts)
    this.root = root
    this.#source = source
    this.#parts = new Map(parts.map((part) => [part.number, part]))
    this.#files = new Set(Object.keys(root.words))
    this.#meanLength = parts.reduce((sum, { length }) => sum + sizeOf(length), 0) / Math.max(1, parts.length)
    this.#pause = pause
  }

  /** @param pause is waited for between pieces of work of some milliseconds, where others must be answered meanwhile */
  static async open(source: IndexFiles, pause: Pause = () => undefined): Promise<SearchIndex> {
    return new SearchIndex(await source.root(), source, pause)
  }

  /** The sections that say most about a query, by page, best first. */
  async search(query: string, options: SearchOptions = {}): Promise<readonly Hit[]> {
    const { pages = 8, sections = 3 } = options
    const text = query.slice(0, maxQuery).toWellFormed().trim()
    const asked = askedIn(query.slice(0, maxQuery).toWellFormed())
    if (asked.length === 0) return []
    const found = await Promise.all(asked.map((word) => this.#matches(word)))
    const best = topOf(await this.#scores(found, options.tab), isBegun(asked) ? partsRead / 2 : partsRead)
    const hits = await Promise.all(
      best.map(async ({ number, score }) => {
        const part = await this.#source.part(number)
        await this.#pause()
        return this.#hitsIn(part, { number, score, found, text })
      }),
    )
    return arranged(hits.flat(), pages, sections)
  }

  /** Words of the index that answer one that is asked for, with what they have. */
  async #matches(asked: Asked): Promise<readonly FoundWord[]> {
    const found = new Map<string, FoundWord>()
    const add = async (form: string, isWhole: boolean, factor: number): Promise<boolean> => {
      const files = await this.#wordsFor(form, isWhole)
      await this.#pause()
      const words = files.flatMap((file) => [...file.keys()])
      let isAny = false
      const matches = await matchesOf(form, words, { isWhole: isWhole || isUnspaced(form), pause: this.#pause })
      for (const { word, closeness } of matches) {
        isAny ||= closeness >= 0.5
        addFound(found, { word, closeness: closeness * factor }, valueIn(files, word) ?? '')
      }
      return isAny
    }
    const [whole = '', ...rest] = asked.forms
    const isKnown = await add(whole, asked.isWhole, 1)
    if (!isKnown) await Promise.all(rest.slice(0, maxInName).map((part) => add(part, true, 0.6)))
    await Promise.all(asked.joined.map((word) => this.#exactly(word, 0.8, found)))
    await Promise.all(asked.joined.flatMap(synonymsOf).map((word) => this.#exactly(word, 0.8, found)))
    await Promise.all(
      synonymsOf(whole)
        .slice(0, 3)
        .map((word) => this.#exactly(word, 0.55, found)),
    )
    if (!isKnown && rest.length === 0 && whole.length > 4) await this.#respelt(whole, asked.isWhole, found)
    return [...found.values()]
  }

  /** Adds a word itself. */
  async #exactly(word: string, closeness: number, found: Map<string, FoundWord>): Promise<void> {
    const value = valueIn(await this.#wordsFor(word, true), word)
    if (value !== undefined) addFound(found, { word, closeness }, value)
  }

  /** Looks among words of titles for one that is misspelt in its first letters, where files of words are not looked at. */
  async #respelt(asked: string, isWhole: boolean, found: Map<string, FoundWord>): Promise<void> {
    const { titles } = this.root
    if (titles === undefined) return
    const known = await this.#source.words(titles)
    const matches = await misspeltOf(asked, [...known.keys()], { isWhole, pause: this.#pause })
    await Promise.all(matches.slice(0, 3).map(({ word, closeness }) => this.#exactly(word, closeness, found)))
  }

  /** The files of words that begin as a word does; where it may go on, those of what it may go on with, too. */
  async #wordsFor(word: string, isWhole: boolean): Promise<readonly ReadonlyMap<string, string>[]> {
    const key = keyOf(word)
    const own = fileOf(word, this.#files)
    const keys = own === undefined ? [] : [own]
    if (!isWhole) for (const file of this.#files) if (file.startsWith(key) && file !== own) keys.push(file)
    return Promise.all(keys.slice(0, maxFiles).map((name) => this.#source.words(this.root.words[name] ?? '')))
  }

  /** The parts with most of the words. */
  async #scores(
    found: readonly (readonly FoundWord[])[],
    tab: string | undefined,
  ): Promise<{ number: number; score: number }[]> {
    const wantedTab = tab === undefined ? undefined : this.root.tabs.indexOf(tab)
    const scores = new Map<number, number>()
    const counts = new Map<number, number>()
    let left = maxPostings
    for (const words of found) {
      const best = new Map<number, number>()
      for (const { closeness, value } of words) {
        await this.#pause()
        if (left <= 0) break
        const postings = decodePostings(value, left)
        left -= postings.length
        const rarity = Math.log(1 + (this.#parts.size - postings.length + 0.5) / (postings.length + 0.5))
        for (const { number, weight } of postings) {
          const part = this.#parts.get(number)
          if (part === undefined || (wantedTab !== undefined && part.tab !== wantedTab)) continue
          const norm = 1 - lengthNormalised + (lengthNormalised * sizeOf(part.length)) / this.#meanLength
          const score = closeness * (0.3 + rarity) * ((weight * (saturation + 1)) / (weight + saturation * norm))
          if (score > (best.get(number) ?? 0)) best.set(number, score)
        }
      }
      for (const [number, score] of best) {
        scores.set(number, (scores.get(number) ?? 0) + score)
        counts.set(number, (counts.get(number) ?? 0) + 1)
      }
    }
    return [...scores].map(([number, score]) => ({
      number,
      score: score * ((counts.get(number) ?? 0) / found.length) ** 1.5,
    }))
  }

  /** The sections of a part that answer the query, each with how well. */
  #hitsIn(
    { path, title, keywords = '', boost = 1, sections }: PartText,
    {
      number,
      score,
      found,
      text,
    }: {
      readonly number: number
      readonly score: number
      readonly found: readonly (readonly FoundWord[])[]
      readonly text: string
    },
  ): Hit[] {
    const wanted = new Map<string, number>()
    const closeness = new Map<string, number>()
    for (const [asked, words] of found.entries())
      for (const word of words) {
        if ((closeness.get(word.word) ?? 0) >= word.closeness) continue
        closeness.set(word.word, word.closeness)
        wanted.set(word.word, asked)
      }
    const tab = this.root.tabs[this.#parts.get(number)?.tab ?? noTab]
    const titleSpots = spotsOf(title, wanted)
    const inTitle = new Set(titleSpots.map(({ asked }) => asked))
    /** What is asked for and stands over all sections, shown or not. */
    const named = new Set([...inTitle, ...spotsOf(keywords, wanted).map(({ asked }) => asked)])
    const phrase = text.toLowerCase()
    const isTitle = title.toLowerCase() === phrase
    const hits: Hit[] = []
    for (const [anchor, heading, body] of sections) {
      const inHeading = spotsOf(heading, wanted)
      const inBody = spotsOf(body, wanted)
      const asked = new Set([...inHeading, ...inBody].map((spot) => spot.asked))
      const headed = new Set(inHeading.map((spot) => spot.asked))
      const isLead = sections[0]?.[0] === anchor && named.size > 0
      if (asked.size === 0 && !isLead) continue
      const covered = new Set([...asked, ...named]).size / found.length
      let factor = 0.4 + 0.6 * covered + 0.35 * (headed.size / found.length) + 0.35 * (inTitle.size / found.length)
      if (isLead && named.size === found.length) factor += 0.3
      if (heading.toLowerCase() === phrase) factor += 0.5
      if (isTitle && isLead) factor += 0.8
      if (found.length > 1 || /[^\p{L}\p{N}]/u.test(phrase)) if (body.toLowerCase().includes(phrase)) factor += 0.25
      hits.push({
        path,
        title,
        ...(tab === undefined ? {} : { tab }),
        anchor,
        titleMarks: marksOf(titleSpots),
        heading: { text: heading, marks: marksOf(inHeading) },
        excerpt: excerptOf(body, inBody),
        score: score * factor * boost,
      })
    }
    return hits
  }
}

/** A word of the index, what it has, and how well it answers. */
interface FoundWord extends Match {
  readonly value: string
}

function valueIn(files: readonly ReadonlyMap<string, string>[], word: string): string | undefined {
  return files.find((file) => file.has(word))?.get(word)
}

function addFound(found: Map<string, FoundWord>, match: Match, value: string): void {
  if ((found.get(match.word)?.closeness ?? 0) < match.closeness) found.set(match.word, { ...match, value })
}

/** Whether it has just been begun: little of what is found then is looked at. */
function isBegun(asked: readonly Asked[]): boolean {
  const last = asked.at(-1)
  return last?.isWhole === false && (last.forms[0] ?? '').length < 4
}

/** Words of a query: those that say nothing only where there is no other. */
function askedIn(query: string): readonly Asked[] {
  const written = wordsOf(query)
  const isOpen = /[\p{L}\p{M}\p{N}_]$/u.test(query)
  const small = written.map((word) => word.toLowerCase())
  const all = written.flatMap((word, index): Asked[] => {
    const isWhole = index < written.length - 1 || !isOpen
    const forms = formsOf(word)
    if (isUnspaced(word)) return forms.map((form) => ({ forms: [form], isWhole: true, joined: [] }))
    const joined = [
      ...(index > 0 ? [`${small[index - 1]}${small[index]}`] : []),
      ...(index < written.length - 1 ? [`${small[index]}${small[index + 1]}`] : []),
    ]
    return [{ forms, isWhole, joined }]
  })
  const said = all.filter(({ forms, isWhole }) => !isWhole || !isUnsaid(forms[0] ?? ''))
  return (said.length === 0 ? all : said).slice(0, maxAsked)
}

function marksOf(spots: readonly Spot[]): Excerpt['marks'] {
  return spots.map(({ start, end }) => [start, end] as const)
}

function sizeOf(step: number): number {
  return 8 * (2 ** (step / 3) - 1)
}

function topOf<T extends { readonly score: number }>(all: readonly T[], most: number): T[] {
  return all.toSorted((one, other) => other.score - one.score).slice(0, most)
}

/** Pages by their best section, and of each its best sections in the order of their scores. */
function arranged(hits: readonly Hit[], pages: number, sections: number): Hit[] {
  const byPage = new Map<string, Hit[]>()
  for (const hit of topOf(hits, hits.length)) {
    const known = byPage.get(hit.path)
    if (known === undefined) byPage.set(hit.path, [hit])
    else if (known.length < sections) known.push(hit)
  }
  return [...byPage.values()].slice(0, pages).flat()
}
