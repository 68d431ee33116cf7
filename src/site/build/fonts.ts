import type { FileRoute } from '../../contract/release.ts'
import type { ErrorDetail } from '../../contract/common.ts'
import { show } from '../../lib/json-reader.ts'
import type { SiteConfig } from '../config/config.ts'
import type { Font } from '../config/schema.ts'
import type { FontLook, FontUse } from '../shell.ts'
import type { AssetRecords, BlobSink } from './blobs.ts'
import type { Copies } from './copies.ts'
import { fallbackOf, fontFormat, readMetrics } from './font-metrics.ts'

/** Bytes of a font, and of the style sheet that names the files of a family. */
export const maxFont = 2 * 1024 * 1024
const maxSheet = 1024 * 1024
/** Faces of one family: of those with more, such as Chinese ones, the first. */
const maxFaces = 12
/** As a browser of today: Google Fonts gives others larger files. */
export const copyingAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
/** Alphabets that are kept before others. */
const alphabets = [
  'latin',
  'latin-ext',
  'cyrillic',
  'greek',
  'vietnamese',
  'cyrillic-ext',
  'greek-ext',
  'hebrew',
  'arabic',
]

/** What a build knows of the fonts that docs.json names. */
export interface SiteFonts {
  /** Undefined where pages have those of the reader’s system. */
  readonly look: FontLook | undefined
  /** Where readers get them, by URL path. */
  readonly routes: ReadonlyMap<string, FileRoute>
  readonly warnings: readonly ErrorDetail[]
}

export interface FontSources {
  readonly config: SiteConfig
  /** Of the project’s files. */
  readonly assets: AssetRecords
  readonly sink: BlobSink
  /** A file of the project: what a check has of it is stored nowhere. */
  readonly read: (oid: string) => Promise<Buffer>
  readonly copies: Copies
  readonly signal: AbortSignal | undefined
}

type Face = FontLook['faces'][number]

/**
 * Brings the fonts of docs.json into the site: files of the project, files at other addresses, and families of Google
 * Fonts by their name. What is elsewhere is copied when it is named for the first time; readers ask nobody else.
 */
export async function bringFonts(sources: FontSources): Promise<SiteFonts> {
  const { fonts } = sources.config.settings ?? {}
  const bringing = new Bringing(sources)
  if (fonts !== undefined) {
    const { heading, body, ...both } = fonts
    await bringing.use('body', { ...both, ...body }, body === undefined ? '/fonts' : '/fonts/body')
    await bringing.use('heading', { ...both, ...heading }, heading === undefined ? '/fonts' : '/fonts/heading')
  }
  return bringing.finish()
}

class Bringing {
  readonly #sources: FontSources
  readonly #problems: ReturnType<SiteConfig['problems']>
  readonly #routes = new Map<string, FileRoute>()
  /** By family and source. */
  readonly #brought = new Map<string, readonly Face[]>()
  readonly #fallbacks: Record<string, string> = Object.create(null) as Record<string, string>
  readonly #uses: { body?: FontUse; heading?: FontUse } = {}
  constructor(sources: FontSources) {
    this.#sources = sources
    this.#problems = sources.config.problems()
  }

