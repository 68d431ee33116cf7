import { attributes, escapeHtml } from '../html.ts'
import type { Component } from './component.ts'
import { content, inner, plainText, text, texts } from './props.ts'

/** `<Update label description tags>`: an entry of a change log, listed in the contents. */
const update: Component = (props, children, context) => {
  const label = content(props, 'label') ?? 'Update'
  const words = plainText(label)
  const id = context.anchor(text(props, 'id') ?? words)
  context.heading({ id, level: 2, text: words })
  const description = content(props, 'description')
  const tags = texts(props, 'tags').map((tag) => `<li>${escapeHtml(tag)}</li>`)
  return (
    `<section${attributes({ class: 'q-update', id, 'aria-label': words })}><div class="q-update-head">` +
    `<h2 class="q-update-label"><a${attributes({ href: `#${encodeURIComponent(id)}` })}>${label}</a></h2>` +
    (description === undefined ? '' : `<p class="q-update-description">${description}</p>`) +
    (tags.length === 0 ? '' : `<ul class="q-update-tags">${tags.join('')}</ul>`) +
    `</div><div class="q-update-body">${inner(children)}</div></section>`
  )
}

export const updates: Readonly<Record<string, Component>> = { Update: update }
