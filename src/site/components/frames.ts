import { attributes } from '../html.ts'
import type { Component } from './component.ts'
import { inner, style } from './props.ts'
import { words } from './words.ts'

/** `<Frame caption hint>` around a picture or video; both are Markdown. */
const frame: Component = (props, children, context) => {
  const hint = words(props, 'hint', context)
  const caption = words(props, 'caption', context)
  return (
    `<figure class="q-frame">${hint === undefined ? '' : `<p class="q-frame-hint">${hint}</p>`}` +
    `<div${attributes({ class: 'q-frame-body', style: style(props) })}>${inner(children)}</div>` +
    `${caption === undefined ? '' : `<figcaption>${caption}</figcaption>`}</figure>`
  )
}

/** What stands beside the text where the window is wide. */
const panel: Component = (_props, children) => `<aside class="q-panel">${inner(children)}</aside>`

export const frames: Readonly<Record<string, Component>> = { Frame: frame, Panel: panel }
