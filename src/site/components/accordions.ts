import { attributes } from '../html.ts'
import type { Component } from './component.ts'
import { content, flag, inner, picture, plainText, text } from './props.ts'

/** `<Accordion title description icon defaultOpen id>`: a fold that needs no script. */
const accordion: Component = (props, children, context) => {
  const title = content(props, 'title') ?? 'Details'
  const description = content(props, 'description')
  const opening = attributes({
    class: 'q-accordion',
    id: context.anchor(text(props, 'id') ?? plainText(title)),
    open: flag(props, 'defaultOpen'),
  })
  const words = description === undefined ? '' : `<span class="q-accordion-description">${description}</span>`
  return (
    `<details${opening}><summary>${picture(props, context)}<span class="q-accordion-title">${title}${words}</span></summary>` +
    `<div class="q-accordion-body">${inner(children)}</div></details>`
  )
}

const group: Component = (_props, children) => `<div class="q-accordions">${inner(children)}</div>`

/** `<Expandable title defaultOpen>`: the nested fields of a field. */
const expandable: Component = (props, children) => {
  const title = content(props, 'title')
  const label = title === undefined ? 'Show more' : `Show ${title}`
  const opening = attributes({ class: 'q-expandable', open: flag(props, 'defaultOpen') })
  return `<details${opening}><summary>${label}</summary><div class="q-expandable-body">${inner(children)}</div></details>`
}

export const accordions: Readonly<Record<string, Component>> = {
  Accordion: accordion,
  AccordionGroup: group,
  Expandable: expandable,
}
