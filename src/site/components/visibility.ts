import type { Component } from './component.ts'
import { inner, text } from './props.ts'

/** `<Visibility for="agents">`: what is meant for machines stands only in the page’s Markdown. */
const visibility: Component = (props, children) =>
  text(props, 'for')?.toLowerCase() === 'agents' ? '' : inner(children)

export const visibilityComponents: Readonly<Record<string, Component>> = { Visibility: visibility }
