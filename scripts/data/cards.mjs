// What draws cards (src/site/cards) needs in `dist/cards/`: the renderer, the fonts, and how wide their
// characters are, which tells where lines end and which texts can be drawn at all.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const folder = 'dist/cards'
const inter = dirname(require.resolve('@expo-google-fonts/inter/package.json'))
/** Latin, Greek and Cyrillic. */
const files = { regular: '400Regular', bold: '700Bold' }

export async function buildCards() {
  await mkdir(folder, { recursive: true })
  await copyFile(require.resolve('@resvg/resvg-wasm/index_bg.wasm'), join(folder, 'resvg.wasm'))
  await copyFile(join(inter, 'LICENSE_FONT'), join(folder, 'inter.LICENSE'))
  const widths = {}
  for (const [weight, file] of Object.entries(files)) {
    const font = await readFile(join(inter, file, `Inter_${file}.ttf`))
    await writeFile(join(folder, `inter-${weight}.ttf`), font)
    widths[weight] = widthsOf(font)
  }
  await writeFile(join(folder, 'widths.json'), JSON.stringify(widths))
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

/** Format 4 of the table `cmap` (OpenType): characters of the basic plane. */
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
