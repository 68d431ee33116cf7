import type { Json, JsonObject } from '../../lib/json-reader.ts'
import { childrenOf, type MdxElement, type Node } from '../mdx/nodes.ts'
import { playgroundOf, type ApiAuth, type ApiSettings } from './form.ts'
import { OperationPage } from './operation.ts'

/** Fields that a page may list for its playground. */
const maxFields = 200
/** Nodes of a page that are looked at for them. */
const maxLooked = 50_000

const places = ['path', 'query', 'header', 'cookie'] as const

/** What the front matter of a page says of its operation, where that is something else than docs.json says. */
export interface OwnChoice {
  readonly playground?: string
  readonly authMethod?: ApiAuth['method'] | 'none'
  /** Of what is sent; JSON without it. */
  readonly contentType?: string
}

/**
 * What stands at the top of a page that describes its operation itself: method, address, and the playground, whose form is
 * made of its `<ParamField>`s. Requests are written beside the text unless the author has done that.
 *
 * @returns undefined for what is no `METHOD address`
 */
export async function ownOperationNodes(
  api: string,
  { tree, choice }: { readonly tree: Node; readonly choice: OwnChoice },
  settings: ApiSettings,
): Promise<readonly Node[] | undefined> {
  const [, method, url] = /^([A-Za-z]{2,10})\s+(\S{1,2000})$/.exec(api.trim()) ?? []
  if (method === undefined || url === undefined) return undefined
  const [, origin, path = '/'] = /^([a-z][a-z\d+.-]*:\/\/[^/]*)?(\/.*)?$/i.exec(url) ?? [
    undefined,
    undefined,
    `/${url}`,
  ]
  const { fields, hasExample } = fieldsOf(tree)
  const playground = choice.playground === undefined ? settings.playground : playgroundOf(choice.playground)
  const auth = authOf(choice, settings)
  const part = {
    kind: 'operation',
    method: method.toUpperCase(),
    path,
    servers: (origin === undefined ? settings.servers : [origin]).map((server) => ({ url: server.replace(/\/$/, '') })),
    parameters: [],
    security: auth === undefined ? [] : [{ key: [] }],
    schemes: auth === undefined ? {} : { key: schemeOf(auth) },
    operation: operationOf(fields, choice),
  }
  return new OperationPage(part, new Map(), () => Promise.resolve([]), {
    ...settings,
    playground,
    generate: settings.generate && !hasExample,
  }).lead()
}

function authOf({ authMethod }: OwnChoice, { auth }: ApiSettings): ApiAuth | undefined {
  if (authMethod === 'none') return undefined
  if (authMethod === undefined) return auth
  const { name } = auth ?? {}
  return { method: authMethod, ...(name === undefined ? {} : { name }) }
}

function schemeOf({ method, name }: ApiAuth): JsonObject {
  if (method === 'key') return { type: 'apiKey', in: 'header', name: name ?? 'x-api-key' }
  return { type: 'http', scheme: method }
}

type Attributes = Readonly<Record<string, Json>>

function operationOf(fields: readonly Attributes[], { contentType }: OwnChoice): JsonObject {
  const parameters: Json[] = []
  const properties: Record<string, Json> = Object.create(null) as Record<string, Json>
  const required: string[] = []
  for (const field of fields) {
    const schema = schemaOf(field)
    for (const place of places) {
      const name = field[place]
      if (typeof name !== 'string') continue
      const isRequired = place === 'path' || field['required'] === true
      parameters.push({ in: place, name, schema, ...(isRequired ? { required: true } : {}) })
    }
    const name = field['body']
    if (typeof name !== 'string' || name === '') continue
    properties[name] = schema
    if (field['required'] === true) required.push(name)
  }
  const body = { type: 'object', properties, required }
  return {
    parameters,
    ...(Object.keys(properties).length === 0
      ? {}
      : { requestBody: { content: { [contentType ?? 'application/json']: { schema: body } } } }),
  }
}

function schemaOf(field: Attributes): JsonObject {
  const { type, default: fallback, placeholder } = field
  const [, items] = /^(.+)\[\]$/.exec(typeof type === 'string' ? type : '') ?? []
  const known = plainType(items ?? type)
  const value = known === undefined ? {} : known === 'file' ? { type: 'string', format: 'binary' } : { type: known }
  return {
    ...(items === undefined ? value : { type: 'array', items: value }),
    ...(fallback === undefined ? {} : { default: typed(fallback, known) }),
    ...(placeholder === undefined ? {} : { example: typed(placeholder, known) }),
  }
}

/** Attributes are often texts: `default="3"` of an integer is 3. */
function typed(value: Json, type: string | undefined): Json {
  if (typeof value !== 'string' || type === undefined || type === 'string' || type === 'file') return value
  try {
    const read = JSON.parse(value) as Json
    return typeof read === (type === 'boolean' ? 'boolean' : 'number') ? read : value
  } catch {
    return value
  }
}

/** What authors call a type, as JSON Schema calls it. */
function plainType(type: Json | undefined): string | undefined {
  const word = typeof type === 'string' ? type.toLowerCase() : ''
  if (/^(?:int|integer|long)\b/.test(word)) return 'integer'
  if (/^(?:number|float|double|decimal)\b/.test(word)) return 'number'
  if (word.startsWith('bool')) return 'boolean'
  if (/^(?:array|list)\b/.test(word)) return 'array'
  if (/^(?:object|map|record|json)\b/.test(word)) return 'object'
  if (/^file\b/.test(word)) return 'file'
  return word === '' ? undefined : 'string'
}

/** Attributes of the fields of a page that stand in no other field, and whether it has a request of its own. */
function fieldsOf(tree: Node): { readonly fields: readonly Attributes[]; readonly hasExample: boolean } {
  const fields: Attributes[] = []
  let hasExample = false
  const stack = [...childrenOf(tree)].toReversed()
  for (let looked = 0; looked < maxLooked; looked++) {
    const node = stack.pop()
    if (node === undefined) break
    const name = isElement(node) ? node.name : null
    if (name === 'RequestExample') hasExample = true
    if (isElement(node) && name === 'ParamField') {
      if (fields.length < maxFields) fields.push(attributesOf(node))
    } else if (name !== 'ResponseField' && name !== 'RequestExample') stack.push(...childrenOf(node).toReversed())
  }
  return { fields, hasExample }
}

function isElement(node: Node): node is MdxElement {
  return node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement'
}

/** Attributes that are plain values. */
function attributesOf(element: MdxElement): Attributes {
  const known: Record<string, Json> = Object.create(null) as Record<string, Json>
  for (const attribute of element.attributes) {
    if (attribute.type !== 'mdxJsxAttribute') continue
    const { name, value } = attribute
    if (value === null || value === undefined) known[name] = true
    else if (typeof value === 'string') known[name] = value
    else {
      const plain = plainValue(value.value.trim())
      if (plain !== undefined) known[name] = plain
    }
  }
  return known
}

function plainValue(source: string): Json | undefined {
  const text = /^(['`])([^'`\\$]{0,2000})\1$/.exec(source)?.[2]
  if (text !== undefined) return text
  try {
    const value = JSON.parse(source) as Json
    return typeof value === 'object' && value !== null ? undefined : value
  } catch {
    return undefined
  }
}
