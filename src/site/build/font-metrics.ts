import { promisify } from 'node:util'
import { brotliDecompress, inflate } from 'node:zlib'

const brotliAsync = promisify(brotliDecompress)
const inflateAsync = promisify(inflate)

/** Bytes of a font when it is unpacked. */
const maxUnpacked = 24 * 1024 * 1024
const maxTables = 64

/** How large the letters of a font are, as shares of its size. */
export interface FontMetrics {
  readonly ascent: number
  readonly descent: number
  readonly lineGap: number
  /** Of an English text, a letter by the next. */
  readonly width: number
  /** One file has all weights. */
  readonly varies: boolean
}

/** How often letters come in English texts, in tenths of a percent, and a space. */
const frequencies =
  ' 180 e102 t75 a66 o62 i57 n57 s52 h50 r49 d34 l33 c22 u23 m20 w19 f18 g16 y16 p16 b12 v8 k6 j1 x1 q1 z1'

const letters = Array.from(frequencies.matchAll(/(?<=^|\s)([a-z ])(\d+)/g), ([, letter = '', share]) => ({
  code: letter.charCodeAt(0),
  share: Number(share),
}))

/** Arial’s, which fallbacks are made of: Liberation Sans and Helvetica have the same widths. */
const arial = { width: 0.4412 }

/** Descriptors of a fallback that takes as much room as the font: nothing moves when the font arrives. */
export function fallbackOf({ ascent, descent, lineGap, width }: FontMetrics): string {
  const adjust = Math.min(2, Math.max(0.5, width / arial.width))
  const percent = (share: number): string => `${Math.round(share * 10_000) / 100}%`
  return `size-adjust:${percent(adjust)};ascent-override:${percent(ascent / adjust)};descent-override:${percent(descent / adjust)};line-gap-override:${percent(lineGap / adjust)}`
}

/** What a file is by its first bytes; undefined where it is no font that browsers read. */
export function fontFormat(bytes: Buffer): 'woff2' | 'woff' | 'truetype' | 'opentype' | undefined {
  const signature = bytes.toString('latin1', 0, 4)
  if (signature === 'wOF2') return 'woff2'
  if (signature === 'wOFF') return 'woff'
  if (signature === 'OTTO') return 'opentype'
  return signature === '\0\u0001\0\0' || signature === 'true' ? 'truetype' : undefined
}

/** Reads a font’s metrics. Bounded, and undefined for what is broken or says nothing of them. */
export async function readMetrics(bytes: Buffer): Promise<FontMetrics | undefined> {
  try {
    return metricsOf(await tablesOf(bytes))
  } catch {
    // Whatever is wrong with it: a browser judges it, and without metrics there is no fallback to fit.
    return undefined
  }
}

type Tables = ReadonlyMap<string, Buffer>

const wanted = new Set(['head', 'hhea', 'hmtx', 'cmap', 'OS/2', 'fvar'])

async function tablesOf(bytes: Buffer): Promise<Tables> {
  const format = fontFormat(bytes)
  if (format === 'woff2') return tablesOfWoff2(bytes)
  const tables = new Map<string, Buffer>()
  const isWoff = format === 'woff'
  const count = Math.min(maxTables, bytes.readUInt16BE(isWoff ? 12 : 4))
  for (let index = 0; index < count; index++) {
    const at = isWoff ? 44 + index * 20 : 12 + index * 16
    const tag = bytes.toString('latin1', at, at + 4)
    if (!wanted.has(tag)) continue
    const start = bytes.readUInt32BE(at + (isWoff ? 4 : 8))
    const length = bytes.readUInt32BE(at + (isWoff ? 8 : 12))
    const part = bytes.subarray(start, start + length)
    const isPacked = isWoff && length < bytes.readUInt32BE(at + 12)
    tables.set(tag, isPacked ? await inflateAsync(part, { maxOutputLength: maxUnpacked }) : part)
  }
  return tables
}

/** Tags by their number: https://www.w3.org/TR/WOFF2/#table_dir_format */
const knownTags = Array.from(
  (
    'cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea ' +
    'vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG  sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar ' +
    'gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill'
  ).matchAll(/(.{4}) ?/g),
  ([, tag = '']) => tag,
)

