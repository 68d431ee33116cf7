import type { JsonObject } from '../../lib/json-reader.ts'
import { textOf } from './values.ts'

/** Where a credential stands in a request, under which name, and what it is. */
export function credentialOf(
  scheme: JsonObject,
  name: string,
): {
  readonly place: 'header' | 'query' | 'cookie'
  readonly field: string
  readonly type: string
  readonly value: string
} {
  const kind = textOf(scheme['type'])
  if (kind === 'apiKey') {
    const place = scheme['in'] === 'query' || scheme['in'] === 'cookie' ? scheme['in'] : 'header'
    return { place, field: textOf(scheme['name']) ?? name, type: 'string', value: `<${name}>` }
  }
  const basic = kind === 'http' && textOf(scheme['scheme'])?.toLowerCase() === 'basic'
  if (basic) return { place: 'header', field: 'Authorization', type: 'Basic', value: 'Basic <user:password in base64>' }
  const bearer = kind === 'http' || kind === 'oauth2' || kind === 'openIdConnect'
  const type =
    kind === 'oauth2' ? 'OAuth 2' : kind === 'openIdConnect' ? 'OpenID Connect' : bearer ? 'Bearer' : (kind ?? 'string')
  return { place: 'header', field: 'Authorization', type, value: 'Bearer <token>' }
}
