import type { TSchema } from 'typebox'
import { Problem } from '../../contract/common.ts'
import { isRefusedWhileSuspended, type Endpoint } from '../../contract/endpoint.ts'
import { failureCodes, type FailureCode } from '../../contract/failure.ts'
import { contract } from '../../contract/index.ts'
import { limits } from '../../contract/limits.ts'

/** Codes that an endpoint may answer beside its own, by what it takes. */
function codesOf(endpoint: Endpoint): FailureCode[] {
  const codes = new Set<FailureCode>(endpoint.failures)
  if (endpoint.params !== undefined || endpoint.query !== undefined || endpoint.body !== undefined)
    codes.add('invalid_request')
  if (endpoint.body !== undefined) codes.add('unsupported_media_type').add('request_too_large')
  if (endpoint.members === true) codes.add('unauthenticated')
  if (endpoint.access !== 'public') codes.add('unauthenticated').add('forbidden')
  const ofProject = endpoint.access !== 'public' && endpoint.access !== 'account'
  if (ofProject || endpoint.params !== undefined) codes.add('not_found')
  if (endpoint.method !== 'GET') codes.add('unavailable')
  if (isRefusedWhileSuspended(endpoint)) codes.add('project_suspended')
  return [...codes.add('rate_limited').add('internal')]
}

const retryAfter = { description: 'Seconds to wait', schema: { type: 'integer' } }

/** Refusals by status: each names the codes that come with it. */
function refusals(endpoint: Endpoint): Record<string, unknown> {
  const byStatus = new Map<number, FailureCode[]>()
  for (const code of codesOf(endpoint)) {
    const { status } = failureCodes[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${failureCodes[code].title}`).join('; '),
        ...(status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfter } } : {}),
        content: refusalContent(endpoint, status, codes),
      },
    ]),
  )
}

/** A problem document; where OAuth has words of its own, those (RFC 6749, 5.2). */
function refusalContent({ oauth }: Endpoint, status: number, codes: readonly FailureCode[]): Record<string, unknown> {
  if (oauth === true && (status === 400 || status === 401)) {
    const properties = { error: { enum: codes }, error_description: { type: 'string' } }
    return { 'application/json': { schema: { type: 'object', required: ['error'], properties } } }
  }
  const own = { type: 'object', properties: { code: { enum: codes } } }
  return { 'application/problem+json': { schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, own] } } }
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
}

function parameters(schema: TSchema | undefined, place: 'path' | 'query'): unknown[] {
  const { properties, required } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties ?? {}).map(([name, member]) => {
    const { description } = member as { description?: string }
    return {
      name,
      in: place,
      required: place === 'path' || required?.includes(name) === true,
      ...(description === undefined ? {} : { description }),
      schema: member,
    }
  })
}

const preferHeader = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'With `respond-async` (RFC 7240) the answer is 202 at once, with the deploy under way; with `wait=<seconds>`, too, as ' +
    'it is when it has ended or the time is up, which is at most 10 s',
  schema: { type: 'string' },
}

const codingHeader = {
  name: 'Content-Encoding',
  in: 'header',
  required: false,
  description: 'Of the body; limits of size are those of what comes out',
  schema: { enum: ['gzip', 'identity'] },
}

const headersOf = (endpoint: Endpoint): unknown[] => [
  ...(endpoint.body === undefined ? [] : [codingHeader]),
  ...(endpoint.respondAsync === true ? [preferHeader] : []),
  ...(endpoint.idempotent === true
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'Repeating a request with the same key within a day answers with the first one’s result',
          schema: { type: 'string', maxLength: 255 },
        },
      ]
    : []),
]

function accepted(endpoint: Endpoint): Record<string, unknown> {
  if (endpoint.respondAsync !== true) return {}
  const headers = {
    Location: { description: 'Where to read the deploy', schema: { type: 'string' } },
    'Preference-Applied': { schema: { type: 'string', examples: ['respond-async', 'respond-async, wait=1'] } },
  }
  return { '202': { ...success(endpoint), description: 'Under way, or ended', headers } }
}

function success(endpoint: Endpoint): Record<string, unknown> {
  if (endpoint.stream === true) {
    return { description: 'A stream of events', content: { 'text/event-stream': { schema: { type: 'string' } } } }
  }
  if (endpoint.media !== undefined)
    return { description: 'Done', content: { [endpoint.media]: { schema: { type: 'string' } } } }
  if (endpoint.reply === undefined) return { description: 'Done' }
  const events = endpoint.streams === true ? { 'text/event-stream': { schema: { type: 'string' } } } : {}
  return { description: 'Done', content: { 'application/json': { schema: endpoint.reply }, ...events } }
}

function requestBody({ body, oauth }: Endpoint): Record<string, unknown> {
  if (body === undefined) return {}
  const form = oauth === true ? { 'application/x-www-form-urlencoded': { schema: body } } : {}
  return { requestBody: { required: true, content: { ...form, 'application/json': { schema: body } } } }
}

function operation(id: string, tag: string, endpoint: Endpoint): unknown {
  return {
    operationId: id,
    tags: [tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    parameters: [
      ...parameters(endpoint.params, 'path'),
      ...parameters(endpoint.query, 'query'),
      ...headersOf(endpoint),
    ],
    ...requestBody(endpoint),
    responses: {
      [String(endpoint.status)]: success(endpoint),
      ...(endpoint.creates === true ? { '201': { ...success(endpoint), description: 'Created' } } : {}),
      ...accepted(endpoint),
      ...refusals(endpoint),
    },
    security: securityOf(endpoint),
    'x-access': endpoint.access,
    ...(endpoint.forDeploys === true ? { 'x-access-also': 'deploy' } : {}),
  }
}

/** A public endpoint that shows members more takes a credential, too. */
function securityOf({ access, members }: Endpoint): readonly Record<string, []>[] {
  const credentials = [{ bearer: [] as [] }, { session: [] as [] }]
  if (access !== 'public') return credentials
  return members === true ? [{}, ...credentials] : []
}

/** All endpoints of the contract with their operation ids. */
export function* operations(): Generator<{ id: string; noun: string; endpoint: Endpoint }> {
  for (const [noun, verbs] of Object.entries(contract)) {
    for (const [verb, endpoint] of Object.entries(verbs))
      yield { id: `${noun}.${verb}`, noun, endpoint: endpoint as Endpoint }
  }
}

/** The contract as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export function openApiDocument(service: {
  readonly url: string
  readonly version: string
  readonly cookie: string
}): unknown {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { id, noun, endpoint } of operations()) {
    const path = endpoint.path.replace(/:([A-Za-z]+)\*?/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(id, noun, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quire',
      version: service.version,
      description:
        'Documentation sites from Git. Refusals are problem documents (RFC 9457) whose `code` is stable. ' +
        `A body has at most ${limits.jsonValues} values, and ${limits.jsonMembers} of them in one item of a list or in none.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: service.url }],
    tags: Object.keys(contract).map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key of a project, or the token of a session' },
        session: { type: 'apiKey', in: 'cookie', name: service.cookie },
      },
    },
  }
}
