import type { Shell } from '../../shell.ts'

const hexPattern = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i
/** Least contrast of text, WCAG 2.2 criterion 1.4.3. */
const leastContrast = 4.5
/** Part of the site's colour in the ground of what is marked with it (`--q-accent-soft`): there it is hardest to read. */
const soft = 0.1

type Rgb = readonly [number, number, number]

/** Behind pages of sites that choose no colour. */
const grounds: Readonly<Record<'light' | 'dark', Rgb>> = { light: [255, 255, 255], dark: [14, 16, 20] }

/** Colours of a site as a style sheet that sets the `--q-site-*` properties; empty when the shell has none to trust. */
export function colorStyle(colors: Shell['colors']): string {
  const light = parse(colors.primary)
  const dark = parse(colors.light) ?? light
  const lightGround = parse(colors.background?.light)
  const darkGround = parse(colors.background?.dark)
  const rules = [
    ...(light === null ? [] : accent('light', light, lightGround ?? grounds.light)),
    ...(dark === null ? [] : accent('dark', dark, darkGround ?? grounds.dark)),
    ...(lightGround === null ? [] : [`--q-site-bg-light:${hex(lightGround)}`]),
    ...(darkGround === null ? [] : [`--q-site-bg-dark:${hex(darkGround)}`]),
  ]
  return rules.length === 0 ? '' : `:root{${rules.join(';')}}`
}

/** Colours of a card: what is in the site's own can be read on its ground. */
export function cardColors(colors: Shell['colors'], scheme: 'light' | 'dark') {
  const light = parse(colors.primary) ?? grounds.dark
  const color = scheme === 'light' ? light : (parse(colors.dark) ?? light)
  const ground = parse(colors.background?.[scheme]) ?? grounds[scheme]
  const ink = luminance(ground) > 0.18 ? grounds.dark : grounds.light
  return {
    ground: hex(ground),
    ink: hex(ink),
    muted: hex(readable(mix(ink, ground, 0.35), ground)),
    accent: hex(readable(color, ground)),
  }
}

/** The colour of the site for the browser's own chrome, when it is one. */
export function themeColor(colors: Shell['colors']): string | null {
  const color = parse(colors.primary)
  return color === null ? null : hex(color)
}

/** Fill, text in that colour, and text upon that fill: brand colours are often too pale to read, so text is moved. */
function accent(scheme: 'light' | 'dark', color: Rgb, ground: Rgb): string[] {
  const ink = inkOn(color)
  return [
    `--q-site-accent-${scheme}:${hex(color)}`,
    `--q-site-text-${scheme}:${hex(readable(color, mix(ground, color, soft)))}`,
    `--q-site-ink-${scheme}:${hex(ink)}`,
  ]
}

const inkOn = (color: Rgb): Rgb =>
  contrast(color, [255, 255, 255]) >= contrast(color, [10, 12, 16]) ? [255, 255, 255] : [10, 12, 16]

/** A colour that can be read on another one, both as `#rrggbb`. */
export function readableHex(color: string, ground: string): string {
  const [one, other] = [parse(color), parse(ground)]
  return one === null || other === null ? color : hex(readable(one, other))
}

/** Declarations of a fill with what can be read upon it; empty for what is no colour. */
export function fillOf(color: string | undefined): string {
  const fill = parse(color)
  return fill === null ? '' : `background:${hex(fill)};color:${hex(inkOn(fill))}`
}

/** Moves a colour away from the ground, in small steps towards black or white, until it can be read there. */
function readable(color: Rgb, ground: Rgb): Rgb {
  const target: Rgb = luminance(ground) > 0.18 ? [0, 0, 0] : [255, 255, 255]
  for (let step = 0; step <= 20; step += 1) {
    const moved = mix(color, target, step / 20)
    if (contrast(moved, ground) >= leastContrast) return moved
  }
  return target
}

function parse(value: string | undefined): Rgb | null {
  if (value === undefined || !hexPattern.test(value)) return null
  const digits = value.length === 4 ? value.slice(1).replace(/./g, '$&$&') : value.slice(1)
  const number = Number.parseInt(digits, 16)
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255]
}

function hex(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const [r, g, b] = from.map((channel, index) => Math.round(channel + ((to[index] ?? 0) - channel) * share))
  return [r ?? 0, g ?? 0, b ?? 0]
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(color: Rgb): number {
  const [r = 0, g = 0, b = 0] = color.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: Rgb, other: Rgb): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05)
}
