import type { ErrorDetail } from '../../contract/common.ts'
import type { FileRoute } from '../../contract/release.ts'
import { withBase } from '../../lib/base-path.ts'
import { show } from '../../lib/json-reader.ts'
import { parseUrl } from '../../lib/parse-url.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import type { AssetRecords, BlobSink } from './blobs.ts'
import type { Copies } from './copies.ts'
import { maxFont, publishFont, rankOf } from './fonts.ts'

/** Bytes of one style sheet: each reader of each page loads all of them. */
export const maxSheet = 512 * 1024
/** With the addresses that it gets: where it stands deep in folders, each of them is long. */
const maxWritten = 2 * maxSheet
/** Of a build: sheets of other hosts, faces of fonts there, bytes of those together, and how many are copied at once. */
const most = { sheets: 8, faces: 120, bytes: 16 * 1024 * 1024, atOnce: 6 } as const
const site = 'https://site.invalid'

/** A style sheet as readers get it. */
export interface PublishedSheet {
  /** Its URL path. */
  readonly href: string
  /** Itself, and what was copied for it, by URL path. */
  readonly routes: ReadonlyMap<string, FileRoute>
  /** What was copied, by URL. */
  readonly copies: AssetRecords
  readonly warnings: readonly ErrorDetail[]
  /** Whether everything that it names elsewhere was copied. */
  readonly isWhole: boolean
}

interface SheetSources {
  readonly sink: BlobSink
  readonly copies: Copies
  readonly base: string
  readonly signal: AbortSignal | undefined
}

/** What one sheet names: rules `@import`, and of each `@font-face` the addresses of its font, best first. */
interface Named {
  readonly imports: readonly Place[]
  readonly faces: readonly { readonly rank: number; readonly places: readonly Place[] }[]
}
interface Place {
  readonly url: string
  readonly offset: number
}

/**
 * Publishes the style sheets of a site, with the style sheets and fonts of other hosts that they name: these are copied
 * once, so that readers ask nobody but the site. What cannot be copied stays as it is written, and browsers refuse it.
 */
export class StyleSheets {
  readonly #sink: BlobSink
  readonly #copies: Copies
  /** The base path of the site. */
  readonly #base: string
  readonly #signal: AbortSignal | undefined
  readonly #room: Record<'sheets' | 'faces' | 'bytes', number>

  constructor({ sink, copies, base, signal }: SheetSources) {
    this.#sink = sink
    this.#copies = copies
    this.#base = base
    this.#signal = signal
    this.#room = { sheets: most.sheets, faces: most.faces, bytes: most.bytes }
  }

  /** @param path of the file in the project */
  async publish(path: string, text: string): Promise<PublishedSheet> {
    const page = new Publishing(path, text)
    const base = new URL(path.split('/').map(encodeURIComponent).join('/'), `${site}/`)
    const href = await this.#sheet(text, base, page)
    const isWhole = page.warnings.every(({ rule }) => rule !== 'script-remote')
    return { href, routes: page.routes, copies: page.copies, warnings: page.warnings, isWhole }
  }

