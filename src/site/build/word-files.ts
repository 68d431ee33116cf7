import type { FileRoute } from '../../contract/release.ts'
import { flatCopy } from '../../lib/flat-copy.ts'
import { inSlices, sorted, type Steps } from '../../lib/slices.ts'
import {
  decodePostings,
  encodePostings,
  fileOf,
  keyOf,
  longestKey,
  mostWeight,
  readWords,
  writeWords,
} from '../search/format.ts'
import type { PartWords } from '../search/parts.ts'
import type { BlobSink } from './blobs.ts'

/** Files of words, by the key that words in them begin with. */
export interface StoredFiles {
  readonly words: ReadonlyMap<string, FileRoute>
  /** Words in titles and headings, each with the number of parts that have it there. */
  readonly titles: FileRoute | undefined
}

interface Writing {
  readonly sink: BlobSink
  readonly signal: AbortSignal | undefined
}

/** What one site may have: distinct words, words of parts, and of titles. What comes after is not found. */
const maxWords = 250_000
const maxPostings = 8_000_000
const maxTitles = 6000

/** Bytes of a file of words, about, by the number of parts: with it grows what each word has. */
function fileBytes(parts: number): number {
  return 12_000 * Math.max(1, Math.sqrt(parts / 1024))
}

const overgrown = 4
const weightFactor = mostWeight + 1

/** Collects the words of the parts of a site, and writes them as files. */
export class WordFiles {
  /** Where in `#postings` the last one of a word is. */
  readonly #last = new Map<string, number>()
  readonly #postings = new Chains()
  readonly #titles = new Map<string, number>()

