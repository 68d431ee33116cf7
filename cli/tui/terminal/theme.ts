import type { Background, Color, Style } from '../canvas/style.ts'
import { palettes, type Look, type Rgb, type Shade } from './palette.ts'

/** How many colours a terminal shows; `none` also where the person wants none. */
export type ColorDepth = 'none' | '16' | '256' | 'truecolor'

/** What styles look like on a terminal. */
export interface Theme {
  readonly shade: Shade
  /** Parameters that set a style whatever was set before, such as `0;1;31`: for `ESC [ … m`. */
  sgr(style: Style | undefined): string
}

export interface ThemeOptions {
  readonly depth: ColorDepth
  readonly shade: Shade
  /** False where italics would be shown as something else, such as inverted. */
  readonly italic: boolean
}

/** Of a terminal without colours: what must not be missed is told in another way. */
const plainColors: Partial<Record<Color, readonly string[]>> = {
  accent: ['1'],
  danger: ['1'],
  heading: ['1'],
  link: ['4'],
  tag: ['1'],
  muted: ['2'],
  comment: ['2'],
}
const plainBackgrounds: Partial<Record<Background, readonly string[]>> = {
  selected: ['7'],
  match: ['4'],
  currentMatch: ['1', '7'],
  addedWord: ['1', '4'],
  deletedWord: ['7'],
}

export function createTheme({ depth, shade, italic }: ThemeOptions): Theme {
  const known = new WeakMap<Style, string>()
  const make = (style: Style): string => {
    const colors = depth === 'none' ? plainCodes(style) : colorCodes(style, { depth, shade })
    // A set: attributes that a colour brings as well are said once.
    return [
      ...new Set([
        '0',
        ...(style.bold === true ? ['1'] : []),
        ...(style.italic === true && italic ? ['3'] : []),
        ...(style.underline === true ? ['4'] : []),
        ...(style.strikethrough === true ? ['9'] : []),
        ...colors,
      ]),
    ].join(';')
  }
  return {
    shade,
    sgr(style) {
      if (style === undefined) return '0'
      const cached = known.get(style)
      if (cached !== undefined) return cached
      const codes = make(style)
      known.set(style, codes)
      return codes
    },
  }
}

function plainCodes({ color, background, dim }: Style): string[] {
  const codes = [
    ...(dim === true ? ['2'] : []),
    ...((color && plainColors[color]) ?? []),
    ...((background && plainBackgrounds[background]) ?? []),
  ]
  // Faint letters on an inverted ground cannot be read.
  return codes.includes('7') ? codes.filter((code) => code !== '2') : codes
}

function colorCodes(
  { color, background, dim }: Style,
  { depth, shade }: { readonly depth: '16' | '256' | 'truecolor'; readonly shade: Shade },
): string[] {
  const palette = palettes[shade]
  const behind = background === undefined ? undefined : palette.backgrounds[background]
  // The half brightness of terminals is too little for many: a colour of our own is not.
  const named = color ?? (dim === true ? 'muted' : undefined)
  const front = named === undefined || named === 'text' ? undefined : palette.colors[named]
  if (depth === '16') return sixteen(front, behind)
  const text = behind === undefined ? front : (behind.letters ?? front ?? palette.colors.text)
  return [...paint(38, text, depth), ...paint(48, behind, depth)]
}

function sixteen(front: Look | undefined, behind: Look | undefined): string[] {
  // What a colour looks like is the person's choice: on one of these grounds only its own letters are sure to be read.
  if (behind !== undefined) return [...behind.sixteen]
  return front === undefined ? [] : [...front.sixteen]
}

function paint(code: 38 | 48, look: Look | undefined, depth: '256' | 'truecolor'): string[] {
  if (look === undefined) return []
  return [depth === '256' ? `${code};5;${look.index ?? nearest(look.rgb)}` : `${code};2;${look.rgb.join(';')}`]
}

const levels = [0, 95, 135, 175, 215, 255]

/** Red, green and blue of the colours 16 to 255 that terminals of 256 have in common. */
export function rgbOf(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232)
    return [grey, grey, grey]
  }
  const at = index - 16
  return [levels[Math.floor(at / 36)] ?? 0, levels[Math.floor(at / 6) % 6] ?? 0, levels[at % 6] ?? 0]
}

const nearestKnown = new Map<Rgb, number>()

/** Which of the 256 colours is nearest: of the cube, or of the greys behind it. */
export function nearest(rgb: Rgb): number {
  const known = nearestKnown.get(rgb)
  if (known !== undefined) return known
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const above = levels.findIndex((level) => level >= value)
    const below = Math.max(0, above - 1)
    return value - (levels[below] ?? 0) < (levels[above] ?? 0) - value ? below : above
  })
  const ofCube = 16 + 36 * red + 6 * green + blue
  const mean = (rgb[0] + rgb[1] + rgb[2]) / 3
  const ofGreys = 232 + Math.max(0, Math.min(23, Math.round((mean - 8) / 10)))
  const best = distance(rgb, rgbOf(ofGreys)) < distance(rgb, rgbOf(ofCube)) ? ofGreys : ofCube
  nearestKnown.set(rgb, best)
  return best
}

function distance(one: Rgb, other: Rgb): number {
  return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2
}

/** Ratio of contrast as WCAG 2 defines it, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/**
 * Whether a terminal is light or dark.
 * @param answer to the question for its background (OSC 11), such as `]11;rgb:ffff/ffff/ffff`
 */
export function shadeOfAnswer(answer: string): Shade | undefined {
  const parts = /^\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(answer)
  if (parts === null) return undefined
  const [red = 0, green = 0, blue = 0] = parts
    .slice(1, 4)
    .map((part) => (Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255)
  // Where black letters stand out as much as white ones.
  return luminance([red, green, blue]) > 0.179 ? 'light' : 'dark'
}
