import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Node } from '../mdx/nodes.ts'
import { credentialOf, flowsOf, scopesOf } from './credentials.ts'
import type { FieldWriter } from './fields.ts'
import type { FormFlow } from './request-form.ts'
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
  const { kind, place, field, type } = credentialOf(about.scheme, name)
  const scopes = scopesOf(about.scopes)
  const told =
    kind === 'certificate' ? { name: type } : { [place]: field, type, pre: kind === 'key' ? [place] : undefined }
  return component(
    'ParamField',
    { ...told, required: about.isOptional ? undefined : true, anchor: `authorization ${told.name ?? field}` },
    ...(await fields.prose(textOf(about.scheme['description']))),
    ...(scopes.length === 0 ? [] : [element('p', words('Scopes: '), ...enumerated(scopes))]),
    ...flowsOf(about.scheme).map((flow) => flowNode(flow, fields)),
  )
}

/** A flow of OAuth 2, folded: where its tokens are, and what they can be good for. */
function flowNode({ name, addresses, scopes }: FormFlow, fields: FieldWriter): Node {
  const said = fields.hasRoomFor(name) ? scopes : []
  return component(
    'Expandable',
    { name },
    element(
      'ul',
      ...addresses.map(([word, address]) =>
        element('li', element('code', words(word)), words(': '), element('code', words(address))),
      ),
      ...said.map(([scope, about]) =>
        element('li', element('code', words(scope)), ...(about === '' ? [] : [words(`: ${about}`)])),
      ),
    ),
  )
}

function enumerated(texts: readonly string[]): readonly Node[] {
  return texts.flatMap((text, index) => [...(index > 0 ? [words(', ')] : []), element('code', words(text))])
}
