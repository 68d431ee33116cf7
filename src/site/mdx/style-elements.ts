import { isSafeDeclaration } from '../sanitise/values.ts'
import { below, isClosed, ofDark } from './utility-classes.ts'

/*
 * `<style>` in a page: its rules travel with it, below its body. They are written anew of what passes: declarations by the
 * check of `style` attributes, selectors that stay within the page. What a site needs beyond that is for its style sheets.
 */

/** Characters of one that are read, of a page that are kept, and how deep rules may nest. */
export const styleLimits = { read: 50_000, kept: 12_000, depth: 4 } as const

/** Elements, states and relations; nothing that ends a rule, or leads out of the page by what it stands beside. */
const selectorPattern = /^[-\w.:#[*][-\w\s.:>~+*()[\]="'^$|#,]*$/
const conditionPattern = /^@(?:media|supports|container) [-\w\s():.,>=/%]+$/
const madeText = /^(?:"[\w\s.,:→•–-]{0,40}"|'[\w\s.,:→•–-]{0,40}'|none)$/

export interface StyleRules {
  readonly css: string
  /** Names of what is left out: `@keyframes`, `animation`, `body > nav`. */
  readonly dropped: ReadonlySet<string>
}

/** @param text of the element, whatever it holds */
export function styleRules(text: string): StyleRules {
  const dropped = new Set<string>()
  const plain = withoutComments(text.slice(0, styleLimits.read))
  return { css: rulesIn(plain, dropped, 0), dropped }
}

function withoutComments(text: string): string {
  const [first = '', ...others] = text.split('/*')
  return [first, ...others.map((part) => (part.includes('*/') ? part.slice(part.indexOf('*/') + 2) : ''))].join(' ')
}

function rulesIn(text: string, dropped: Set<string>, depth: number): string {
  let css = ''
  let start = 0
  while (start < text.length) {
    const open = endOf(text, start, '{;}')
    const prelude = text.slice(start, open).trim().replaceAll(/\s+/g, ' ')
    if (text[open] !== '{') {
      if (prelude !== '') dropped.add(nameOf(prelude))
      start = open + 1
      continue
    }
    const close = closeOf(text, open)
    css += ruleOf(prelude, text.slice(open + 1, close), { dropped, depth })
    start = close + 1
  }
  return css
}

function ruleOf(
  prelude: string,
  body: string,
  { dropped, depth }: { readonly dropped: Set<string>; readonly depth: number },
): string {
  if (conditionPattern.test(prelude) && isClosed(prelude) && depth < styleLimits.depth) {
    const inner = rulesIn(body, dropped, depth + 1)
    return inner === '' ? '' : `${prelude}{${inner}}`
  }
  const selectors = prelude.startsWith('@') ? [] : selectorsIn(prelude)
  if (selectors.length === 0 || body.includes('{')) {
    dropped.add(nameOf(prelude))
    return ''
  }
  const declarations = declarationsIn(body, dropped)
  if (declarations === '') return ''
  return selectors
    .flatMap((selector) => (selector.isDark ? ofDark(selector.text) : [[[], selector.text] as const]))
    .map(([media, selector]) => media.reduceRight((inner, rule) => `${rule}{${inner}}`, `${selector}{${declarations}}`))
    .join('')
}

/** Below the body of the page. None where one of them may not be. */
function selectorsIn(prelude: string): readonly { readonly isDark: boolean; readonly text: string }[] {
  const found = splitAt(prelude, ',').map((part) => {
    const selector = part.trim()
    const isDark = /^(?:html|:root)?\.dark /.test(selector)
    const plain = isDark ? selector.slice(selector.indexOf(' ') + 1) : selector
    if (!selectorPattern.test(plain) || !isClosed(plain)) return undefined
    return { isDark, text: /^(?::root|html|body)$/.test(plain) ? below.trim() : below + plain }
  })
  return found.every((one) => one !== undefined) ? found : []
}

function declarationsIn(body: string, dropped: Set<string>): string {
  const kept: string[] = []
  for (const declaration of splitAt(body, ';')) {
    const colon = declaration.indexOf(':')
    const written = declaration.slice(0, Math.max(0, colon)).trim()
    const name = written.startsWith('--') ? written : written.toLowerCase()
    const value = declaration
      .slice(colon + 1)
      .trim()
      .replaceAll(/\s+/g, ' ')
    const isSafe = name === 'content' ? madeText.test(value) : isSafeDeclaration(name, value)
    if (isSafe) kept.push(`${name}:${value}`)
    else if (declaration.trim() !== '') dropped.add(nameOf(name === '' ? declaration.trim() : name))
  }
  return kept.join(';')
}

const nameOf = (text: string): string => (/^@[-\w]{1,30}/.exec(text)?.[0] ?? text).slice(0, 60)

/** Where the next of some characters stands that is in no string and no parentheses; the length where there is none. */
function endOf(text: string, start: number, ends: string): number {
  let quote = ''
  let open = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quote !== '') {
      if (character === '\\') at += 1
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if (character === '(') open += 1
    else if (character === ')') open -= 1
    else if (open <= 0 && ends.includes(character)) return at
  }
  return text.length
}

/** The end of the block that opens there. */
function closeOf(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at = endOf(text, at + 1, '{}')) {
    depth += text[at] === '{' ? 1 : -1
    if (depth === 0) return at
  }
  return text.length
}

function splitAt(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let start = 0
  while (start <= text.length) {
    const end = endOf(text, start, separator)
    parts.push(text.slice(start, end))
    start = end + 1
  }
  return parts
}
