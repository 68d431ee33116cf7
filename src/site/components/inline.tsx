/** @jsxImportSource #html */
import { raw } from '../../lib/html.ts'
import { math } from './math.ts'
import type { Component } from './component.ts'
import { address, choice, color, content, flag, inner, number, picture, plainText } from './props.tsx'

const largestIcon = 128

/** `<Icon icon="flag" iconType="solid" size={24} color="#FF5733" />`, in the line. */
const inlineIcon: Component = (props, _children, context) => {
  const drawing = picture(props, context)
  if (drawing === undefined) return raw('')
  const size = Math.min(Math.max(number(props, 'size') ?? 0, 0), largestIcon)
  const paint = color(props)
  const rules = [...(size === 0 ? [] : [`font-size:${size}px`]), ...(paint === undefined ? [] : [`color:${paint}`])]
  return (
    <span
      class={size === 0 ? 'q-inline-icon' : 'q-inline-icon q-sized'}
      style={rules.length === 0 ? undefined : rules.join(';')}
    >
      {drawing}
    </span>
  )
}

const badgeColors = ['gray', 'blue', 'green', 'yellow', 'orange', 'red', 'purple', 'white', 'surface'] as const

/** `<Badge color size shape icon stroke disabled>`. */
const badge: Component = (props, children, context) => {
  const names = [
    'q-badge',
    `q-badge-${choice(props, 'color', badgeColors) ?? 'gray'}`,
    choice(props, 'size', ['xs', 'sm', 'lg']),
    choice(props, 'shape', ['pill']),
    flag(props, 'stroke') ? 'stroke' : undefined,
    flag(props, 'disabled') ? 'disabled' : undefined,
  ]
  const classes = names.flatMap((name) =>
    name === undefined ? [] : [name.startsWith('q-') ? name : `q-badge-${name}`],
  )
  return (
    <span class={classes.join(' ')}>
      {picture(props, context)}
      {inner(children)}
    </span>
  )
}

/** `<Tooltip tip headline cta href>`: shown on hover and focus by the style sheet alone. */
const tooltip: Component = (props, children, context) => {
  const tip = content(props, 'tip')
  const headline = content(props, 'headline')
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
        {href !== undefined && <a href={href}>{content(props, 'cta') ?? 'Read more'}</a>}
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