  /** Words of the text, or its headings, in a font. */
  async use(part: 'body' | 'heading', font: Font, pointer: string): Promise<void> {
    const { family, weight, source } = font
    if (family === undefined) return
    const key = `${family} ${source ?? ''}`
    const known = this.#brought.get(key)
    const faces = known ?? (await this.#facesOf(font, family, pointer))
    this.#brought.set(key, faces)
    if (faces.length > 0) this.#uses[part] = { family, ...(weight === undefined ? {} : { weight }) }
  }

  finish(): SiteFonts {
    const faces = [...new Map([...this.#brought.values()].flat().map((face) => [face.src, face])).values()]
    const { body, heading } = this.#uses
    const used = [body, heading].flatMap((use) => faces.find(({ family }) => family === use?.family)?.src ?? [])
    const look = { faces, fallbacks: this.#fallbacks, ...this.#uses, preload: [...new Set(used)] }
    return {
      look: faces.length === 0 ? undefined : look,
      routes: this.#routes,
      warnings: this.#problems.warnings,
    }
  }

  async #facesOf({ source, weight }: Font, family: string, pointer: string): Promise<readonly Face[]> {
    try {
      if (source === undefined) return await this.#familyOfGoogle(family, weight, pointer)
      const bytes = /^https:/i.test(source)
        ? await this.#sources.copies.read(source, maxFont)
        : await this.#ownFile(source)
      const { varies, ...face } = await this.#publish(bytes, family)
      return [varies ? face : { ...face, weight: String(weight ?? 400) }]
    } catch (error) {
      this.#sources.signal?.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      this.#problems.warning(
        'font-missing',
        source === undefined ? pointer : `${pointer}/source`,
        `The font ${show(family)} is left out: ${why}`,
      )
      return []
    }
  }

  async #ownFile(source: string): Promise<Buffer> {
    const path = source.replace(/^\.?\/+/, '')
    const record = Object.hasOwn(this.#sources.assets, path) ? this.#sources.assets[path] : undefined
    if (record === undefined) throw new Error(`the project has no file ${show(path)}.`)
    if (record.size > maxFont) throw new Error(`it has more than ${maxFont / 1024 / 1024} MB.`)
    return this.#sources.read(record.oid)
  }

  /** A family by its name, as Google Fonts has it: a file an alphabet, all weights in one where the font varies. */
  async #familyOfGoogle(family: string, weight: number | undefined, pointer: string): Promise<readonly Face[]> {
    const sheet = await this.#sheetOf(family, weight)
    const found = facesIn(sheet)
    if (found.length === 0) throw new Error('Google Fonts has no file of it that browsers read.')
    const sorted = found.toSorted((a, b) => rankOf(a.alphabet) - rankOf(b.alphabet))
    const kept = sorted.slice(0, maxFaces)
    if (sorted.length > kept.length)
      this.#problems.warning(
        'font-missing',
        pointer,
        `Of the font ${show(family)} the first ${kept.length} parts of ${sorted.length} are copied; letters of the others are those of the reader’s system.`,
      )
    const faces: Face[] = []
    for (const { url, range, weight: own } of kept) {
      const { varies: _, ...face } = await this.#publish(await this.#sources.copies.read(url, maxFont), family)
      faces.push({ ...face, weight: own, ...(range === undefined ? {} : { range }) })
    }
    return faces
  }

  /** Not every family varies, and not every one has all weights: the first that there is. */
  async #sheetOf(family: string, weight: number | undefined): Promise<string> {
    const name = encodeURIComponent(family).replaceAll('%20', '+')
    const asked = weight === undefined ? ['400..700', '400;500;600;700', '400;700'] : [`${weight}`]
    const queries = [...asked.map((weights) => `${name}:wght@${weights}`), name]
    const urls = queries.map((query) => `https://fonts.googleapis.com/css2?family=${query}&display=swap`)
    const known = urls.find((url) => this.#sources.copies.knows(url))
    let failure: unknown
    for (const url of known === undefined ? urls : [known]) {
      try {
        return (await this.#sources.copies.read(url, maxSheet)).toString('utf8')
      } catch (error) {
        this.#sources.signal?.throwIfAborted()
        failure ??= error
        // Only an answer says that there is no such weight.
        if (!(error instanceof Error) || !/\b400\b/.test(error.message)) break
      }
    }
    throw failure
  }

  async #publish(bytes: Buffer, family: string): Promise<Face & { readonly varies: boolean }> {
    const { src, format, route } = publishFont(bytes, this.#sources.sink)
    this.#routes.set(src, route)
    const metrics = await readMetrics(bytes)
    if (metrics !== undefined) this.#fallbacks[family] ??= fallbackOf(metrics)
    return { family, src, format, varies: metrics?.varies === true }
  }
}

/**
 * A font at an address of its content.
 * @throws where the bytes are none
 */
export function publishFont(
  bytes: Buffer,
  sink: BlobSink,
): { readonly src: string; readonly format: NonNullable<ReturnType<typeof fontFormat>>; readonly route: FileRoute } {
  const format = fontFormat(bytes)
  if (format === undefined) throw new Error('the file is no font that browsers read (woff2, woff, ttf, otf).')
  const { blob, size } = sink.add(bytes)
  const ending = format === 'truetype' ? 'ttf' : format === 'opentype' ? 'otf' : format
  const src = `/_quire/fonts/${blob.slice(0, 20)}.${ending}`
  return { src, format, route: { kind: 'file', blob, size, type: `font/${ending}`, hashed: true } }
}

/** Which of the parts of a font go before others, by their alphabet as Google Fonts names it. */
export const rankOf = (alphabet: string): number => {
  const rank = alphabets.indexOf(alphabet)
  return rank === -1 ? alphabets.length : rank
}

interface FaceInSheet {
  readonly alphabet: string
  readonly url: string
  readonly weight: string
  readonly range?: string
}

/** The upright faces of a style sheet of Google Fonts. Only what looks as it does there is taken over. */
function facesIn(sheet: string): FaceInSheet[] {
  const parts = sheet.split('@font-face').slice(0, 1000)
  return parts.slice(1).flatMap((part, index) => {
    const body = part.slice(0, part.indexOf('}'))
    const alphabet = /\/\*\s*([a-z\d[\]-]{1,40})\s*\*\/\s*$/.exec(parts[index]?.slice(-60) ?? '')?.[1] ?? ''
    const url = /url\((https:\/\/fonts\.gstatic\.com\/[\w./-]{1,300})\)/.exec(body)?.[1]
    const weight = /font-weight:\s*(\d{1,4}(?: \d{1,4})?)/.exec(body)?.[1] ?? '400'
    const range = /unicode-range:\s*([U+\dA-F?, -]{1,4000});/i.exec(body)?.[1]
    if (url === undefined || /font-style:\s*italic/.test(body)) return []
    return [{ alphabet, url, weight, ...(range === undefined ? {} : { range }) }]
  })
}
