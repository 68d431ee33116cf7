import { icon } from '../components/icons.ts'
import { escapeHtml, Html } from '../../lib/html.ts'
import type { Attributes } from './attributes.ts'
import {
  type Budget,
  type Dictionary,
  dictionary,
  isCallable,
  isDictionary,
  isList,
  NeedsScript,
  type Item,
} from './interpreter/values.ts'
import { plainText } from './nodes.ts'
import type { SourceLocation } from './problem.ts'

const mostIcons = 20

/** The properties of an island in both forms: as JSON for the browser, and as what is shown first is made of. */
export interface IslandProps {
  readonly data: Dictionary
  readonly props: Attributes
  /** Markup among them. In `data` it is `{ $slot: n }`, in `props` an element that names the same number. */
  readonly slots: readonly string[]
}

/** @throws NeedsScript for a function, which only code of the page has */
export function islandProps(given: Attributes, budget: Budget, place: SourceLocation): IslandProps {
  const slots: string[] = []
  const both = (item: Item, name: string): readonly [data: Item, shown: Item] => {
    if (isCallable(item)) throw new NeedsScript(`passes a function as \`${name}\``, place)
    if (item instanceof Html) {
      // A component may read its children as text.
      if (!item.html.includes('<')) return [plainText(item.html), plainText(item.html)]
      const index = slots.push(item.html) - 1
      return [dictionary([['$slot', index]]), new Html(slotElement(index, item.html))]
    }
    if (typeof item === 'string') budget.text(item.length, () => place)
    if (!isList(item) && !isDictionary(item)) return [item, item]
    return budget.nested(
      () => place,
      () => {
        const members = Object.entries(item).map(([key, member]) => [key, both(member, `${name}.${key}`)] as const)
        budget.list(members.length, () => place)
        if (isList(item)) return [members.map(([, [data]]) => data), members.map(([, [, shown]]) => shown)]
        return [
          dictionary(members.map(([key, [data]]) => [key, data])),
          dictionary(members.map(([key, [, shown]]) => [key, shown])),
        ]
      },
    )
  }
  const data = dictionary()
  const props = new Map<string, Item>()
  for (const [key, item] of given) {
    if (key === 'key' || key === 'ref') continue
    const [sent, shown] = both(item, key)
    data[key] = sent
    props.set(key, shown)
  }
  return { data, props, slots }
}

/** Markup that was made here and is given to an island. */
export function slotElement(name: number | string, html: string): string {
  return `<q-slot style="display:contents" data-quire-slot="${escapeHtml(String(name))}">${html}</q-slot>`
}

/** How the browser finds a page that code imports, as it is with properties: see `snippet` of the runtime. */
export function snippetSlot(path: string, attributes: Attributes): string {
  const given = [...attributes].filter(([name]) => name !== 'children' && name !== 'key')
  // What is computed is known to the browser alone: it shows the page as it is without.
  if (given.length === 0 || given.some(([, item]) => typeof item === 'object' && item !== null)) return path
  return `${path} ${JSON.stringify(Object.fromEntries(given))}`
}

/** Drawings that properties of an island, as JSON, may name: it cannot ask for others. */
export function iconsIn(props: string): string {
  let html = ''
  let count = 0
  for (const [, name = ''] of props.matchAll(/"(?!\$)([a-z\d][a-z\d-]{1,40})"(?!:)/g)) {
    const svg = count < mostIcons && !html.includes(`"icon::${name}"`) ? icon(name) : undefined
    if (svg === undefined) continue
    html += `<template>${slotElement(`icon::${name}`, svg)}</template>`
    count += 1
  }
  return html
}