  /** Writes what was collected; nothing can be added after. */
  async write(parts: number, { sink, signal }: Writing): Promise<StoredFiles> {
    const lines = await inSlices(this.#lines(), signal)
    const keys = await inSlices(keysFor(lines, fileBytes(parts)), signal)
    const byFile = await inSlices(dealt(lines, keys), signal)
    const words = new Map<string, FileRoute>()
    for (const [key, own] of byFile) {
      words.set(key, await inSlices(writeFile(own, sink), signal))
      await sink.flushIfFull()
    }
    const titles = await inSlices(writeTitles(this.#titles, sink), signal)
    return { words, titles }
  }

  /** @param number larger than those before */
  *add(number: number, { weights, titles }: PartWords): Steps<void> {
    for (const [word, weight] of weights) {
      yield
      if (this.#postings.size >= maxPostings) return
      const known = this.#last.get(word)
      if (known === undefined && this.#last.size >= maxWords) continue
      const last = this.#postings.add(number * weightFactor + weight, known)
      this.#last.set(known === undefined ? flatCopy(word) : word, last)
    }
    for (const word of titles) addTitle(this.#titles, word, 1)
  }

  *#lines(): Steps<Line[]> {
    const lines: Line[] = []
    for (const [word, last] of this.#last) {
      const entries = this.#postings.endingAt(last)
      yield entries.length > 500 ? 'large' : undefined
      const postings = entries.map((entry) => ({
        number: Math.floor(entry / weightFactor),
        weight: entry % weightFactor,
      }))
      lines.push([word, encodePostings(postings)])
    }
    this.#last.clear()
    return yield* sorted(lines, byWord)
  }
}

/** Numbers of a chain that are held in one piece. */
const chainPiece = 64 * 1024

/**
 * Lists of numbers that grow by turns, millions in hundreds of thousands of lists: one array for all of them, since one
 * for each would be mostly room for what may come.
 */
class Chains {
  readonly #pieces: { readonly numbers: Uint32Array; readonly earlier: Uint32Array }[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** @param last where the last number of the same list is @returns where this one is */
  add(number: number, last: number | undefined): number {
    const at = this.#size++
    const within = at % chainPiece
    if (within === 0) this.#pieces.push({ numbers: new Uint32Array(chainPiece), earlier: new Uint32Array(chainPiece) })
    const piece = this.#pieces.at(-1)!
    piece.numbers[within] = number
    // 0: none; others count from 1.
    piece.earlier[within] = last === undefined ? 0 : last + 1
    return at
  }

  /** A list, by where its last number is: in the order that they came. */
  endingAt(last: number): number[] {
    const list: number[] = []
    for (let next = last + 1; next > 0;) {
      const piece = this.#pieces[Math.floor((next - 1) / chainPiece)]!
      const within = (next - 1) % chainPiece
      list.push(piece.numbers[within]!)
      next = piece.earlier[within]!
    }
    return list.toReversed()
  }
}

type Line = readonly [word: string, value: string]

function byWord([one]: Line, [other]: Line): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The keys of files that hold about as many bytes each: where words of one beginning are many, more of it is the key. */
function* keysFor(lines: readonly Line[], bytes: number): Steps<Set<string>> {
  const sizes = new Map<string, number>()
  for (const [word, value] of lines) {
    yield
    const key = keyOf(word)
    for (let length = 1; length <= key.length; length += 1) {
      const start = key.slice(0, length)
      sizes.set(start, (sizes.get(start) ?? 0) + word.length + value.length + 2)
    }
  }
  const keys = new Set<string>()
  for (const [key, size] of sizes) {
    yield
    const above = sizes.get(key.slice(0, -1)) ?? Infinity
    if (key.length === 1 || (size > bytes / 4 && above > bytes)) keys.add(key)
  }
  return keys
}

function* dealt(lines: readonly Line[], keys: ReadonlySet<string>): Steps<Map<string, Line[]>> {
  const files = new Map<string, Line[]>()
  for (const line of lines) {
    yield
    const key = fileOf(line[0], keys) ?? ''
    const file = files.get(key)
    if (file === undefined) files.set(key, [line])
    else file.push(line)
  }
  return files
}

/** Lines that are joined without a pause. */
const joinedAtOnce = 200

/** Characters of a file, whatever its words begin with: who looks one of them up loads it whole. What comes after is not found. */
const longestFile = 512 * 1024

function* writeFile(lines: readonly Line[], sink: BlobSink): Steps<FileRoute> {
  let text = ''
  for (let at = 0; at < lines.length && text.length < longestFile; at += joinedAtOnce) {
    text += writeWords(lines.slice(at, at + joinedAtOnce))
    yield 'large'
  }
  return fileRoute(yield* sink.addSteps(Buffer.from(text)))
}

function* writeTitles(titles: ReadonlyMap<string, number>, sink: BlobSink): Steps<FileRoute | undefined> {
  if (titles.size === 0) return undefined
  const lines = [...titles].map(([word, count]): Line => [word, count.toString(36)])
  return yield* writeFile(yield* sorted(lines, byWord), sink)
}

function fileRoute(stored: { readonly blob: string; readonly size: number }): FileRoute {
  return { kind: 'file', ...stored, type: 'text/plain; charset=utf-8', hashed: true }
}

function addTitle(titles: Map<string, number>, word: string, change: number): void {
  const count = titles.get(word)
  if (count === undefined && titles.size >= maxTitles) return
  const now = (count ?? 0) + change
  if (now > 0) titles.set(count === undefined ? flatCopy(word) : word, now)
  else titles.delete(word)
}

/** What was said by a part, and what is said now. */
export interface Changed {
  readonly number: number
  readonly before?: PartWords
  readonly after?: PartWords
}

/** Weights by the numbers of parts; 0 takes a part away. */
type WeightChanges = Map<number, number>

/** Writes those files anew that have words of which something changed. */
export async function changeFiles(
  files: StoredFiles,
  changes: readonly Changed[],
  { sink, signal }: Writing,
): Promise<StoredFiles> {
  const wanted = await inSlices(changesByWord(changes), signal)
  const words = new Map(files.words)
  const byFile = new Map<string, Map<string, WeightChanges>>()
  for (const [word, change] of wanted) {
    const key = fileOf(word, words) ?? keyOf(word, 1)
    const known = byFile.get(key)
    if (known === undefined) byFile.set(key, new Map([[word, change]]))
    else known.set(word, change)
  }
  for (const [key, own] of byFile) {
    const file = words.get(key)
    const text = file === undefined ? '' : (await sink.read(file.blob)).toString()
    const changed = await inSlices(changeFile(text, own, sink), signal)
    if (changed === undefined) words.delete(key)
    else words.set(key, changed)
  }
  return { words, titles: await changeTitles(files.titles, changes, { sink, signal }) }
}

function* changesByWord(changes: readonly Changed[]): Steps<Map<string, WeightChanges>> {
  const then = new Map<number, ReadonlyMap<string, number>>()
  for (const { number, before } of changes) if (before !== undefined) then.set(number, before.weights)
  const now = new Map<number, ReadonlyMap<string, number>>()
  for (const { number, after } of changes) if (after !== undefined) now.set(number, after.weights)
  const changed = new Map<string, WeightChanges>()
  const put = (word: string, number: number, weight: number): void => {
    const known = changed.get(word)
    if (known === undefined) changed.set(word, new Map([[number, weight]]))
    else known.set(number, weight)
  }
  for (const [number, weights] of then) {
    const other = now.get(number)
    for (const word of weights.keys()) {
      yield
      if (other?.has(word) !== true) put(word, number, 0)
    }
  }
  for (const [number, weights] of now) {
    const other = then.get(number)
    for (const [word, weight] of weights) {
      yield
      if (other?.get(word) !== weight) put(word, number, weight)
    }
  }
  return changed
}

/** Undefined where nothing is left. */
function* changeFile(
  text: string,
  changes: ReadonlyMap<string, WeightChanges>,
  sink: BlobSink,
): Steps<FileRoute | undefined> {
  const words = readWords(text)
  yield 'large'
  let hasNew = false
  for (const [word, weights] of changes) {
    yield 'large'
    const value = words.get(word)
    const merged = new Map<number, number>()
    for (const { number, weight } of decodePostings(value ?? '')) merged.set(number, weight)
    for (const [number, weight] of weights) {
      if (weight === 0) merged.delete(number)
      else merged.set(number, weight)
    }
    const postings = [...merged].map(([number, weight]) => ({ number, weight }))
    postings.sort((one, other) => one.number - other.number)
    if (postings.length === 0) words.delete(word)
    else words.set(word, encodePostings(postings))
    hasNew ||= value === undefined
  }
  if (words.size === 0) return undefined
  const lines: Line[] = [...words]
  return yield* writeFile(hasNew ? yield* sorted(lines, byWord) : lines, sink)
}

async function changeTitles(
  file: FileRoute | undefined,
  changes: readonly Changed[],
  { sink, signal }: Writing,
): Promise<FileRoute | undefined> {
  const counts = new Map<string, number>()
  for (const { before, after } of changes) {
    for (const word of before?.titles ?? []) counts.set(word, (counts.get(word) ?? 0) - 1)
    for (const word of after?.titles ?? []) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const changed = [...counts].filter(([, count]) => count !== 0)
  if (changed.length === 0) return file
  const text = file === undefined ? '' : (await sink.read(file.blob)).toString()
  const titles = new Map<string, number>()
  for (const [word, count] of readWords(text)) titles.set(word, Number.parseInt(count, 36))
  for (const [word, count] of changed) addTitle(titles, word, count)
  return inSlices(writeTitles(titles, sink), signal)
}

/** Whether words have come to a file until it is much larger than files are to be. */
export function isOvergrown({ words }: StoredFiles, parts: number): boolean {
  const most = overgrown * fileBytes(parts)
  // What all have in one word cannot be divided.
  return [...words].some(([key, { size }]) => size > most && key.length < longestKey)
}
