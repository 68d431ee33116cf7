/** @jsxImportSource #html */
import { raw } from '../../lib/html.ts'
import type { Component, ComponentContext, Rendered } from './component.ts'
import { choice, content, inner, number, picture, plainText, text } from './props.tsx'

const sizes = ['h2', 'h3', 'h4'] as const

/**
 * `<Steps titleSize>`. A list by role: steps may hold anything, and one may stand alone. Numbers come from the style
 * sheet. The size is that of all steps that have none of their own.
 */
const steps: Component = (props, children, context) => {
  const size = choice(props, 'titleSize', sizes)
  const items = size === undefined ? children : children.map((child) => sized(child, size, context))
  return (
    <div class="q-steps" role="list">
      {inner(items)}
    </div>
  )
}

/** A step whose title is a heading: it was rendered before the list that says so. */
function sized(child: Rendered, size: (typeof sizes)[number], context: ComponentContext): Rendered {
  if (child.component !== 'Step' || choice(child.props ?? new Map(), 'titleSize', ['p', ...sizes])) return child
  const found = /^(<div[^>]* id="([^"]+)".*?)<p class="q-step-title">(.*?)<\/p>/s.exec(child.html)
  const [matched, before = '', id = '', title = ''] = found ?? []
  if (matched === undefined) return child
  context.heading({ id: plainText(raw(id)), level: Number(size.slice(1)), text: plainText(raw(title)) })
  const html = `${before}<${size} class="q-step-title">${title}</${size}>${child.html.slice(matched.length)}`
  return { ...child, html }
}

/** `<Step title icon stepNumber titleSize id>`. With `titleSize` the title is a heading of that level. */
const step: Component = (props, children, context) => {
  const title = content(props, 'title')
  const words = title === undefined ? '' : plainText(title)
  const given = text(props, 'id')
  const id = given === undefined && words === '' ? undefined : context.anchor(given ?? words)
  const size = choice(props, 'titleSize', sizes)
  if (size !== undefined && id !== undefined && words !== '')
    context.heading({ id, level: Number(size.slice(1)), text: words })
  const icon = picture(props, context)
  const Title = size ?? 'p'
  return (
    <div
      class={icon === undefined ? 'q-step' : 'q-step q-step-icon'}
      role="listitem"
      id={id}
      data-number={number(props, 'stepNumber')}
    >
      {icon}
      {title && <Title class="q-step-title">{title}</Title>}
      <div class="q-step-body">{inner(children)}</div>
    </div>
  )
}

export const stepComponents: Readonly<Record<string, Component>> = { Steps: steps, Step: step }
