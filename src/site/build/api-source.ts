import { limits } from '../../contract/limits.ts'
import type { Sha256 } from '../../contract/release.ts'
import { sha256 } from '../../lib/digest.ts'
import type { Steps } from '../../lib/slices.ts'
import type { DescriptionIndex } from '../api/form.ts'
import { fieldOfKind, otherName, pathOfPart, settingsPath } from '../api/names.ts'
import type { Source } from '../builder.ts'
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
  /** Of the index in a line and the texts of the parts after it. */
  readonly blob: Sha256
  readonly size: number
}

interface ApiContent {
  /** As docs.json and pages call them. */
  readonly known: ReadonlyMap<string, Description>
  readonly pages: readonly GeneratedPage[]
  /** As JSON. */
  readonly settings: string
}

/** Files of a project, and beside them what pages ask for of descriptions. */
export class ApiSource {
  readonly #sink: BlobSink
  readonly #known: ReadonlyMap<string, Description>
  readonly #settings: string
  /** What is read under blob ids that Git has not. */
  readonly #virtual = new Map<string, () => Promise<Buffer>>()
  /** Texts of parts, while the build is under way. */
  readonly #texts = new Map<string, Promise<string>>()

  private constructor(sink: BlobSink, { known, settings }: ApiContent) {
    this.#sink = sink
    this.#known = known
    this.#settings = settings
  }

  static *of(own: Source, sink: BlobSink, content: ApiContent): Steps<Source> {
    const api = new ApiSource(sink, content)
    const files = new Map(own.files)
    const add = (path: string, oid: string, text: string): void => {
      files.set(
        path,
        api.#add(oid, () => Promise.resolve(Buffer.from(text))),
      )
    }
    const settings = sha256(content.settings)
    add(settingsPath, `settings ${settings}`, content.settings)
    for (const { path, text } of content.pages) {
      yield
      add(path, `page ${sha256(text)}`, text)
    }
    const others: (readonly [path: string, oid: string])[] = []
    for (const [source, { index }] of content.known)
      for (const { kind, name, hash, part } of index.entries) {
        yield
        const oid = api.#add(`part ${sha256(`${hash} ${settings}`)}`, () => api.#bundle(source, part))
        const field = fieldOfKind(kind)
        for (const from of [{ source }, {}]) {
          const path = pathOfPart(field, { ...from, name })
          if (!files.has(path)) files.set(path, oid)
          const other = otherName(name)
          if (other !== undefined) others.push([pathOfPart(field, { ...from, name: other }), oid])
        }
      }
    // Whatever is written with the slash or without it, as the page does, comes first.
    for (const [path, oid] of others) {
      yield
      if (!files.has(path)) files.set(path, oid)
    }
    return { ...own, files, read: (oid) => api.#virtual.get(oid)?.() ?? own.read(oid) }
  }

  #add(oid: string, read: () => Promise<Buffer>): string {
    this.#virtual.set(oid, read)
    return oid
  }

  /** A part with what it refers to, the nearest first, as far as there is room. */
  async #bundle(source: string, turn: number): Promise<Buffer> {
    const description = this.#known.get(source)
    if (description === undefined) throw new Error('a part of a description that is not there')
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
    return Buffer.from(`{"part":${textOf(turn)},"definitions":{${definitions.join(',')}},"settings":${this.#settings}}`)
  }

  #text({ blob }: Description): Promise<string> {
    const known = this.#texts.get(blob)
    if (known !== undefined) return known
    const reading = this.#sink.read(blob).then((bytes) => bytes.toString('utf8', bytes.indexOf('\n') + 1))
    this.#texts.set(blob, reading)
    return reading
  }
}
