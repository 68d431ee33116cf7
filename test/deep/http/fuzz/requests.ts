import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import type { Endpoint, Method } from '#contract/endpoint.ts'
import type { Schema } from '#test/support/endpoints.ts'
import { scopes } from '#contract/endpoint.ts'
import { callers, type FuzzCaller } from './names.ts'
import { oddText, oddValue } from './odd.ts'
import { right, type Right } from './right.ts'
import { broken, members } from './values.ts'
import type { FuzzRequest } from './world.ts'

type Members = Readonly<Record<string, unknown>>
type Coding = 'none' | 'gzip' | 'not what it says'

/** Most right, and the rest with one thing wrong. */
function partOf(schema: Schema, noun: string, odd: fc.Arbitrary<unknown>): fc.Arbitrary<Members> {
  return fc.oneof(
    { weight: 4, arbitrary: members(schema, noun, 'any') },
    { weight: 2, arbitrary: broken(schema, noun, odd) },
  )
}

const headerText = fc.oneof(
  fc
    .string({
      unit: fc.constantFrom('a', 'Z', '0', ' ', '"', '*', ',', ';', '=', '/', '-', '.', '\t', '\u00e9'),
      maxLength: 30,
    })
    .map((text) => text.trim()),
  fc.constantFrom('', '*', '"', 'W/', ',', ';', 'a'.repeat(1000), 'bytes=', '\u00ff\u00fe', '__proto__'),
)
const header = (...usual: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...usual) }, headerText)

const conditions = {
  'if-match': header('*', '"__mainOid__"', '__mainOid__', 'W/"__mainOid__"', '"a", "b"', '""'),
  'if-none-match': header('*', '"__mainOid__"', 'W/"__mainOid__"', '""'),
}
const preferences = {
  prefer: header('respond-async', 'wait=1', 'respond-async, wait=0', 'return=minimal'),
  'idempotency-key': header('one', 'two', '6f1b0cb6-0b1e-4ac5-b3a3-4b8f0c3f1d55', 'a'.repeat(255), 'a'.repeat(256)),
}
const others = {
  range: header('bytes=0-1', 'bytes=-1', 'bytes=9-1', 'lines=1'),
  accept: header('application/json', 'text/event-stream', 'image/*;q=0'),
  'accept-encoding': header('gzip', 'br;q=0, gzip;q=2', 'identity;q=0'),
  'if-modified-since': header('Thu, 01 Jan 1970 00:00:00 GMT', 'never'),
  'last-event-id': header('1', '-1'),
  'content-type': header(
    'application/json; charset=latin1',
    'text/plain',
    'application/x-www-form-urlencoded',
    'a/b; c',
  ),
  'content-encoding': header('br', 'identity', 'gzip, gzip', 'x-gzip'),
  'x-http-method-override': header('DELETE'),
  'x-forwarded-for': header('192.0.2.1', '1.2.3.4, unknown'),
  origin: header('https://elsewhere.example', 'null'),
  cookie: header('quire_session=none', 'a=b; a=c', '__Host-quire_session=;'),
}
const headersOf: fc.Arbitrary<Readonly<Record<string, string>>> = fc
  .tuple(
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, fc.record(conditions, { requiredKeys: [] })),
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, fc.record(preferences, { requiredKeys: [] })),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      fc.constantFrom(...Object.entries(others)).chain(([name, value]) => value.map((text) => ({ [name]: text }))),
    ),
  )
  .map(([one, two, three]) => ({ ...one, ...two, ...three }))

function bodyTextOf(schema: Schema | undefined, noun: string): fc.Arbitrary<string | null> {
  const whole = schema === undefined ? fc.constant(null) : members(schema, noun, 'any').map((b) => JSON.stringify(b))
  const wrong = schema === undefined ? fc.constant('{}') : broken(schema, noun, oddValue).map((b) => JSON.stringify(b))
  const odd = oddValue.map((value) => JSON.stringify(value))
  const raw = fc.constantFrom(
    '',
    ' ',
    '{',
    '}',
    '[1,]',
    '{"a":1,"a":2}',
    'nul',
    '\ufeff{}',
    '"\ud800"',
    '{"a":NaN}',
    '01',
    '{}{}',
    'a=b&c',
    '['.repeat(2000),
    `[${'1,'.repeat(2000)}1]`,
    '{"content":"\\ud800"}',
    '\0',
    '"\\u0000"',
    '{"\\u0000":1}',
  )
  return fc.oneof(
    { weight: 12, arbitrary: whole },
    { weight: 4, arbitrary: wrong },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: raw },
  )
}

const rarely = (...odd: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant('') }, fc.constantFrom(...odd))
const queryTails = rarely('&', '&&=', '&a', '&limit=1&limit=2', '&%', '&%ff=1', '&a[]=1')
const pathTails = rarely('/', '//', '/..', '/%2e%2e', '/%', '%00', ';a=b', '/x')
const methods = fc.constantFrom<Method | 'HEAD' | 'OPTIONS'>('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE')

