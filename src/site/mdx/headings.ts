import { escapeHtml } from '../../lib/html.ts'
import type { Heading } from '../page.ts'
import { childrenOf, plainText, textOf, type Element, type Node } from './nodes.ts'

/** Of `<Update>`, up to its id. */
const entryStart = '<section class="q-update"'

/** Text of a heading: of its source where that is plain, else of what it became. */
export function headingText(node: Element, inner: string): string {
  return (isPlain(node) ? textOf(node) : plainText(inner)).replaceAll(/\s+/g, ' ').trim()
}

function isPlain(node: Node): boolean {
  return !node.type.startsWith('mdx') && childrenOf(node).every(isPlain)
}

/** A heading that was written without one. */
export function withId(html: string, id: string): string {
  return html.replace(/^<h[1-6]/, (open) => `${open} id="${escapeHtml(id)}"`)
}

/**
 * Headings as they follow each other in the page. They are noted when they are rendered, and what a component holds is
 * rendered before the component; what it then leaves out is no heading of the page. Sections of an entry of a change log
 * are below it, whatever level they are written with.
 */
export function inDocumentOrder(headings: readonly Heading[], html: string): Heading[] {
  const places = new Map<string, number>()
  for (const match of html.matchAll(/ id="([^"]*)"/g))
    if (!places.has(match[1] ?? '')) places.set(match[1] ?? '', match.index)
  let inEntry = false
  const inOrder = headings
    .flatMap((heading) => {
      const place = places.get(escapeHtml(heading.id))
      return place === undefined ? [] : [{ heading, place }]
    })
    .sort((a, b) => a.place - b.place)
  return inOrder.map(({ heading, place }) => {
    if (html.endsWith(entryStart, place)) inEntry = true
    else if (inEntry) return { ...heading, level: Math.min(heading.level + 1, 6) }
    return heading
  })
}

/**
 * HTML whose headings step down by one level at a time, as screen readers go through them; which tags they are, and so
 * how large, stays the author's choice. The title above is the first level.
 */
export function stepped(html: string): string {
  const above: number[] = []
  return html.replaceAll(/<h([1-6])(?=[ >])/g, (tag, digit: string) => {
    const written = Number(digit)
    while ((above.at(-1) ?? 0) >= written) above.pop()
    if (written > 1) above.push(written)
    const level = written === 1 ? 1 : above.length + 1
    return level === written ? tag : `${tag} aria-level="${level}"`
  })
}
