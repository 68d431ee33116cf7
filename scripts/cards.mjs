// What draws cards (src/site/cards) needs in `dist/cards/`: the renderer, the fonts as it reads them, and how wide their
// characters are, which tells where lines end and which texts can be drawn at all.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inflateSync } from 'node:zlib'

const require = createRequire(import.meta.url)
const folder = 'dist/cards'
const inter = dirname(require.resolve('@fontsource/inter/package.json'))
/** Latin, Greek and Cyrillic; others would be larger than all the rest. */
const subsets = ['latin', 'latin-ext', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext']
const weights = { regular: 400, bold: 700 }

export async function buildCards() {
  await mkdir(folder, { recursive: true })
  await copyFile(require.resolve('@resvg/resvg-wasm/index_bg.wasm'), join(folder, 'resvg.wasm'))
  await copyFile(join(inter, 'LICENSE'), join(folder, 'inter.LICENSE'))
  const widths = {}
  const fonts = []
  for (const [weight, number] of Object.entries(weights)) {
    widths[weight] = {}
    for (const subset of subsets) {
      const font = fromWoff(await readFile(join(inter, 'files', `inter-${subset}-${number}-normal.woff`)))
      Object.assign(widths[weight], widthsOf(font))
      const name = `inter-${subset}-${number}.ttf`
      await writeFile(join(folder, name), font)
      fonts.push(name)
    }
  }
  await writeFile(join(folder, 'fonts.json'), JSON.stringify({ fonts, widths }))
}

/** WOFF (https://www.w3.org/TR/WOFF/) → the font that is in it: the same tables, each by itself compressed. */
function fromWoff(woff) {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('Not a WOFF file')
  const count = woff.readUInt16BE(12)
  const power = Math.floor(Math.log2(count))
  const head = Buffer.alloc(12 + 16 * count)
  woff.copy(head, 0, 4, 8)
  head.writeUInt16BE(count, 4)
  head.writeUInt16BE(16 * 2 ** power, 6)
  head.writeUInt16BE(power, 8)
  head.writeUInt16BE(16 * count - 16 * 2 ** power, 10)
  const parts = [head]
  let offset = head.length
  for (let index = 0; index < count; index++) {
    const entry = 44 + 20 * index
    const [start, packed, length] = [4, 8, 12].map((at) => woff.readUInt32BE(entry + at))
    const bytes = woff.subarray(start, start + packed)
    const table = packed < length ? inflateSync(bytes) : bytes
    const row = 12 + 16 * index
    woff.copy(head, row, entry, entry + 4)
    woff.copy(head, row + 4, entry + 16, entry + 20)
    head.writeUInt32BE(offset, row + 8)
    head.writeUInt32BE(length, row + 12)
    const padding = Buffer.alloc((4 - (length % 4)) % 4)
    parts.push(table, padding)
    offset += length + padding.length
  }
  return Buffer.concat(parts)
}

/** Width of each character that a font has, in parts of its size. */
function widthsOf(font) {
  const tables = {}
  for (let index = 0; index < font.readUInt16BE(4); index++) {
    const row = 12 + 16 * index
    tables[font.toString('latin1', row, row + 4)] = font.subarray(font.readUInt32BE(row + 8))
  }
  const unit = tables['head'].readUInt16BE(18)
  const metrics = tables['hhea'].readUInt16BE(34)
  const widthOf = (glyph) => tables['hmtx'].readUInt16BE(4 * Math.min(glyph, metrics - 1)) / unit
  const found = {}
  for (const [character, glyph] of glyphsOf(tables['cmap']))
    if (glyph !== 0) found[character] = Math.round(widthOf(glyph) * 1000) / 1000
  return found
}

/** Format 4 of the table `cmap` (OpenType): characters of the basic plane, which all of these subsets have. */
function* glyphsOf(cmap) {
  for (let index = 0; index < cmap.readUInt16BE(2); index++) {
    const table = cmap.subarray(cmap.readUInt32BE(4 + 8 * index + 4))
    if (table.readUInt16BE(0) !== 4) continue
    const twice = table.readUInt16BE(6)
    for (let at = 0; at < twice; at += 2) {
      const [end, start] = [table.readUInt16BE(14 + at), table.readUInt16BE(16 + twice + at)]
      const delta = table.readUInt16BE(16 + 2 * twice + at)
      const place = 16 + 3 * twice + at
      const offset = table.readUInt16BE(place)
      for (let character = start; character <= end && character !== 0xffff; character++) {
        const listed = offset === 0 ? character : table.readUInt16BE(place + offset + 2 * (character - start))
        yield [character, listed === 0 ? 0 : (listed + delta) & 0xffff]
      }
    }
    return
  }
}
