/** @jsxImportSource #html */
import type { Component } from './component.ts'
import { content, flag, inner, picture, plainText, text } from './props.tsx'

/** `<Accordion title description icon defaultOpen id>`: a fold that needs no script. */
const accordion: Component = (props, children, context) => {
  const title = content(props, 'title') ?? 'Details'
  const description = content(props, 'description')
  const id = context.anchor(text(props, 'id') ?? plainText(title))
  return (
    <details class="q-accordion" id={id} open={flag(props, 'defaultOpen')}>
      <summary>
        {picture(props, context)}
        <span class="q-accordion-title">
          {title}
          {description && <span class="q-accordion-description">{description}</span>}
        </span>
      </summary>
      <div class="q-accordion-body">{inner(children)}</div>
    </details>
  )
}

const group: Component = (_props, children) => <div class="q-accordions">{inner(children)}</div>

/** `<Expandable title defaultOpen>`: the nested fields of a field. */
const expandable: Component = (props, children) => (
  <details class="q-expandable" open={flag(props, 'defaultOpen')}>
    <summary>Show {content(props, 'title') ?? 'more'}</summary>
    <div class="q-expandable-body">{inner(children)}</div>
  </details>
)

export const accordions: Readonly<Record<string, Component>> = {
  Accordion: accordion,
  AccordionGroup: group,
  Expandable: expandable,
}
