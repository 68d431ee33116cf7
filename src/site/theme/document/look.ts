import { withBase } from '#lib/base-path.ts'
import { codeClasses, codeThemes, variableTheme } from '../../code-themes.ts'
import type { FontLook, FontUse, Look, Shell } from '../../shell.ts'
import { colorStyle, fillOf, readableHex } from './colors.ts'
import { safeHref } from './link.tsx'

const onDark = '[data-theme=dark] '

/** The style of one site, in its documents: what its settings choose, and nothing where they choose nothing. */
export function siteStyle(shell: Shell): string {
  const { look = {}, base = '' } = shell
  const banners = [shell.banner, ...Object.values(shell.languages ?? {}).map(({ banner }) => banner)]
  return [
    colorStyle(shell.colors),
    groundStyle(look, base),
    look.fonts === undefined ? '' : fontStyle(look.fonts, base),
    look.code === undefined ? '' : codeStyle(look.code),
    ...banners.map((banner) => (banner === undefined ? '' : bannerStyle(banner))),
  ]
    .filter((rule, index, all) => rule !== '' && all.indexOf(rule) === index)
    .join('')
}

/** A picture or a pattern in the place of the breath of colour. Each fades before the text of a long page goes on. */
function groundStyle({ image, decoration }: Look, base: string): string {
  if (image !== undefined) {
    const place = 'center top/cover no-repeat'
    const light = `body::before{height:min(100%,64rem);background:${urlOf(image.light, base)} ${place};-webkit-mask:linear-gradient(#000 60%,transparent);mask:linear-gradient(#000 60%,transparent)}`
    return image.dark === image.light
      ? light
      : `${light}${onDark}body::before{background-image:${urlOf(image.dark, base)}}`
  }
  const fade = '-webkit-mask:linear-gradient(#000,transparent);mask:linear-gradient(#000,transparent)'
  const tint = (share: number) => `color-mix(in srgb,var(--q-accent) ${share}%,transparent)`
  if (decoration === 'gradient')
    return `body::before{height:44rem;background:radial-gradient(48rem 26rem at 20% -4rem,${tint(26)},transparent),radial-gradient(60rem 30rem at 80% -6rem,${tint(18)},transparent)}`
  if (decoration === 'grid')
    return `body::before{height:36rem;background:linear-gradient(${tint(10)} 1px,transparent 1px),linear-gradient(90deg,${tint(10)} 1px,transparent 1px);background-size:2.5rem 2.5rem;${fade}}`
  if (decoration === 'windows')
    return `body::before{height:40rem;background:linear-gradient(115deg,transparent 62%,${tint(12)} 62% 72%,transparent 72% 76%,${tint(8)} 76% 88%,transparent 88%);${fade}}`
  return ''
}

/** Fallbacks take the same room, so that nothing moves when a font arrives. */
function fontStyle({ faces, fallbacks, body, heading }: FontLook, base: string): string {
  const files = faces.map(
    ({ family, src, format, weight = '100 900', range }) =>
      `@font-face{font-family:"${family}";src:${urlOf(src, base)} format("${format}");font-weight:${weight};font-display:swap${range === undefined ? '' : `;unicode-range:${range}`}}`,
  )
  const fitted = Object.entries(fallbacks).map(
    ([family, fit]) =>
      `@font-face{font-family:"${family} fallback";src:local("Arial"),local("Liberation Sans"),local("Helvetica Neue"),local("Roboto");${fit}}`,
  )
  const stack = (family: string) => `"${family}","${family} fallback",ui-sans-serif,system-ui,sans-serif`
  const weightOf = ({ weight }: FontUse) => (weight === undefined ? '' : `;font-weight:${weight}`)
  return [
    ...files,
    ...fitted,
    body === undefined ? '' : `:root{--q-font:${stack(body.family)}}`,
    body?.weight === undefined ? '' : `body{font-weight:${body.weight}}`,
    heading === undefined || (heading.family === body?.family && heading.weight === body.weight)
      ? ''
      : `h1,h2,h3,h4,h5,h6,.q-title{font-family:${stack(heading.family)}${weightOf(heading)}}`,
  ].join('')
}

function codeStyle({ light, dark }: NonNullable<Look['code']>): string {
  const first = themeStyle(light, '')
  return dark === light ? first : first + themeStyle(dark, onDark)
}

/** Blocks of code, and the name of an example, which stands on one. */
const onCode = ':is(.q-code,.q-aside .q-example-title:has(+.q-code))'

/** The colours of a theme, on light or dark pages; marks of lines are tints that suit its ground. */
function themeStyle(name: string, prefix: string): string {
  const { ground, ink, words } = themeColors(name)
  if (ground === '') return ''
  const mixed = (share: number) => `color-mix(in srgb,${ink} ${share}%,${ground})`
  const tint = (color: string) => `color-mix(in srgb,var(--q-${color}) 18%,${ground})`
  const marks = ['check', 'danger', 'warning'].map((color) => `--q-${color}-soft:${tint(color)}`)
  const own = `--q-bg-code:${ground};--q-text:${ink};--q-text-soft:${mixed(80)};--q-text-faint:${mixed(65)};--q-border:${mixed(16)};--q-bg-soft:${mixed(10)};--q-bg-raised:${mixed(6)};${marks.join(';')}`
  const colours = codeClasses.map((word, index) => `${prefix}.q-code .${word}{color:${words[index] ?? ink}}`)
  return `${prefix}${onCode}{${own}}${colours.join('')}`
}

/** Variables of `codeClasses`, in that order. */
const variables = [
  'comment',
  'constant',
  'function',
  'string-expression',
  'keyword',
  'string',
  'string-expression',
  'parameter',
]

/** Colours of CSS; of a theme of variables, what the site's own style sheets say, whether it can be read or not. */
function themeColors(name: string): { readonly ground: string; readonly ink: string; readonly words: string[] } {
  if (name === variableTheme) {
    const ink = 'var(--mint-color-text,currentcolor)'
    const words = variables.map((variable) => `var(--mint-token-${variable},${ink})`)
    return { ground: 'var(--mint-color-background,var(--q-bg))', ink, words }
  }
  const theme = Object.hasOwn(codeThemes, name) ? (codeThemes[name] ?? '') : ''
  const [ground = '', ink = '', ...words] = theme
    .split(' ')
    .slice(1)
    .map((hex) => `#${hex}`)
  return { ground, ink, words: words.map((color) => readableHex(color, ground)) }
}

/** Amber and red, as warnings and dangers in the text have. */
const alarms = { warning: '#b45309', critical: '#b91c1c' } as const

function bannerStyle(banner: NonNullable<Shell['banner']>): string {
  const { type, color } = banner
  const light = fillOf(color?.light ?? color?.dark) || fillOf(type && alarms[type])
  if (light === '') return ''
  const dark = fillOf(color?.dark)
  const name = bannerClass(banner)
  return `.${name}{${light}}${dark === '' || dark === light ? '' : `${onDark}.${name}{${dark}}`}`
}

/** One class a kind: languages may have banners of different colours. */
export function bannerClass({ type, color }: Pick<NonNullable<Shell['banner']>, 'type' | 'color'>): string {
  const named = [type, color?.light, color?.dark].map((part) => part?.replaceAll(/[^\da-z]/gi, '') ?? '')
  return `q-banner-${named.join('-')}`
}

/** An address in a style: nothing in it ends the text or the element. */
function urlOf(href: string, base: string): string {
  const plain = withBase(safeHref(href), base).replaceAll(
    /["'()\\<>\s]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `url("${plain}")`
}
