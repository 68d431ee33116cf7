import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { FormFlow } from './request-form.ts'
import { textOf } from './values.ts'

export interface Credential {
  /** `scheme` is one whose whole header readers write themselves; `certificate` is what the connection is made with. */
  readonly kind: 'bearer' | 'basic' | 'key' | 'scheme' | 'certificate'
  readonly place: 'header' | 'query' | 'cookie'
  readonly field: string
  readonly type: string
  /** As samples have it. */
  readonly value: string
}

/** Where a credential stands in a request, under which name, and what it is. */
export function credentialOf(scheme: JsonObject, name: string): Credential {
  const kind = textOf(scheme['type'])
  if (kind === 'apiKey') {
    const place = scheme['in'] === 'query' || scheme['in'] === 'cookie' ? scheme['in'] : 'header'
    return { kind: 'key', place, field: textOf(scheme['name']) ?? name, type: 'string', value: `<${name}>` }
  }
  const header = { place: 'header', field: 'Authorization' } as const
  if (kind === 'mutualTLS') return { ...header, kind: 'certificate', type: 'mutual TLS', value: '' }
  const word = kind === 'http' ? (textOf(scheme['scheme']) ?? 'bearer') : 'bearer'
  if (word.toLowerCase() === 'basic')
    return { ...header, kind: 'basic', type: 'Basic', value: 'Basic <user:password in base64>' }
  if (word.toLowerCase() !== 'bearer') return { ...header, kind: 'scheme', type: word, value: `${word} <credentials>` }
  const type =
    kind === 'oauth2' ? 'OAuth 2' : kind === 'openIdConnect' ? 'OpenID Connect' : kind === 'http' ? 'Bearer' : 'string'
  return { ...header, kind: 'bearer', type, value: 'Bearer <token>' }
}

const maxFlows = 6
const maxScopes = 200
const addresses = ['authorizationUrl', 'deviceAuthorizationUrl', 'tokenUrl', 'refreshUrl'] as const

/** Where tokens are given out: addresses of each flow of OAuth 2, or of OpenID Connect. */
export function flowsOf(scheme: JsonObject): readonly FormFlow[] {
  const discovery = textOf(scheme['openIdConnectUrl'])
  if (discovery !== undefined)
    return [{ name: 'OpenID Connect', addresses: [['openIdConnectUrl', discovery]], scopes: [] }]
  const flows = Object.entries(isObject(scheme['flows']) ? scheme['flows'] : {}).slice(0, maxFlows)
  return flows.flatMap(([name, flow]): FormFlow[] => {
    if (!isObject(flow)) return []
    const scopes = Object.entries(isObject(flow['scopes']) ? flow['scopes'] : {}).slice(0, maxScopes)
    return [
      {
        name,
        addresses: addresses.flatMap((word) => {
          const address = textOf(flow[word])
          return address === undefined ? [] : [[word, address] as const]
        }),
        scopes: scopes.map(([scope, about]) => [scope, textOf(about) ?? ''] as const),
      },
    ]
  })
}

/** Names of scopes that a requirement asks for. */
export function scopesOf(value: Json | undefined): readonly string[] {
  return (isArray(value) ? value : []).filter((scope) => typeof scope === 'string')
}
