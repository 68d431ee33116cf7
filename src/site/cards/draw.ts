import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import type { Card } from '../../contract/release.ts'
import { escapeHtml } from '../../lib/html.ts'
import { dist } from '../../lib/paths.ts'

const folder = join(dist, 'cards')

type Weight = 'regular' | 'bold'

/** Of characters, in parts of the size of a font: what `scripts/data/cards.mjs` writes. */
type Widths = Readonly<Record<Weight, Readonly<Record<string, number>>>>

const width = 1200
const height = 630
const margin = 80
const inside = width - 2 * margin
/** What is between the name of the site and the edge below. */
const block = { top: 160, bottom: 570 }
const bar = 14
/** Characters of a text that are looked at: more than there is room for. */
const longest = 400

interface Style {
  readonly weight: Weight
  readonly size: number
  /** Baseline to baseline. */
  readonly line: number
  readonly lines: number
}

/** Titles in the largest size in which they find room. */
const titles: readonly Style[] = [
  { weight: 'bold', size: 84, line: 96, lines: 2 },
  { weight: 'bold', size: 66, line: 78, lines: 3 },
  { weight: 'bold', size: 54, line: 64, lines: 3 },
]
const lead: Style = { weight: 'regular', size: 34, line: 48, lines: 2 }
const small: Style = { weight: 'bold', size: 32, line: 44, lines: 1 }

/** Invisible signs, and marks that only choose the look of a pictogram. */
const marks = /[\p{Cc}\p{Cf}\p{Me}]|\p{Variation_Selector}/gu

/** Draws cards as PNG, 1200 by 630 pixels. Some 80 ms of processor time each. */
export class CardPress {
  readonly #widths: Widths
  readonly #fonts: Uint8Array[]

  private constructor(widths: Widths) {
    this.#widths = widths
    this.#fonts = ['regular', 'bold'].map((weight) => readFileSync(join(folder, `inter-${weight}.ttf`)))
  }

  /** Reads renderer and fonts. Once in a process. */
  static async open(): Promise<CardPress> {
    await initWasm(readFileSync(join(folder, 'resvg.wasm')))
    return new CardPress(JSON.parse(readFileSync(join(folder, 'widths.json'), 'utf8')) as Widths)
  }

  draw(card: Card): Uint8Array {
    const options = { fontBuffers: this.#fonts, defaultFontFamily: 'Inter', loadSystemFonts: false }
    const picture = new Resvg(this.svg(card), { font: options })
    try {
      return picture.render().asPng()
    } finally {
      picture.free()
    }
  }

  /** Without what the fonts have no signs for: of a page whose title is in another script, the name of the site alone. */
  svg({ title, description, section, site, colors }: Card): string {
    const { ground, ink, muted, accent } = colors
    const shown = this.#drawable(title)
    const name = this.#drawable(site)
    const parts: { readonly text: string; readonly style: Style; readonly fill: string; readonly space: number }[] = []
    const add = (text: string | null | undefined, styles: readonly Style[], look: { fill: string; space: number }) => {
      if (text === null || text === undefined || text === '') return
      const { style, lines } = this.#set(text, styles)
      for (const [index, line] of lines.entries())
        parts.push({ text: line, style, fill: look.fill, space: index === 0 && parts.length > 0 ? look.space : 0 })
    }
    if (shown === null || shown === '') add(name, titles, { fill: ink, space: 0 })
    else {
      add(this.#drawable(section ?? ''), [small], { fill: accent, space: 0 })
      add(shown, titles, { fill: ink, space: 4 })
      add(this.#drawable(description ?? ''), [lead], { fill: muted, space: 20 })
    }
    const tall = parts.reduce((sum, { style, space }) => sum + style.line + space, 0)
    let y = block.top + Math.max(0, (block.bottom - block.top - tall) / 2)
    const texts = parts.map(({ text, style, fill, space }) => {
      y += space + style.line
      return textAt({ text, style, fill, x: margin, y: y - style.line * 0.28 })
    })
    const head = shown === null || shown === '' || name === null || name === '' ? '' : this.#head(name, { ink, accent })
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${ground}"/><rect y="${height - bar}" width="${width}" height="${bar}" fill="${accent}"/>${head}${texts.join('')}</svg>`
  }

  /** The name of the site, beside its colour. */
  #head(name: string, { ink, accent }: { readonly ink: string; readonly accent: string }): string {
    const { style, lines } = this.#set(name, [small])
    return `<rect x="${margin}" y="${margin}" width="32" height="32" rx="8" fill="${accent}"/>${textAt({ text: lines[0] ?? '', style, fill: ink, x: margin + 50, y: margin + 28 })}`
  }

  /** A text without pictograms and signs that the fonts lack; null when letters would be missing, too. */
  #drawable(text: string): string | null {
    let drawn = ''
    const plain = text.normalize('NFC').replaceAll(marks, ' ').replaceAll('`', '').slice(0, longest)
    for (const character of plain) {
      if (this.#widthOf(character, 'bold') !== undefined) drawn += character
      else if (/[\p{L}\p{M}\p{N}]/u.test(character)) return null
      else drawn += ' '
    }
    return drawn.replaceAll(/\s+/g, ' ').trim()
  }

  #widthOf(character: string, weight: Weight): number | undefined {
    return this.#widths[weight][character.codePointAt(0) ?? 0]
  }

  /** The lines of a text in the first style that has room for it, or cut in the last. */
  #set(text: string, styles: readonly Style[]): { readonly style: Style; readonly lines: readonly string[] } {
    let last: { readonly style: Style; readonly lines: readonly string[] } | undefined
    for (const style of styles) {
      const lines = this.#wrap(text, style)
      if (lines.length <= style.lines) return { style, lines }
      last = { style, lines: this.#cut(lines, style) }
    }
    if (last === undefined) throw new Error('a text has no style')
    return last
  }

  #wrap(text: string, style: Style): string[] {
    const lines: string[] = []
    let line = ''
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`
      if (this.#measure(longer, style) <= inside) {
        line = longer
        continue
      }
      if (line !== '') lines.push(line)
      line = ''
      // What is wider than a line by itself is broken where the line ends.
      for (const character of word) {
        if (this.#measure(line + character, style) > inside) {
          lines.push(line)
          line = ''
        }
        line += character
      }
    }
    return [...lines, line]
  }

  #cut(lines: readonly string[], style: Style): string[] {
    const kept = lines.slice(0, style.lines)
    let end = kept.pop() ?? ''
    while (end !== '' && this.#measure(`${end}…`, style) > inside) end = Array.from(end).slice(0, -1).join('')
    return [...kept, `${end.trimEnd()}…`]
  }

  #measure(text: string, { weight, size }: Style): number {
    let sum = 0
    for (const character of text) sum += this.#widthOf(character, weight) ?? 0
    return sum * size
  }
}

interface Placed {
  readonly text: string
  readonly style: Style
  readonly fill: string
  readonly x: number
  readonly y: number
}

function textAt({ text, style, fill, x, y }: Placed): string {
  const weight = style.weight === 'bold' ? 700 : 400
  return `<text x="${x}" y="${y.toFixed(1)}" font-family="Inter" font-weight="${weight}" font-size="${style.size}" fill="${fill}">${escapeHtml(text)}</text>`
}
