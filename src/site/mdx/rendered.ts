import type { Rendered, Value } from '../components/component.ts'
import { escapeHtml, Html } from '../../lib/html.ts'
import { Fragment, isCallable, isDictionary, isList, NeedsScript, type Item } from './interpreter/values.ts'
import type { SourceLocation } from './problem.ts'

/** Text of the author → what a reader sees. */
export function textPart(text: string): Rendered {
  return { html: escapeHtml(text) }
}

export function htmlOf(parts: readonly Rendered[]): string {
  return parts.map((part) => part.html).join('')
}

/** What `{value}` shows: text and numbers, elements, lists of them; nothing for `true`, `false`, `null`, `undefined`. */
export function partsOf(item: Item, place: SourceLocation): readonly Rendered[] {
  if (item === null || item === undefined || typeof item === 'boolean') return []
  if (typeof item === 'string' || typeof item === 'number') return [textPart(String(item))]
  if (item instanceof Fragment) return item.parts
  if (item instanceof Html) return [{ html: item.html }]
  if (isList(item)) return item.flatMap((member) => partsOf(member, place))
  throw new NeedsScript(isCallable(item) ? 'shows a function' : 'shows an object', place)
}

/** An item → what a component may get: data and markup, no functions. */
export function valueOf(item: Item, name: string, place: SourceLocation): Value {
  if (isCallable(item)) throw new NeedsScript(`passes a function as \`${name}\``, place)
  if (isList(item)) return item.map((member) => valueOf(member, name, place))
  if (!isDictionary(item)) return item
  const result = Object.create(null) as { [key: string]: Value }
  for (const [key, member] of Object.entries(item)) result[key] = valueOf(member, `${name}.${key}`, place)
  return result
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The visible text of HTML that was written here. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_match, name: string) => entities[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
