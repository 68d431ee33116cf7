import type { Value } from '../components/component.tsx'
import type { Code, Component, Element, Node, Text } from '../mdx/nodes.ts'

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
export function code(lang: string, value: string, meta = ''): Code {
  return { type: 'code', lang, meta, value }
}

/** Blocks of code of which one is shown: a list to choose from where their titles do not fit beside each other. */
export function codes(
  name: string,
  props: Readonly<Record<string, Value>>,
  blocks: readonly Node[],
  room: number,
): Node {
  return component(name, { ...props, dropdown: isLong(blocks.map(metaOf), room) || undefined }, ...blocks)
}

/** @param room UTF-16 units that titles have, with the space between them */
export function isLong(titles: readonly string[], room: number): boolean {
  return titles.length > 4 || titles.reduce((sum, title) => sum + title.length + 2, 0) > room
}

/** Beside the text, and within it. */
export const rooms = { aside: 28, text: 60 } as const

const metaOf = (node: Node): string => (node.type === 'code' ? (node.meta ?? '') : '')

/** A heading whose words are those of the page’s language. */
export function section(title: string, word: string, level = 2): Node {
  return component('Section', { title, word, level })
}
