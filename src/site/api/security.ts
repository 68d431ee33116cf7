import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Node } from '../mdx/nodes.ts'
import { credentialOf } from './credentials.ts'
import type { FieldWriter } from './fields.ts'
import { resolved, type Definitions } from './schema.ts'
import { component, element, words } from './tree.ts'
import { textOf } from './values.ts'

const maxWays = 20

/** Each way to say who asks, with all that it takes. */
export async function securityNodes(
  part: JsonObject,
  definitions: Definitions,
  fields: FieldWriter,
): Promise<readonly Node[]> {
  const schemes = resolved(part['schemes'], definitions)
  const listed = isArray(part['security']) ? part['security'].filter(isObject) : []
  const isOptional = listed.some((each) => Object.keys(each).length === 0)
  const needed = listed.filter((each) => Object.keys(each).length > 0)
  const ways = [...new Map(needed.map((each) => [JSON.stringify(each), each])).values()]
  const nodes: Node[] = []
  for (const way of fields.firstOf(ways, maxWays)) {
    if (nodes.length > 0) nodes.push(component('Or', {}))
    for (const [name, scopes] of Object.entries(way)) {
      if (!fields.hasRoomFor(name)) break
      const scheme = resolved(schemes[name], definitions)
      nodes.push(await credential(name, { scheme, scopes, isOptional }, fields))
    }
  }
  return nodes.length === 0 ? [] : [component('Section', { title: 'Authorizations', word: 'authorizations' }), ...nodes]
}

async function credential(
  name: string,
  about: { readonly scheme: JsonObject; readonly scopes: Json; readonly isOptional: boolean },
  fields: FieldWriter,
): Promise<Node> {
  const { place, field, type } = credentialOf(about.scheme, name)
  const scopes = (isArray(about.scopes) ? about.scopes : []).filter((scope) => typeof scope === 'string')
  const listed = scopes.flatMap((scope, index) => [...(index > 0 ? [words(', ')] : []), element('code', words(scope))])
  return component(
    'ParamField',
    { [place]: field, type, required: about.isOptional ? undefined : true, anchor: `authorization ${field}` },
    ...(await fields.prose(textOf(about.scheme['description']))),
    ...(scopes.length === 0 ? [] : [element('p', words('Scopes: '), ...listed)]),
  )
}
