/** @jsxImportSource #html */
import { renderToString } from 'katex'
import { raw, escapeHtml } from '../../lib/html.ts'
import {
  type Component,
  address,
  choice,
  color,
  content,
  flag,
  inner,
  number,
  picture,
  plainText,
  text,
} from './component.tsx'

/** Longer formulas are shown as source: setting one takes time that grows with it. */
const longestFormula = 10_000
/** KaTeX’s katexLimits: macro expansions, and sizes in em (`\rule{1000em}{…}`). */
const katexLimits = { maxExpand: 1000, maxSize: 20 }
const largestIcon = 128
export const badgeColors = [
  'gray',
  'blue',
  'green',
  'yellow',
  'orange',
  'red',
  'purple',
  'white',
  'surface',
  'white-destructive',
  'surface-destructive',
] as const
export const badgeSizes = ['xs', 'sm', 'lg'] as const
export const badgeShapes = ['pill'] as const

/** `<Icon icon="flag" iconType="solid" size={24} color="#FF5733" className />`, or with the picture at `src`, in the line. */
const inlineIcon: Component = (props, _children, context) => {
  const src = address(props, 'src', context, 'asset')
  const drawing = src === undefined ? picture(props, context) : <img class="q-icon" src={src} alt="" />
  if (drawing === undefined) return raw('')
  const size = Math.min(Math.max(number(props, 'size') ?? 0, 0), largestIcon)
  const paint = color(props)
  const rules = [...(size === 0 ? [] : [`font-size:${size}px`]), ...(paint === undefined ? [] : [`color:${paint}`])]
  return (
    <span
      class={['q-inline-icon', ...(size === 0 ? [] : ['q-sized']), text(props, 'className') ?? []].flat().join(' ')}
      style={rules.length === 0 ? undefined : rules.join(';')}
    >
      {drawing}
    </span>
  )
}

/** `<Badge color size shape icon stroke disabled className>`. */
const badge: Component = (props, children, context) => {
  const names = [
    'q-badge',
    `q-badge-${choice(props, 'color', badgeColors) ?? 'gray'}`,
    choice(props, 'size', badgeSizes),
    choice(props, 'shape', badgeShapes),
    flag(props, 'stroke') ? 'stroke' : undefined,
    flag(props, 'disabled') ? 'disabled' : undefined,
  ]
  const classes = names.flatMap((name) =>
    name === undefined ? [] : [name.startsWith('q-') ? name : `q-badge-${name}`],
  )
  return (
    <span class={[...classes, text(props, 'className') ?? []].flat().join(' ')}>
      {picture(props, context)}
      {inner(children)}
    </span>
  )
}

/** `<Tooltip tip headline cta href>`: shown on hover and focus by the style sheet alone. */
const tooltip: Component = (props, children, context) => {
  const tip = content(props, 'tip')
  const headline = content(props, 'headline')
  const cta = content(props, 'cta')
  const href = address(props, 'href', context)
  if (tip === undefined && headline === undefined && href === undefined) return inner(children)
  const id = context.unique('tip')
  return (
    <span class="q-tooltip">
      <span class="q-tooltip-word" tabindex={0} aria-describedby={id}>
        {inner(children)}
      </span>
      <span class="q-tooltip-tip" role="tooltip" id={id}>
        {headline && <strong>{headline}</strong>}
        {tip}
        {href !== undefined && cta !== undefined && <a href={href}>{cta}</a>}
        {href !== undefined && cta === undefined && (
          <a href={href} data-word="readMore">
            Read more
          </a>
        )}
      </span>
    </span>
  )
}

/** `<Link href="/start">words</Link>`, as some projects write their links. */
const link: Component = (props, children, context) => {
  const href = address(props, 'href', context)
  return href === undefined ? inner(children) : <a href={href}>{inner(children)}</a>
}

/** `<Latex>8 \cdot 7</Latex>`. */
const latex: Component = (_props, children) => raw(math(plainText(inner(children)), false))

export const inline: Readonly<Record<string, Component>> = {
  Icon: inlineIcon,
  Badge: badge,
  Tooltip: tooltip,
  Link: link,
  Latex: latex,
}

/**
 * A TeX formula as MathML, which browsers set without styles and fonts. Commands that make links, attributes or load
 * images are refused. A formula with an error is its escaped source in `<code class="q-math-error">`.
 * @param display a formula on its own line
 */
export function math(tex: string, display: boolean): string {
  if (tex.length > longestFormula) return sourceOf(tex, 'The formula is too long')
  let html: string
  try {
    html = renderToString(tex, {
      displayMode: display,
      output: 'mathml',
      trust: false,
      strict: 'ignore',
      throwOnError: true,
      // One object a formula: definitions of a formula would otherwise leak into the next.
      macros: {},
      ...katexLimits,
    })
  } catch (error) {
    return sourceOf(tex, error instanceof Error ? error.message : String(error))
  }
  const bare = html.replace(/^<span class="katex">/, '').replace(/<\/span>$/, '')
  return display ? `<div class="q-math">${bare}</div>` : bare
}

function sourceOf(tex: string, reason: string): string {
  return `<code class="q-math-error" title="${escapeHtml(reason)}">${escapeHtml(tex)}</code>`
}
