import type { Value } from '../components/component.tsx'
import type { Component, Element, Node, Text } from '../mdx/nodes.ts'

/** A component as the page would write it, with props that are data already. What is undefined is no prop. */
export function component(
  name: string,
  props: Readonly<Record<string, Value>>,
  ...children: readonly Node[]
): Component {
  const given = Object.entries(props).filter(([, value]) => value !== undefined)
  return { type: 'component', name, props: new Map(given), children }
}

export function element(tagName: string, ...children: readonly Node[]): Element {
  return { type: 'element', tagName, properties: {}, children }
}

export function words(value: string): Text {
  return { type: 'text', value }
}

/** A block of code. @param meta as in a fence of Markdown: its title. */
export function code(lang: string, value: string, meta = ''): Node {
  return { type: 'code', lang, meta, value }
}

/** A heading whose words are those of the page’s language. */
export function section(title: string, word: string, level = 2): Node {
  return component('Section', { title, word, level })
}
