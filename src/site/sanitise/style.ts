/** Properties that lay out and paint; what covers the page or loads something is not among them. */
const properties = new Set(
  (
    'align-content align-items align-self aspect-ratio background background-color border-collapse border-spacing bottom box-shadow ' +
    'box-sizing clear color column-count column-gap column-width columns cursor display fill flex flex-basis flex-direction flex-flow ' +
    'flex-grow flex-shrink flex-wrap float font font-family font-size font-style font-variant font-weight gap grid grid-area ' +
    'grid-auto-columns grid-auto-flow grid-auto-rows grid-column grid-row grid-template grid-template-areas ' +
    'grid-template-columns grid-template-rows height inset justify-content justify-items justify-self left letter-spacing line-height ' +
    'list-style list-style-position list-style-type max-height max-width min-height min-width object-fit object-position opacity ' +
    'order overflow overflow-wrap overflow-x overflow-y place-content place-items place-self position right row-gap stroke ' +
    'stroke-width tab-size table-layout text-align text-decoration text-indent text-overflow text-transform text-wrap top ' +
    'transform transform-origin transition vertical-align visibility white-space width word-break word-spacing z-index'
  ).split(' '),
)
const families = /^(?:border|margin|padding|outline)(?:-[a-z]+)*$/
/** Fonts, numbers, colours, functions that compute: no quotes that could end, no `\` that could hide, no `url(`. */
const value = /^[\w\s.,%#()+*/'"!-]{1,300}$/
const refused = /url\s*\(|expression\s*\(|image(?:-set)?\s*\(|attr\s*\(|element\s*\(|\/\*|var\s*\(\s*--q-/i
const positions = new Set(['static', 'relative', 'absolute'])
const unitless =
  /^(?:-webkit-)?(?:aspect-ratio|column-count|columns|fill-opacity|flex|flex-grow|flex-shrink|font-weight|grid-area|grid-column|grid-row|line-height|opacity|order|tab-size|z-index|zoom)$/

/**
 * The declarations of a style attribute that may pass, as text; empty when none.
 * @param style CSS text, or entries as JSX writes them (`['backgroundColor', 'red']`, numbers are pixels).
 */
export function safeStyle(style: string | readonly (readonly [string, string | number])[]): {
  css: string
  dropped: readonly string[]
} {
  const declarations = typeof style === 'string' ? parse(style) : style.map(([name, item]) => fromObject(name, item))
  const kept: string[] = []
  const dropped: string[] = []
  for (const [name, text] of declarations) {
    if (isSafe(name, text)) kept.push(`${name}:${text}`)
    else if (name !== '') dropped.push(name)
  }
  return { css: kept.join(';'), dropped }
}

function isSafe(name: string, text: string): boolean {
  if (!properties.has(name) && !families.test(name) && !/^--(?!q-)[a-z][\w-]*$/i.test(name)) return false
  if (!value.test(text) || refused.test(text) || unbalanced(text)) return false
  return name !== 'position' || positions.has(text.toLowerCase().replace(/\s*!important$/, ''))
}

function unbalanced(text: string): boolean {
  const count = (character: string): number => text.split(character).length - 1
  return count('(') !== count(')') || count("'") % 2 === 1 || count('"') % 2 === 1
}

/** Splits at semicolons outside of quotes and parentheses. A value that holds one is refused later anyway. */
function parse(style: string): readonly (readonly [string, string])[] {
  return style
    .slice(0, 4_000)
    .split(';')
    .flatMap((declaration) => {
      const colon = declaration.indexOf(':')
      if (colon === -1) return []
      return [[declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()] as const]
    })
}

function fromObject(name: string, item: string | number): readonly [string, string] {
  const dashed = name.startsWith('--')
    ? name
    : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^ms-/, '-ms-')
  if (typeof item === 'string') return [dashed, item.trim()]
  return [dashed, item === 0 || unitless.test(dashed) || dashed.startsWith('--') ? String(item) : `${item}px`]
}
