import * as fc from 'fast-check'
import type { Endpoint } from '#contract/endpoint.ts'
import { oddText, oddValue } from './odd.ts'
import { pathOf, queryOf } from './requests.ts'
import { broken, members } from './values.ts'

export interface OperatorRequest {
  readonly what: string
  readonly caller: 'operator' | 'wrong' | 'session' | 'nobody'
  readonly method: string
  readonly path: string
  readonly text?: string
}

type Members = Readonly<Record<string, unknown>>

/** What it takes: of members that have other names in one endpoint or another the schema says enough. */
const right: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  slug: fc.constantFrom('own', 'foreign'),
  email: fc.constantFrom('own@example.com', 'foreign@example.com', 'made-__turn__@example.com'),
  password: fc.constant('correct horse battery'),
  plan: fc.constantFrom('free', 'pro'),
  file: fc.constantFrom('_service.json', 'own.json'),
  id: fc.constantFrom('own', 'foreign'),
}

function rightMembers({
  properties = {},
}: {
  readonly properties?: Readonly<Record<string, unknown>>
}): fc.Arbitrary<Members> {
  const all = Object.keys(properties).map((key) => [key, right[key] ?? fc.constant(undefined)] as const)
  return fc.record(Object.fromEntries(all))
}

function requestOf(
  what: string,
  { method, path }: Endpoint,
  parts: {
    readonly caller: OperatorRequest['caller']
    readonly params: Members
    readonly query: Members
    readonly body: unknown
  },
): OperatorRequest {
  const question = queryOf(parts.query)
  const whole = pathOf(path, parts.params) + (question === '' ? '' : `?${question}`)
  const text =
    parts.body === undefined ? undefined : typeof parts.body === 'string' ? parts.body : JSON.stringify(parts.body)
  return { what, caller: parts.caller, method, path: whole, ...(text === undefined ? {} : { text }) }
}

export function rightOperatorRequests(what: string, endpoint: Endpoint): fc.Arbitrary<OperatorRequest> {
  const { params = {}, query = {}, body } = endpoint
  return fc
    .record({
      caller: fc.constant('operator' as const),
      params: rightMembers(params),
      query: rightMembers(query),
      body: body === undefined ? fc.constant(undefined) : rightMembers(body),
    })
    .map((parts) => requestOf(what, endpoint, parts))
}

export function operatorRequests(what: string, endpoint: Endpoint): fc.Arbitrary<OperatorRequest> {
  const { params = {}, query = {}, body } = endpoint
  const raw = fc.constantFrom('', '{', '[]', 'null', '{"email":1}', '{"a":1,"a":2}', '['.repeat(2000), '\0')
  return fc
    .record({
      caller: fc.constantFrom('operator' as const, 'operator', 'operator', 'wrong', 'session', 'nobody'),
      params: fc.oneof(members(params, 'operator', 'any'), broken(params, 'operator', oddText)),
      query: fc.oneof(members(query, 'operator', 'any'), broken(query, 'operator', oddText)),
      body: fc.oneof(
        body === undefined ? fc.constant(undefined) : members(body, 'operator', 'any'),
        body === undefined ? oddValue : broken(body, 'operator', oddValue),
        raw,
      ),
    })
    .map((parts) => requestOf(what, endpoint, parts))
}
