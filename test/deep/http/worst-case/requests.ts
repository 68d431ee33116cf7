import type { Endpoint } from '#contract/endpoint.ts'
import type { RawRequest } from '#test/support/send.ts'
import { sampleOf } from './samples.ts'
import { worstBodies } from './bodies.ts'

export interface WorstRequest extends RawRequest {
  readonly what: string
}

/** As much of a request line and headers as Node reads, 16 KB, less what else is in them. */
const headerBytes = 15_000

/** Requests that are as hard on an endpoint as its schemas and limits let them be. */
export function worstRequests(operation: string, endpoint: Endpoint, slug: string): WorstRequest[] {
  const { method } = endpoint
  const { params, query: words } = sampleOf(operation)
  // A session must name the project.
  const query = endpoint.path.includes('/:slug') ? words : { ...words, project: slug }
  const path = endpoint.path.replace(/:([A-Za-z]+)\*?/g, (_, name: string) =>
    name === 'slug' ? slug : (params[name] ?? 'none'),
  )
  const address = (text: string): string => (text === '' ? path : `${path}?${text}`)
  const usual = address(new URLSearchParams(query).toString())
  const json = { 'content-type': 'application/json' }
  const addresses: WorstRequest[] = [
    { what: 'many query parameters', method, path: address('a&'.repeat(headerBytes / 2)) },
    { what: 'one query parameter often', method, path: address('limit=1&'.repeat(headerBytes / 8)) },
    { what: 'a long query parameter', method, path: address(`cursor=${'%F0%9F%98%80'.repeat(headerBytes / 12)}`) },
    { what: 'many segments', method, path: path + '/a'.repeat(headerBytes / 2) },
  ]
  const headers = Object.entries({
    accept: 'a/b;q=0.1,'.repeat(headerBytes / 10),
    'accept-encoding': 'gzip;q=0.1,'.repeat(headerBytes / 11),
    cookie: 'a=b;'.repeat(headerBytes / 4),
    'if-none-match': '"a",'.repeat(headerBytes / 4),
    'if-match': ' '.repeat(headerBytes) + '"',
    range: `bytes=${'0-0,'.repeat(headerBytes / 4)}`,
    prefer: 'a;b,'.repeat(headerBytes / 4),
    'user-agent': 'Mozilla/5.0 ('.repeat(headerBytes / 13),
    authorization: `Bearer ${'a'.repeat(headerBytes)}`,
    'x-forwarded-for': '1,'.repeat(headerBytes / 2),
  }).map(([name, value]) => ({ what: `a long ${name}`, method, path: usual, headers: { [name]: value } }))
  if (endpoint.body === undefined) return [...addresses, ...headers]
  const bodies = worstBodies(endpoint).map(({ what, bytes }) => ({
    what,
    method,
    path: usual,
    headers: { ...json, 'idempotency-key': what.replace(/[^ -~]/g, '') },
    body: bytes,
  }))
  return [...addresses, ...headers, ...bodies]
}