  /** Writes a sheet, with addresses of what was copied for it. */
  async #sheet(text: string, base: URL, into: Publishing): Promise<string> {
    const named = await inSlices(namedIn(text, base), this.#signal)
    const copied = new Map<string, string>()
    await this.#imports(named.imports, base, { into, copied })
    await this.#fonts(named.faces, { into, copied })
    return inSlices(this.#write(text, base, { into, copied }), this.#signal)
  }

  *#write(text: string, base: URL, { into, copied }: Target): Steps<string> {
    const { css, left } = yield* withAddresses(text, { of: base, base: this.#base, copied })
    if (left !== undefined) into.cut(left)
    const bytes = Buffer.from(css)
    yield 'large'
    const { blob, size } = this.#sink.add(bytes)
    yield 'large'
    const href = `/_quire/own/${blob.slice(0, 20)}.css`
    into.routes.set(href, { kind: 'file', blob, size, type: 'text/css; charset=utf-8', immutable: true })
    return href
  }

  /** Of the site's own sheets: those of other hosts import no further ones. */
  async #imports(imports: Named['imports'], base: URL, { into, copied }: Target): Promise<void> {
    const kept = base.origin === site ? imports.slice(0, this.#room.sheets) : []
    this.#room.sheets -= kept.length
    for (const { url, offset } of kept) {
      try {
        const text = (await this.#read(url, maxSheet, into)).toString('utf8')
        copied.set(url, await this.#sheet(text, new URL(url), into.below(offset)))
      } catch (error) {
        this.#signal?.throwIfAborted()
        into.refuse(offset, `The style sheet ${show(url)} is left out`, error)
      }
    }
    const [left] = imports.slice(kept.length)
    if (left === undefined) return
    const what =
      base.origin === site
        ? `At most ${most.sheets} style sheets of other hosts are copied`
        : 'The style sheet of another host imports further ones'
    into.refuse(left.offset, `${what}: ${show(left.url)} is left out`)
  }

  async #fonts(faces: Named['faces'], target: Target): Promise<void> {
    const sorted = faces.toSorted((one, other) => one.rank - other.rank)
    const kept = sorted.slice(0, this.#room.faces)
    this.#room.faces -= kept.length
    for (let start = 0; start < kept.length; start += most.atOnce) {
      const some = kept.slice(start, start + most.atOnce)
      await Promise.all(some.map(({ places }) => this.#face(places, target)))
      await this.#sink.flushIfFull()
    }
    const [left] = sorted.slice(kept.length)
    if (left === undefined) return
    const message = `Of the fonts of other hosts that style sheets name, ${most.faces} files are copied; ${sorted.length - kept.length} more are left out`
    target.into.refuse(left.places[0]?.offset ?? 0, message)
  }

  /** The first of its files that browsers read. */
  async #face(places: readonly Place[], { into, copied }: Target): Promise<void> {
    let failure: unknown
    for (const { url } of places) {
      if (copied.has(url)) return
      try {
        const bytes = await this.#read(url, maxFont, into)
        const { src, route } = publishFont(bytes, this.#sink)
        into.routes.set(src, route)
        copied.set(url, src)
        return
      } catch (error) {
        this.#signal?.throwIfAborted()
        failure ??= error
      }
    }
    into.refuse(places[0]?.offset ?? 0, `The font ${show(places[0]?.url ?? '')} is left out`, failure)
  }

  async #read(url: string, maxBytes: number, into: Publishing): Promise<Buffer> {
    if (this.#room.bytes <= 0) throw new Error(`at most ${most.bytes / 1024 / 1024} MB are copied.`)
    const bytes = await this.#copies.read(url, maxBytes)
    this.#room.bytes -= bytes.length
    const record = this.#copies.records[url]
    if (record !== undefined) into.copies[url] = record
    return bytes
  }
}

interface Target {
  readonly into: Publishing
  /** Where what was copied is, by its own address. */
  readonly copied: Map<string, string>
}

/** What comes of one file, and of what it imports. */
class Publishing {
  readonly routes: Map<string, FileRoute>
  readonly copies: Record<string, AssetRecords[string]>
  readonly warnings: ErrorDetail[]
  readonly #path: string
  readonly #text: string
  /** In a sheet that is imported, where that is done. */
  readonly #at: number | undefined
  #counted = { offset: 0, line: 1 }

  constructor(path: string, text: string, whole?: Publishing, at?: number) {
    this.#path = path
    this.#text = text
    this.#at = at
    this.routes = whole?.routes ?? new Map<string, FileRoute>()
    this.copies = whole?.copies ?? {}
    this.warnings = whole?.warnings ?? []
  }

  below(offset: number): Publishing {
    return new Publishing(this.#path, this.#text, this, offset)
  }

  refuse(offset: number, message: string, error?: unknown): void {
    const why = error instanceof Error ? `: ${error.message}` : '.'
    const line = this.#lineOf(offset)
    // Where one font of a family fails, the others do.
    if (this.warnings.some((found) => found.line === line)) return
    this.warnings.push({ path: this.#path, line, rule: 'script-remote', message: message + why })
  }

  /** From there on addresses stay as they are. */
  cut(offset: number): void {
    const message = `With its addresses the style sheet has more than ${maxWritten / 1024} kB: those from here on stay as they are written. Put it nearer to what it names, or into several files.`
    this.warnings.push({ path: this.#path, line: this.#lineOf(offset), rule: 'file-unpublished', message })
  }

  /** Counts on from where it was asked before: a sheet may be half a million lines, and hundreds of its places are told. */
  #lineOf(place: number): number {
    const offset = this.#at ?? place
    if (offset < this.#counted.offset) this.#counted = { offset: 0, line: 1 }
    let { line } = this.#counted
    for (let at = this.#counted.offset; at < offset; at++) if (this.#text.charCodeAt(at) === 10) line += 1
    this.#counted = { offset, line }
    return line
  }
}

/** Where an address in a sheet leads: to the site, or to another host, always by https. Undefined for others. */
function resolve(address: string, base: URL): URL | undefined {
  const url = address.startsWith('#') ? undefined : parseUrl(address, base)
  if (url === undefined) return undefined
  if (url.protocol === 'http:') url.protocol = 'https:'
  return url.protocol === 'https:' ? url : undefined
}

function* namedIn(text: string, base: URL): Steps<Named> {
  const placeOf = (address: string, offset: number): Place[] => {
    const url = resolve(address, base)
    return url === undefined || url.origin === site ? [] : [{ url: url.href, offset }]
  }
  const imports: Place[] = []
  for (const { 1: address = '', index } of text.matchAll(importPattern)) {
    yield
    imports.push(...placeOf(address, index))
  }
  const faces: Named['faces'][number][] = []
  for (const { 0: rule, 1: alphabet = '', index } of text.matchAll(facePattern)) {
    yield
    const places = [...rule.matchAll(urlPattern)].slice(0, 8).flatMap((match) => placeOf(match[1] ?? '', index))
    const best = (url: string): number => (/\.woff2\b/i.test(url) ? 0 : 1)
    if (places.length > 0)
      faces.push({ rank: rankOf(alphabet), places: places.toSorted((a, b) => best(a.url) - best(b.url)) })
  }
  return { imports, faces }
}

/** The sheet with addresses that hold where it is served, and ones of copies. @returns also where the first one stands that it has no room for */
function* withAddresses(
  text: string,
  { of, base, copied }: { readonly of: URL; readonly base: string; readonly copied: ReadonlyMap<string, string> },
): Steps<{ readonly css: string; readonly left?: number }> {
  const written = (address: string): string => {
    const url = resolve(address, of)
    if (url === undefined) return address
    if (url.origin === site) return withBase(url.pathname + url.search + url.hash, base)
    const copy = copied.get(url.href)
    if (copy !== undefined) return withBase(copy, base)
    return of.origin === site ? address : url.href
  }
  let whole = ''
  let end = 0
  for (const { 0: found, 1: start = '', 2: address = '', 3: other = '', 4: imported = '', index } of text.matchAll(
    addressPattern,
  )) {
    yield
    if (whole.length + text.length - end > maxWritten) return { css: whole + text.slice(end), left: index }
    whole += text.slice(end, index) + start + other + written(address + imported)
    end = index + found.length
  }
  return { css: whole + text.slice(end) }
}

/** `url(a.png`, `url("a.png`, `@import "a.css`: what stands before the address, and the address. */
const addressPattern = /(url\(\s{0,9}["']?)([^"'()\s]{1,500})(?=["'\s)])|(@import\s{1,9}["'])([^"'\s]{1,500})(?=["'])/gi
const importPattern = /@import\s{1,9}(?:url\(\s{0,9})?["']?([^"'()\s;]{1,2}[^"'()\s]{1,500})(?=["'\s)])/gi
/** One rule, and the alphabet that Google Fonts writes before it. Each is looked at by itself. */
const facePattern = /(?:\/\*\s{0,9}([a-z\d[\]-]{1,40})\s{0,9}\*\/\s{0,9})?@font-face\s{0,9}\{[^}]{0,4000}/gi
const urlPattern = /url\(\s{0,9}["']?([^"'()\s]{1,500})(?=["'\s)])/gi
