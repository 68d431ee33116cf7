import { limits } from '../../contract/limits.ts'
import type { Sha256 } from '../../contract/release.ts'
import { sha256 } from '../../lib/digest.ts'
import type { Steps } from '../../lib/slices.ts'
import type { DescriptionIndex } from '../api/form.ts'
import { fieldOfKind, otherName, pathOfPart, settingsPath } from '../api/names.ts'
import type { GeneratedPage } from '../config/operations.ts'
import type { Frozen } from '../page.ts'
import type { BlobSink } from './blobs.ts'

/** Bytes of what a page gets of a description: what is further away than that is named on it, and not shown. */
const bundleBytes = limits.pageBytes - 16 * 1024
/** Parts that had no room, before no other is tried. */
const mostMisses = 20

/** A description that can be used. */
export interface Description {
  readonly index: Frozen<DescriptionIndex>
  /** Of what is known of it in a line, the index, and the texts of the parts. */
  readonly blob: Sha256
  /** Byte of the blob where these texts begin. */
  readonly start: number
  readonly size: number
}

interface ApiContent {
  /** As docs.json and pages call them. */
  readonly known: ReadonlyMap<string, Description>
  readonly pages: readonly GeneratedPage[]
  /** As JSON. */
  readonly settings: string
}

/** Files that descriptions add to those of a project: pages that nobody wrote, and what pages ask for as `api:…`. */
export interface ApiFiles {
  /** Blob ids that Git has not, by path. */
  readonly files: ReadonlyMap<string, string>
  /** What is read under these. */
  readonly contents: ReadonlyMap<string, string | PartFile>
}

interface PartFile {
  readonly description: Description
  readonly turn: number
  /** As JSON. */
  readonly settings: string
}

export const noApiFiles: ApiFiles = { files: new Map(), contents: new Map() }

export function* apiFiles({ known, pages, settings }: ApiContent): Steps<ApiFiles> {
  const files = new Map<string, string>()
  const contents = new Map<string, string | PartFile>()
  const add = (path: string, oid: string, content: string | PartFile): void => {
    if (!files.has(path)) files.set(path, oid)
    contents.set(oid, content)
  }
  const ofSettings = sha256(settings)
  add(settingsPath, `settings ${ofSettings}`, settings)
  for (const { path, text } of pages) {
    yield
    add(path, `page ${sha256(text)}`, text)
  }
  const others: (readonly [path: string, oid: string])[] = []
  for (const [source, description] of known)
    for (const { kind, name, hash, part } of description.index.entries) {
      yield
      const oid = `part ${sha256(`${hash} ${ofSettings}`)}`
      const field = fieldOfKind(kind)
      for (const from of [{ source }, {}]) {
        add(pathOfPart(field, { ...from, name }), oid, { description, turn: part, settings })
        const other = otherName(name)
        if (other !== undefined) others.push([pathOfPart(field, { ...from, name: other }), oid])
      }
    }
  // Whatever is written with the slash or without it, as the page does, comes first.
  for (const [path, oid] of others) {
    yield
    if (!files.has(path)) files.set(path, oid)
  }
  return { files, contents }
}

/** Reads what descriptions add, in one build. */
export class ApiReader {
  readonly #sink: BlobSink
  readonly #all: readonly ApiFiles[]
  /** Texts of parts. */
  readonly #texts = new Map<string, Promise<string>>()

  constructor(sink: BlobSink, all: readonly ApiFiles[]) {
    this.#sink = sink
    this.#all = all
  }

  /** Undefined for a blob of Git. */
  read(oid: string): Promise<Buffer> | undefined {
    const content = this.#all.find(({ contents }) => contents.has(oid))?.contents.get(oid)
    if (content === undefined) return undefined
    return typeof content === 'string' ? Promise.resolve(Buffer.from(content)) : this.#bundle(content)
  }

  /** A part with what it refers to, the nearest first, as far as there is room. */
  async #bundle({ description, turn, settings }: PartFile): Promise<Buffer> {
    const { parts } = description.index
    const text = await this.#text(description)
    const textOf = (at: number): string => {
      const [, start, length] = parts[at] ?? ['', 0, 0, []]
      return text.slice(start, start + length)
    }
    const turns = new Set([turn])
    let bytes = 0
    let misses = 0
    const definitions: string[] = []
    for (const each of turns) {
      const part = parts[each]
      if (part === undefined) continue
      const value = textOf(each)
      const size = Buffer.byteLength(value) + Buffer.byteLength(part[0])
      // What is too large is named on the page; smaller ones may still fit.
      if (bytes + size > bundleBytes) {
        misses += 1
        if (misses > mostMisses) break
        continue
      }
      bytes += size
      if (each !== turn) definitions.push(`${JSON.stringify(part[0])}:${value}`)
      for (const reference of part[3]) turns.add(reference)
    }
    const key = JSON.stringify(parts[turn]?.[0] ?? '')
    const known = definitions.join(',')
    return Buffer.from(`{"key":${key},"part":${textOf(turn)},"definitions":{${known}},"settings":${settings}}`)
  }

  #text({ blob, start }: Description): Promise<string> {
    const known = this.#texts.get(blob)
    if (known !== undefined) return known
    const reading = this.#sink.read(blob).then((bytes) => bytes.toString('utf8', start))
    this.#texts.set(blob, reading)
    return reading
  }
}
