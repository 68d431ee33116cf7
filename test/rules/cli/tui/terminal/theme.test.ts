import { describe, expect, it } from 'vitest'
import type { Background, Color } from '#cli/tui/canvas/style.ts'
import { palettes, type Look, type Rgb } from '#cli/tui/terminal/palette.ts'
import { contrast, createTheme, nearest, rgbOf, shadeOfAnswer } from '#cli/tui/terminal/theme.ts'

const shades = ['dark', 'light'] as const
const readable = 4.5

/** What a terminal of 256 colours makes of a look. */
function of256({ rgb, index }: Look): Rgb {
  return rgbOf(index ?? nearest(rgb))
}

const plain = (look: Look): Rgb => look.rgb

describe.each(shades)('the %s theme', (shade) => {
  const { colors, backgrounds, grounds } = palettes[shade]

  it.each([
    ['truecolor', plain],
    ['256 colours', of256],
  ] as const)('can be read on the ground of the terminal: %s', (_, rgb) => {
    for (const [color, look] of Object.entries(colors))
      for (const ground of grounds)
        expect(contrast(rgb(look), ground), `${color} on ${ground.join()}`).toBeGreaterThanOrEqual(readable)
  })

  it.each([
    ['truecolor', plain],
    ['256 colours', of256],
  ] as const)('can be read on its own grounds: %s', (_, rgb) => {
    for (const [color, look] of Object.entries(colors))
      for (const [name, ground] of Object.entries(backgrounds))
        expect(contrast(rgb(ground.letters ?? look), rgb(ground)), `${color} on ${name}`).toBeGreaterThanOrEqual(
          readable,
        )
  })

  it.each(['16', '256', 'truecolor'] as const)('tells selection, matches and changed words apart: %s', (depth) => {
    const theme = createTheme({ depth, shade, italic: true })
    const told = (['selected', 'match', 'currentMatch', 'addedWord', 'deletedWord'] as const).map((background) =>
      theme.sgr({ background }),
    )
    expect(new Set([...told, '0']).size).toBe(6)
  })
})

describe('without colours', () => {
  const theme = createTheme({ depth: 'none', shade: 'dark', italic: true })

  it('no colour is set', () => {
    const colors = Object.keys(palettes.dark.colors) as Color[]
    const grounds = Object.keys(palettes.dark.backgrounds) as Background[]
    for (const color of colors)
      for (const background of [undefined, ...grounds])
        expect(theme.sgr({ color, dim: true, ...(background === undefined ? {} : { background }) })).toMatch(
          /^0(?:;[1-79])*$/,
        )
  })

  it('what must not be missed is told in another way', () => {
    const told = (['selected', 'match', 'currentMatch', 'addedWord', 'deletedWord'] as const).map((background) =>
      theme.sgr({ background }),
    )
    expect(told).toEqual(['0;7', '0;4', '0;1;7', '0;1;4', '0;7'])
  })
})

describe('a style', () => {
  it('is whole: whatever was set before is gone', () => {
    const theme = createTheme({ depth: 'truecolor', shade: 'dark', italic: true })
    expect(theme.sgr(undefined)).toBe('0')
    expect(theme.sgr({ bold: true, italic: true, underline: true, strikethrough: true })).toBe('0;1;3;4;9')
    expect(theme.sgr({ color: 'text' })).toBe('0')
    expect(theme.sgr({ color: 'danger' })).toBe('0;38;2;255;175;175')
  })

  it('has no italics where they would be shown as something else', () => {
    expect(createTheme({ depth: '256', shade: 'dark', italic: false }).sgr({ italic: true })).toBe('0')
  })
})

it.each([
  [']11;rgb:ffff/ffff/ffff', 'light'],
  [']11;rgb:fdfd/f6f6/e3e3', 'light'],
  [']11;rgb:1e1e/1e1e/2e2e', 'dark'],
  [']11;rgb:00/2b/36', 'dark'],
  [']11;rgba:0000/0000/0000/cccc', 'dark'],
  [']10;rgb:ffff/ffff/ffff', undefined],
  ['[?62c', undefined],
] as const)('the answer %s means %s', (answer, shade) => {
  expect(shadeOfAnswer(answer)).toBe(shade)
})
