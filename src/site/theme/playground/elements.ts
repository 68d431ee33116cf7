import { make } from '../client/browser.ts'

type Child = Node | string | undefined | false

/** A new element with what is in it. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = make(name, attributes)
  element.append(...children.filter((child) => child !== undefined && child !== false))
  return element
}

/** An entry of a list to choose from. */
export function option(value: string, label = value): HTMLOptionElement {
  return h('option', { value }, label)
}

let count = 0
/** An id that nothing else has. */
export function uniqueId(): string {
  return `q-play-${++count}`
}
