import { createGenerator, type UnoGenerator } from '@unocss/core'
import { presetWind3, type Theme } from '@unocss/preset-wind3'
import type { IslandSource } from '../page.ts'
import { isSafeDeclaration } from '../sanitise/values.ts'

/*
 * Utility classes (Tailwind's) that authors write: the rules of those that a page names, which travel with it. What they
 * declare passes the check of `style` attributes, and their selectors are written here, below the body of the page.
 */

/** Of a page. What is beyond them has no rules. */
export const utilityLimits = { names: 500, bytes: 24 * 1024 } as const

/** Those of `theme/css/utilities.css`. A page that names no others has no rules of its own. */
const ofTheme = new Set(
  (
    'hidden block flex inline-flex inline-block grid grid-cols-2 grid-cols-3 grid-cols-4 sm:grid-cols-2 sm:grid-cols-3 ' +
    'md:grid-cols-2 md:grid-cols-3 md:grid-cols-4 md:flex-row lg:grid-cols-2 lg:grid-cols-3 lg:grid-cols-4 flex-col flex-wrap ' +
    'flex-1 items-center justify-center justify-between gap-1 gap-2 gap-3 gap-4 gap-5 gap-6 gap-8 w-full h-full w-4 h-4 size-4 ' +
    'w-5 h-5 size-5 w-6 h-6 size-6 w-8 h-8 size-8 object-cover aspect-video aspect-square aspect-[2/1] overflow-hidden ' +
    'rounded-lg rounded-xl rounded-2xl rounded-3xl rounded-full border p-3 p-4 p-5 p-6 px-3 px-4 px-5 px-6 py-3 py-4 py-5 py-6 ' +
    'pt-3 pt-4 pb-3 pb-4 text-xs text-sm font-medium font-semibold font-bold font-mono mt-1 mt-2 my-2 mt-3 mt-4 my-4 mt-6 mt-8 ' +
    'my-8 mb-1 mb-2 mb-3 mb-4 mb-6 mb-8 mx-auto text-center dark:block dark:inline dark:hidden'
  ).split(' '),
)

/** How names of utilities begin: others are an author's own, or ours. */
const roots = new Set(
  (
    'absolute align antialiased aspect backdrop basis bg block blur border bottom box break brightness capitalize caret clear ' +
    'col columns container content contents contrast cursor decoration delay divide drop duration ease end fill flex float flow ' +
    'font from gap grayscale grid grow h hidden hue hyphens indent inline inset invert invisible italic items justify leading ' +
    'left line list lowercase m max mb me min mix ml mr ms mt mx my normal not object opacity order origin outline overflow p pb ' +
    'pe pl place placeholder pointer pr ps pt px py relative right ring rotate rounded row saturate scale select self sepia ' +
    'shadow shrink size skew space start static stroke table tabular text to top tracking transform transition translate ' +
    'truncate underline uppercase via visible w whitespace z'
  ).split(' '),
)

