import type { Background, Color } from '../canvas/style.ts'

export type Shade = 'light' | 'dark'

export type Rgb = readonly [red: number, green: number, blue: number]

export interface Look {
  readonly rgb: Rgb
  /** With 256 colours, where the nearest of them is not it. */
  readonly index?: number
  /** Codes with 16 colours; those of a ground bring the colour of its letters. */
  readonly sixteen: readonly string[]
  /** Of a ground: the colour of all letters on it. */
  readonly letters?: Look
}

export interface Palette {
  /** Terminals have their own ground, and the UI keeps it: letters can be read on these two and what is between. */
  readonly grounds: readonly [Rgb, Rgb]
  readonly colors: Readonly<Record<Color, Look>>
  readonly backgrounds: Readonly<Record<Background, Look>>
}

function rgb(hex: string): Rgb {
  const number = Number.parseInt(hex, 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

/** @param sixteen codes of a terminal with 16 colours */
function look(hex: string, sixteen: string, more: Pick<Look, 'index' | 'letters'> = {}): Look {
  return { rgb: rgb(hex), sixteen: sixteen === '' ? [] : sixteen.split(';'), ...more }
}

const black = look('000000', '30')
const white = look('ffffff', '97')

const dark: Palette = {
  grounds: [rgb('000000'), rgb('2e3440')],
  colors: {
    text: look('e6e6e6', ''),
    muted: look('b2b2b2', '37'),
    accent: look('87d7ff', '1;96'),
    success: look('87d787', '92'),
    warning: look('ffd787', '93'),
    danger: look('ffafaf', '1;91'),
    heading: look('afd7ff', '1;94'),
    code: look('ffd7af', '93'),
    link: look('87d7ff', '4;96'),
    tag: look('d7afff', '95'),
    attribute: look('afd7d7', '96'),
    string: look('afd787', '92'),
    keyword: look('ffafd7', '95'),
    comment: look('b2b2b2', '37'),
    punctuation: look('bcbcbc', '37'),
    added: look('87d787', '92'),
    deleted: look('ffafaf', '91'),
  },
  backgrounds: {
    selected: look('303a5a', '97;44', { index: 238 }),
    match: look('4a3c10', '30;43', { index: 58, letters: white }),
    currentMatch: look('ffd75f', '30;103', { letters: black }),
    raised: look('262a33', '97;100'),
    added: look('12311c', '92'),
    deleted: look('3d1a1e', '91'),
    addedWord: look('1d4a2b', '30;42', { index: 22, letters: white }),
    deletedWord: look('5a262c', '97;41', { index: 52, letters: white }),
  },
}

const light: Palette = {
  grounds: [rgb('ffffff'), rgb('f2e5bc')],
  colors: {
    text: look('1c1c1c', ''),
    muted: look('585858', '90'),
    accent: look('005f87', '1;34'),
    success: look('005f00', '32'),
    warning: look('5f4700', '33'),
    danger: look('af0000', '1;31'),
    heading: look('00005f', '1;34'),
    code: look('5f3a00', '31'),
    link: look('00508c', '4;34'),
    tag: look('5f0087', '35'),
    attribute: look('005f5f', '36'),
    string: look('005f00', '32'),
    keyword: look('87005f', '35'),
    comment: look('585858', '90'),
    punctuation: look('4e4e4e', '90'),
    added: look('005f00', '32'),
    deleted: look('870000', '31'),
  },
  backgrounds: {
    selected: look('d0e0ff', '97;44'),
    match: look('ffeaa0', '30;43'),
    currentMatch: look('ffd75f', '30;103', { letters: black }),
    raised: look('eeeeee', '30;47'),
    added: look('ddf5dd', '32'),
    deleted: look('ffe4e4', '31'),
    addedWord: look('bfeebf', '30;42'),
    deletedWord: look('ffd0d0', '97;41', { index: 217, letters: black }),
  },
}

export const palettes: Readonly<Record<Shade, Palette>> = { dark, light }