async function tablesOfWoff2(bytes: Buffer): Promise<Tables> {
  const count = Math.min(maxTables, bytes.readUInt16BE(12))
  const packed = bytes.readUInt32BE(20)
  let at = 48
  const number = (): number => {
    let value = 0
    for (let digit = 0; digit < 5; digit++) {
      const byte = bytes.readUInt8(at++)
      value = value * 128 + (byte & 0x7f)
      if ((byte & 0x80) === 0) break
    }
    return value
  }
  const placed: { tag: string; length: number; isTransformed: boolean }[] = []
  for (let index = 0; index < count; index++) {
    const flags = bytes.readUInt8(at++)
    const tag = (flags & 0x3f) === 0x3f ? bytes.toString('latin1', at, (at += 4)) : (knownTags[flags & 0x3f] ?? '')
    const version = flags >> 6
    // Of glyphs and their places 3 says that they are as they were, of all others 0.
    const isTransformed = tag === 'glyf' || tag === 'loca' ? version !== 3 : version !== 0
    const plain = number()
    placed.push({ tag, length: isTransformed ? number() : plain, isTransformed })
  }
  const unpacked = await brotliAsync(bytes.subarray(at, at + packed), { maxOutputLength: maxUnpacked })
  const tables = new Map<string, Buffer>()
  let start = 0
  for (const { tag, length, isTransformed } of placed) {
    if (wanted.has(tag) && !isTransformed) tables.set(tag, unpacked.subarray(start, start + length))
    start += length
  }
  return tables
}

function metricsOf(tables: Tables): FontMetrics | undefined {
  const [head, hhea] = [tables.get('head'), tables.get('hhea')]
  if (head === undefined || hhea === undefined) return undefined
  const units = head.readUInt16BE(18)
  const width = widthOf(tables, hhea.readUInt16BE(34)) ?? tables.get('OS/2')?.readInt16BE(2)
  if (units === 0 || width === undefined || width <= 0) return undefined
  return {
    ascent: hhea.readInt16BE(4) / units,
    descent: Math.abs(hhea.readInt16BE(6)) / units,
    lineGap: hhea.readInt16BE(8) / units,
    width: width / units,
    varies: tables.has('fvar'),
  }
}

/** Mean width of a letter, where the font tells that of each. */
function widthOf(tables: Tables, metrics: number): number | undefined {
  const [hmtx, cmap] = [tables.get('hmtx'), tables.get('cmap')]
  if (hmtx === undefined || cmap === undefined || metrics === 0) return undefined
  let sum = 0
  let shares = 0
  for (const { code, share } of letters) {
    const glyph = glyphOf(cmap, code)
    if (glyph === undefined) continue
    sum += share * hmtx.readUInt16BE(Math.min(glyph, metrics - 1) * 4)
    shares += share
  }
  return shares === 0 ? undefined : sum / shares
}

/** The glyph of a letter in a mapping of segments (format 4), which fonts with letters of the Basic Plane have. */
function glyphOf(cmap: Buffer, code: number): number | undefined {
  const count = Math.min(maxTables, cmap.readUInt16BE(2))
  for (let index = 0; index < count; index++) {
    const table = cmap.readUInt32BE(4 + index * 8 + 4)
    if (cmap.readUInt16BE(table) !== 4) continue
    const doubled = cmap.readUInt16BE(table + 6)
    for (let segment = 0; segment < doubled; segment += 2) {
      if (cmap.readUInt16BE(table + 14 + segment) < code) continue
      const starts = table + 16 + doubled + segment
      const first = cmap.readUInt16BE(starts)
      if (first > code) break
      const delta = cmap.readUInt16BE(starts + doubled)
      const offsets = starts + doubled * 2
      const offset = cmap.readUInt16BE(offsets)
      const glyph = offset === 0 ? code + delta : cmap.readUInt16BE(offsets + offset + (code - first) * 2)
      return (glyph & 0xffff) === 0 ? undefined : glyph & 0xffff
    }
  }
  return undefined
}