const namePattern = /^[-!\w.:/%[\]()#,&>~+*=]{1,100}$/
/** Elements, states and relations; nothing that ends a rule, begins another, or leads to elements elsewhere. */
const selectorPattern = /^[-\w\s.:>~+*()[\]="'^$|#]*$/
const mediaPattern = /^@media [-\w\s():.]+$/
const dark = '.quire-dark'
/** Stands for the name in selectors, which are checked without it. */
const stand = 'quire-utility'

/** Before selectors of rules that a page brings: they stay within it. */
export const below = ':is(.q-prose,.q-head) '
/** Icons are cut out of their colour by pictures of other hosts, which pages may not have: they would be squares. */
const unmasked = `${below}svg:empty:not([style*=mask-image]){background:none!important}`

let made: Promise<UnoGenerator<Theme>> | undefined
/** A generator keeps all names that it has met: after so many it is made anew. */
const remembered = 5_000
let met = 0

function generator(names: number): Promise<UnoGenerator<Theme>> {
  met += names
  if (met > remembered) {
    made = undefined
    met = names
  }
  made ??= createGenerator<Theme>({
    theme: { colors: colours },
    presets: [presetWind3({ preflight: false, arbitraryVariants: false, dark: { dark, light: '.quire-light' } })],
  })
  return made
}

/** Names of colours that Mintlify’s settings give, and ours for them. */
const colours = {
  primary: { DEFAULT: 'var(--primary)', light: 'var(--primary)', dark: 'var(--primary)' },
  background: { light: 'var(--ground)', dark: 'var(--ground)' },
}

interface Rule {
  readonly order: readonly [parent: number, index: number, sort: number]
  readonly css: string
}

/**
 * The rules of utilities that the HTML of a page, and what its islands are made of, name. The same names give the same text.
 * @param html sanitised
 * @returns undefined where the theme has all of them
 */
export async function utilityStyles(html: string, islands: readonly IslandSource[]): Promise<string | undefined> {
  const names = namesIn(html, islands)
  if (names.every((name) => ofTheme.has(name))) return undefined
  const uno = await generator(names.length)
  const rules: Rule[] = []
  for (const name of names) rules.push(...(await rulesOf(uno, name)))
  rules.sort(
    (a, b) =>
      a.order[0] - b.order[0] ||
      a.order[1] - b.order[1] ||
      a.order[2] - b.order[2] ||
      (a.css < b.css ? -1 : a.css > b.css ? 1 : 0),
  )
  let css = ''
  for (const rule of rules) if (css.length + rule.css.length <= utilityLimits.bytes) css += rule.css
  return css === '' ? undefined : startOf(uno, css) + css + (/<svg[^>]*><\/svg>/.test(html) ? unmasked : '')
}

function namesIn(html: string, islands: readonly IslandSource[]): readonly string[] {
  const names = new Set<string>()
  const seen = new Set<string>()
  const add = (text: string): void => {
    if (seen.has(text)) return
    seen.add(text)
    for (const name of text.split(/\s+/)) {
      if (names.size >= utilityLimits.names) return
      if (isUtility(name)) names.add(name)
    }
  }
  for (const [, text = ''] of html.matchAll(/ class="([^"]*)"/g))
    add(text.replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
  for (const { modules } of islands)
    for (const { code } of modules) for (const [, text = ''] of code.matchAll(/["'`]([^"'`\\]{1,2000})/g)) add(text)
  return [...names].sort()
}

function isUtility(name: string): boolean {
  if (!namePattern.test(name) || name.startsWith('q-')) return false
  const root = /(?:^|:)[!-]*([a-z]+)(?:-[^:]*|(?:\/|:?\[)[^:]*)?$/.exec(name.replace(/\[[^\]]*\]/g, '[]'))?.[1]
  return root !== undefined && roots.has(root)
}

async function rulesOf(uno: UnoGenerator<Theme>, name: string): Promise<readonly Rule[]> {
  const found = (await uno.parseToken(name, stand)) ?? []
  return found.flatMap(([index, selector = '', body, parent = '', meta]) => {
    const media = parent === '' ? [] : parent.split(' $$ ')
    const isMade = /::(?:before|after)$/.test(selector)
    const declarations = (isMade ? 'content:"";' : '') + declarationsOf(body)
    const written = selectorsOf(selector, name)
    if (
      declarations === '' ||
      declarations === 'content:"";' ||
      written === undefined ||
      !media.every((rule) => mediaPattern.test(rule) && isClosed(rule))
    )
      return []
    const order = [parent === '' ? 0 : (uno.getParentOrder(parent) ?? 0) + 1_000_000, index, meta?.sort ?? 0] as const
    return written.map(([own, text]) => ({
      order,
      css: [...media, ...own].reduceRight((inner, rule) => `${rule}{${inner}}`, `${text}{${declarations}}`),
    }))
  })
}

/** Media rules and selectors. */
function selectorsOf(selector: string, name: string): readonly (readonly [readonly string[], string])[] | undefined {
  const isDark = selector.startsWith(`${dark} `)
  const plain = (isDark ? selector.slice(dark.length) : selector).replaceAll('$$', '').trim()
  if (
    !plain.includes(`.${stand}`) ||
    !selectorPattern.test(plain) ||
    /quire-(?!utility)/.test(plain) ||
    !isClosed(plain)
  )
    return undefined
  const own = below + plain.replaceAll(`.${stand}`, () => `.${escapeName(name)}`)
  return isDark ? ofDark(own) : [[[], own]]
}

/** Where pages are dark: by a reader's choice, or without scripts by that of the browser. */
export function ofDark(selector: string): readonly (readonly [media: readonly string[], selector: string])[] {
  return [
    [[], `:root[data-theme=dark] ${selector}`],
    [['@media (prefers-color-scheme:dark)'], `:root:not([data-theme]) ${selector}`],
  ]
}

export function isClosed(text: string): boolean {
  let open = ''
  for (const character of text) {
    if (character === '(' || character === '[') open += character
    else if (character === ')' || character === ']') {
      if (!open.endsWith(character === ')' ? '(' : '[')) return false
      open = open.slice(0, -1)
    }
  }
  return open === '' && text.split('"').length % 2 === 1 && text.split("'").length % 2 === 1
}

function escapeName(name: string): string {
  return name.replaceAll(/^\d|^-\d|[^-\w]/g, (part) =>
    /\d$/.test(part) ? `${part.slice(0, -1)}\\3${part.slice(-1)} ` : `\\${part}`,
  )
}

/** Utilities suppose that borders are lines where they have a width. */
function declarationsOf(body: string): string {
  const kept: string[] = []
  for (const declaration of body.split(';')) {
    const colon = declaration.indexOf(':')
    const name = declaration.slice(0, Math.max(0, colon)).trim()
    const text = declaration.slice(colon + 1).trim()
    if (!isSafeDeclaration(name, text)) continue
    const side = /^(border(?:-[a-z-]+)?)-width$/.exec(name)?.[1]
    if (side !== undefined) kept.push(`${side}-style:solid`, `${side}-color:var(--q-border)`)
    kept.push(`${name}:${text}`)
  }
  return kept
    .join(';')
    .replaceAll('var(--primary)', 'var(--q-accent)')
    .replaceAll('var(--ground)', 'var(--q-bg)')
    .replaceAll(' in oklch', '')
}

/** What variables of the rules are before a utility sets them. */
function startOf(uno: UnoGenerator<Theme>, css: string): string {
  const used = new Set([...css.matchAll(/var\((--un-[\w-]+)\)/g)].map(([, name]) => name))
  const base = Object.entries(uno.config.theme.preflightBase ?? {}).filter(([name]) => used.has(name))
  if (base.length === 0) return ''
  const where = ':where(.q-prose,.q-head) '
  return `${where}*,${where}::before,${where}::after{${base.map(([name, text]) => `${name}:${String(text)}`).join(';')}}`
}
