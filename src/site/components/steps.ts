import { attributes } from '../html.ts'
import type { Component } from './component.ts'
import { choice, content, inner, number, picture, plainText, text } from './props.ts'

/** A list by role: steps may hold anything, and one may stand alone. Numbers come from the style sheet. */
const steps: Component = (_props, children) => `<div class="q-steps" role="list">${inner(children)}</div>`

/** `<Step title icon stepNumber titleSize id>`. With `titleSize` the title is a heading of that level. */
const step: Component = (props, children, context) => {
  const title = content(props, 'title')
  const words = title === undefined ? '' : plainText(title)
  const given = text(props, 'id')
  const id = given === undefined && words === '' ? undefined : context.anchor(given ?? words)
  const size = choice(props, 'titleSize', ['h2', 'h3', 'h4'])
  if (size !== undefined && id !== undefined && words !== '')
    context.heading({ id, level: Number(size.slice(1)), text: words })
  const sign = picture(props, context)
  const opening = attributes({
    class: sign === '' ? 'q-step' : 'q-step q-step-icon',
    role: 'listitem',
    id,
    'data-number': number(props, 'stepNumber'),
  })
  const tag = size ?? 'p'
  const heading = title === undefined ? '' : `<${tag} class="q-step-title">${title}</${tag}>`
  return `<div${opening}>${sign}${heading}<div class="q-step-body">${inner(children)}</div></div>`
}

export const stepComponents: Readonly<Record<string, Component>> = { Steps: steps, Step: step }
