import { inline } from '../components/inline.tsx'
import { components } from '../components/registry.ts'
import { drawing } from '../sanitise/allowed.ts'
import type { MdxElement, Node } from './nodes.ts'

/** What holds words only: a browser that meets a paragraph in one of them ends it, or gives it a second margin. */
const wordsOnly = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'summary', 'dt', 'button', 'label', 'span'])
/** Elements at whose start a browser ends an open `<p>` (HTML, 13.2.6.4.7), of those that pages may hold. */
const endsParagraph = new Set(
  (
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup hr ' +
    'h1 h2 h3 h4 h5 h6 main menu nav ol p pre search section summary table ul'
  ).split(' '),
)

/**
 * Name and children that an element of a page is written with, so that a browser reads the tree that the author sees.
 * MDX makes a paragraph of text on a line of its own, also inside `<p>` and `<h3>`: it is taken for the words
 * themselves. A `<p>` around more than words becomes a `<div>`.
 */
export function repairNesting({ name, type, children }: MdxElement): {
  name: string | null
  children: readonly Node[]
} {
  if (name === null || type !== 'mdxJsxFlowElement' || !wordsOnly.has(name)) return { name, children }
  const written = children.filter((child) => child.type !== 'text' || child.value.trim() !== '')
  const [only] = written
  if (written.length === 1 && only?.type === 'element' && only.tagName === 'p') return { name, children: only.children }
  return { name: name === 'p' && written.some(breaks) ? 'div' : name, children }
}

function breaks(node: Node): boolean {
  if (node.type === 'code' || node.type === 'math') return true
  if (node.type === 'element') return endsParagraph.has(node.tagName)
  if (node.type !== 'mdxJsxFlowElement' || node.name === null) return false
  return endsParagraph.has(node.name) || (components.has(node.name) && !Object.hasOwn(inline, node.name))
}

const narrow = new Set('select optgroup datalist table thead tbody tfoot tr colgroup'.split(' '))

/** Whether only some others may stand in an element: what it holds is written as it is, and not in a slot. */
export function isNarrow(name: string | null): boolean {
  return name !== null && (narrow.has(name) || drawing.has(name))
}

const lookingInside = new Set('Tabs CodeGroup RequestExample ResponseExample Tree Tree.Folder FileTree'.split(' '))

/** Whether a component is made of what it holds: as one piece, or in an island each, that would be nothing to it. */
export function looksInside(name: string): boolean {
  return lookingInside.has(name)
}
