import { isObject, type Json } from '../../lib/json-reader.ts'
import type { Node } from '../mdx/nodes.ts'
import { playgroundOf } from './form.ts'
import { operationName } from './names.ts'
import type { ApiSettings } from './form.ts'
import { OperationPage } from './operation.ts'
import type { Prose } from './fields.ts'
import { element, words } from './tree.ts'

/**
 * Under which a page asks for what its front matter names, as it asks for snippets: no file of a project has this path.
 * Undefined for what names nothing.
 */
export function referencePath(text: string): string | undefined {
  const found = operationName(text)
  if (found === undefined) return undefined
  const { source, name } = found
  return source === undefined ? `api:${name}` : `api:${source} ${name}`
}

/** What a page gets of a description: its part, what that refers to, and what docs.json says of such pages. */
export interface Reference {
  readonly part: Json
  readonly definitions: Readonly<Record<string, Json>>
  readonly settings: ApiSettings
}

/**
 * What the page shows before the text of its author.
 *
 * @param parse Markdown, in which braces are text, as in a file that ends in .md
 * @param playground of the page’s front matter, where that says something else than docs.json
 */
export async function referenceNodes(value: Json, parse: Prose, playground?: string): Promise<readonly Node[]> {
  const { part, definitions, settings: usual } = value as unknown as Reference
  const settings = playground === undefined ? usual : { ...usual, playground: playgroundOf(playground) }
  if (!isObject(part)) return []
  const prose: Prose = async (text) =>
    plain.test(text) && !starts.test(text) ? [element('p', words(text))] : parse(text)
  const page = new OperationPage(part, new Map(Object.entries(definitions)), prose, settings)
  return page.nodes()
}

/** Text that Markdown makes nothing of but a paragraph: most of what is said of fields. */
const plain = /^[^\n\\`*_[\]<>&#~!|$:/@]*$/
const starts = /^(?:[-+=]|\d+[.)]\s| {4})/
