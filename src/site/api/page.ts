import { isObject, type Json } from '../../lib/json-reader.ts'
import type { Node } from '../mdx/nodes.ts'
import { judge } from '../sanitise/tag.ts'
import { ChannelPage } from './channel.ts'
import type { Prose } from './fields.ts'
import { playgroundOf, usualSettings, type ApiSettings } from './form.ts'
import { operationName, partFields, partPaths, settingsPath, type PartField } from './names.ts'
import { OperationPage } from './operation.ts'
import { ownOperationNodes, type OwnChoice } from './own-operation.ts'
import { schemaNodes } from './schema-page.ts'
import { component, element, words } from './tree.ts'

/** What the front matter of a page says of an API. */
export interface ReferenceChoice extends OwnChoice, Readonly<Partial<Record<PartField, string>>> {
  /** `POST https://api.example.com/users`, or a path below the servers of docs.json. */
  readonly api?: string
}

/** What a page needs of whoever reads it. */
export interface ReferenceReader {
  /** Of the page. */
  readonly path: string
  /** JSON under a path of `names.ts`; undefined where there is none. */
  load(path: string): Promise<Json | undefined>
  /** Markdown, in which braces are text, as in a file that ends in .md. */
  parse: Prose
  warn(message: string): void
}

/** What a page gets of a description: its part, what that refers to, and what docs.json says of such pages. */
interface Reference {
  /** What references to it say. */
  readonly key?: string
  readonly part: Json
  readonly definitions: Readonly<Record<string, Json>>
  readonly settings: ApiSettings
}

/** What the page shows before the words of its author; undefined where its front matter asks for nothing. */
export async function referenceNodes(
  { frontMatter, tree }: { readonly frontMatter: ReferenceChoice; readonly tree: Node },
  reader: ReferenceReader,
): Promise<readonly Node[] | undefined> {
  const field = partFields.find((name) => frontMatter[name] !== undefined)
  if (field !== undefined) return partNodes(field, frontMatter, reader)
  const { api } = frontMatter
  if (api === undefined) return undefined
  const settings = ((await reader.load(settingsPath)) as unknown as ApiSettings | undefined) ?? usualSettings
  const nodes = await ownOperationNodes(api, { choice: frontMatter, tree }, settings)
  if (nodes === undefined)
    reader.warn(`api: ${shown(api)} is not understood; write METHOD and an address: POST /users.`)
  return nodes
}

async function partNodes(
  field: PartField,
  frontMatter: ReferenceChoice,
  reader: ReferenceReader,
): Promise<readonly Node[]> {
  const text = frontMatter[field] ?? ''
  const paths = partPaths(field, text, reader.path)
  if (paths.length === 0) {
    reader.warn(
      `openapi: ${shown(text)} is not understood; write METHOD /path, with the file of the description before it.`,
    )
    return [missing]
  }
  let value: Reference | undefined
  for (const path of paths) value ??= (await reader.load(path)) as unknown as Reference | undefined
  if (value === undefined || !isObject(value.part)) {
    reader.warn(`No description of an API here has ${nouns[field]} ${shown(text)}; the page says that it is missing.`)
    return [missing]
  }
  const { key = '#', part, definitions, settings: usual } = value
  const { playground } = frontMatter
  const settings = playground === undefined ? usual : { ...usual, playground: playgroundOf(playground) }
  const known = new Map(Object.entries({ ...definitions, [key]: part }))
  const prose: Prose = async (words_) =>
    plain.test(words_) && !starts.test(words_) ? [element('p', words(words_))] : reader.parse(withNames(words_))
  if (field === 'openapi-schema') return schemaNodes(key, known, prose, settings)
  if (field === 'asyncapi') return new ChannelPage(part, known, prose, settings).nodes()
  return new OperationPage(part, known, prose, settings).nodes()
}

/** Of the operation that a page describes, upper case. */
export function methodOf({ openapi, api }: ReferenceChoice): string | undefined {
  const named = openapi === undefined ? undefined : operationName(openapi)?.name
  return named?.split(' ', 1)[0] ?? /^([A-Za-z]{2,10})\s+\S/.exec(api ?? '')?.[1]?.toUpperCase()
}

const nouns = { openapi: 'the operation', 'openapi-schema': 'the schema', asyncapi: 'the channel' } as const
const shown = (text: string): string => JSON.stringify(text.slice(0, 200))

/** For readers of a page whose part is not there. */
const missing = component('Missing', {})

/** `Bearer <token>` → `Bearer &lt;token>`: in descriptions names stand in angle brackets that are no elements. Not in code. */
function withNames(text: string): string {
  return text.replaceAll(/```[\s\S]*?```|`[^`]*`|<\/?([a-z][\w-]*)[^<>]*>/g, (whole, name: string | undefined) =>
    name === undefined || legacy.has(name) || judge(name) !== 'unwrap' ? whole : `&lt;${whole.slice(1)}`,
  )
}

/** Elements of which only the content is shown. */
const legacy = new Set([
  'html',
  'body',
  'center',
  'font',
  'tt',
  'big',
  'strike',
  'nobr',
  'main',
  'form',
  'label',
  'button',
])

/** Text that Markdown makes nothing of but a paragraph: most of what is said of fields. */
const plain = /^[^\n\\`*_[\]<>&#~!|$:/@]*$/
const starts = /^(?:[-+=]|\d+[.)]\s| {4})/
