import { math } from '../highlight/math.ts'
import { attributes } from '../html.ts'
import type { Component } from './component.ts'
import { address, choice, color, content, flag, inner, number, picture, plainText } from './props.ts'

const LARGEST_ICON = 128

/** `<Icon icon="flag" iconType="solid" size={24} color="#FF5733" />`, in the line. */
const inlineIcon: Component = (props, _children, context) => {
  const drawing = picture(props, context)
  if (drawing === '') return ''
  const size = Math.min(Math.max(number(props, 'size') ?? 0, 0), LARGEST_ICON)
  const paint = color(props)
  const rules = [...(size === 0 ? [] : [`font-size:${size}px`]), ...(paint === undefined ? [] : [`color:${paint}`])]
  const opening = attributes({
    class: size === 0 ? 'q-inline-icon' : 'q-inline-icon q-sized',
    style: rules.length === 0 ? undefined : rules.join(';'),
  })
  return `<span${opening}>${drawing}</span>`
}

const BADGE_COLORS = ['gray', 'blue', 'green', 'yellow', 'orange', 'red', 'purple', 'white', 'surface'] as const

/** `<Badge color size shape icon stroke disabled>`. */
const badge: Component = (props, children, context) => {
  const names = [
    'q-badge',
    `q-badge-${choice(props, 'color', BADGE_COLORS) ?? 'gray'}`,
    choice(props, 'size', ['xs', 'sm', 'lg']),
    choice(props, 'shape', ['pill']),
    flag(props, 'stroke') ? 'stroke' : undefined,
    flag(props, 'disabled') ? 'disabled' : undefined,
  ]
  const classes = names.flatMap((name) =>
    name === undefined ? [] : [name.startsWith('q-') ? name : `q-badge-${name}`],
  )
  return `<span class="${classes.join(' ')}">${picture(props, context)}${inner(children)}</span>`
}

/** `<Tooltip tip headline cta href>`: shown on hover and focus by the style sheet alone. */
const tooltip: Component = (props, children, context) => {
  const tip = content(props, 'tip') ?? ''
  const headline = content(props, 'headline')
  const href = address(props, 'href', context)
  const cta = content(props, 'cta')
  if (tip === '' && headline === undefined && href === undefined) return inner(children)
  const id = context.unique('tip')
  const link = href === undefined ? '' : `<a${attributes({ href })}>${cta ?? 'Read more'}</a>`
  return (
    `<span class="q-tooltip"><span${attributes({ class: 'q-tooltip-word', tabindex: 0, 'aria-describedby': id })}>${inner(children)}</span>` +
    `<span${attributes({ class: 'q-tooltip-tip', role: 'tooltip', id })}>${headline === undefined ? '' : `<strong>${headline}</strong>`}${tip}${link}</span></span>`
  )
}

/** `<Link href="/start">words</Link>`, as some projects write their links. */
const link: Component = (props, children, context) => {
  const href = address(props, 'href', context)
  return href === undefined ? inner(children) : `<a${attributes({ href })}>${inner(children)}</a>`
}

/** `<Latex>8 \cdot 7</Latex>`. */
const latex: Component = (_props, children) => math(plainText(inner(children)), false)

export const inline: Readonly<Record<string, Component>> = {
  Icon: inlineIcon,
  Badge: badge,
  Tooltip: tooltip,
  Link: link,
  Latex: latex,
}