/** As UTF-8, all that is not plain escaped; half a surrogate pair becomes the replacement character. */
function percent(text: string): string {
  const escaped = [...Buffer.from(text.slice(0, 3000))].map((byte) => {
    const letter = String.fromCharCode(byte)
    return /[A-Za-z0-9_.-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`
  })
  return escaped.join('')
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

export function pathOf(path: string, params: Members): string {
  return path.replace(/:([A-Za-z]+)(\*?)/g, (_, name: string, rest: string) => {
    const value = asText(params[name] ?? '')
    return rest === '' ? percent(value) : value.split('/').map(percent).join('/')
  })
}

export function queryOf(query: Members): string {
  return Object.entries(query)
    .map(([name, value]) => `${percent(name)}=${percent(asText(value))}`)
    .join('&')
}

function coded(text: string, coding: Coding): Pick<FuzzRequest, 'headers' | 'encode'> {
  if (coding === 'none') return { headers: {}, encode: (whole) => Buffer.from(whole) }
  const headers = { 'content-encoding': 'gzip' }
  if (coding === 'gzip') return { headers, encode: (whole) => gzipSync(whole) }
  return { headers, encode: (whole) => Buffer.from(whole + text.slice(0, 1), 'latin1') }
}

interface Parts {
  readonly caller: FuzzCaller
  readonly params: Members
  readonly query: Members
  readonly headers: Readonly<Record<string, string>>
  readonly text: string | null
  readonly coding: Coding
  readonly method: string
  readonly tails: readonly [path: string, query: string]
}

const slugs: Readonly<Record<string, FuzzRequest['target']>> = { __slug__: 'own', __foreignSlug__: 'foreign' }

function requestOf(operation: string, { path }: Endpoint, parts: Parts): FuzzRequest {
  const { caller, params, query, headers, text, coding, method, tails } = parts
  const [pathTail, queryTail] = tails
  const question = queryOf(query) + queryTail
  const slug = path.includes('/:slug') ? params['slug'] : query['project']
  const sent = text === null ? { headers: {} } : coded(text, coding)
  return {
    caller,
    operation,
    method,
    path: pathOf(path, params) + pathTail + (question === '' ? '' : `?${question}`),
    target: pathTail === '' && typeof slug === 'string' ? (slugs[slug] ?? 'elsewhere') : 'elsewhere',
    ...sent,
    ...(text === null ? {} : { text }),
    headers: { ...(text === null ? {} : { 'content-type': 'application/json' }), ...sent.headers, ...headers },
  }
}

const plain = { coding: 'none', tails: ['', ''] } as const

/** Requests that the endpoint takes, as far as the names in them stand for something. */
export function rightRequestsOf(operation: string, endpoint: Endpoint): fc.Arbitrary<FuzzRequest> {
  const noun = operation.split('.', 1)[0] ?? ''
  const { method, params = {}, query = {}, body, access } = endpoint
  const key = scopes.find((scope) => scope === access)
  const fromSchemas = fc.record({
    caller: fc.constantFrom<FuzzCaller>('owner', key ?? 'owner'),
    params: members(params, noun, 'right'),
    query: members(query, noun, 'right'),
    body: body === undefined ? fc.constant(undefined) : members(body, noun, 'right'),
    coding: fc.constantFrom<Coding>('none', 'none', 'none', 'gzip'),
    isForm: endpoint.oauth === true ? fc.boolean() : fc.constant(false),
  })
  return fc
    .tuple(fromSchemas, right[operation] ?? fc.constant<Right>({}))
    .map(([{ isForm, ...parts }, fitting]): FuzzRequest => {
      const { body: sent, headers = {}, ...all } = { ...parts, ...fitting }
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const text = sent === undefined ? null : isForm ? queryOf(sent) : JSON.stringify(sent)
      return requestOf(operation, endpoint, {
        ...plain,
        ...all,
        method,
        text,
        headers: { ...(isForm ? form : {}), ...headers },
      })
    })
}

/** Requests to an endpoint, made of its schemas: half by its owner and nearly right, half with anything wrong, by anybody. */
export function requestsOf(operation: string, endpoint: Endpoint): fc.Arbitrary<FuzzRequest> {
  const noun = operation.split('.', 1)[0] ?? ''
  const { body } = endpoint
  const query = endpoint.query ?? {}
  const parts = {
    caller: fc.oneof(
      { weight: 4, arbitrary: fc.constant('owner' as const) },
      { weight: 4, arbitrary: fc.constantFrom(...callers) },
    ),
    params: partOf(endpoint.params ?? {}, noun, oddText),
    query:
      endpoint.query === undefined
        ? fc.constantFrom<Members>({}, {}, {}, {}, {}, {}, {}, { nope: '1' })
        : partOf(query, noun, oddText),
    headers: headersOf,
    text: body === undefined && endpoint.method === 'GET' ? fc.constant(null) : bodyTextOf(body, noun),
    coding: fc.oneof(
      { weight: 15, arbitrary: fc.constant('none' as const) },
      fc.constantFrom<Coding>('gzip', 'not what it says'),
    ),
    method: fc.oneof({ weight: 25, arbitrary: fc.constant(endpoint.method) }, methods),
    tails: fc.tuple(pathTails, queryTails),
  }
  const usual = {
    ...parts,
    caller: fc.constant('owner' as const),
    params: members(endpoint.params ?? {}, noun, 'any'),
    query: members(query, noun, 'any'),
    coding: fc.constant('none' as const),
    method: fc.constant(endpoint.method),
    tails: fc.constant<[string, string]>(['', '']),
  }
  return fc.oneof(fc.record(usual), fc.record(parts)).map((made) => requestOf(operation, endpoint, made))
}
