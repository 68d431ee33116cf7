import { createParser } from 'eventsource-parser'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '../contract/endpoint.ts'
import { Failure, failureCodes, type FailureCode } from '../contract/failure.ts'
import { codeOf, optionsOf } from './problem.ts'

/** What a client needs of `fetch`, which is one. */
export type Send = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string | Uint8Array<ArrayBuffer>
    readonly signal?: AbortSignal
  },
) => Promise<Answer>

/** What it needs of a `Response`. */
export interface Answer extends Pick<Response, 'ok' | 'status' | 'statusText' | 'text' | 'json'> {
  readonly headers: Pick<Headers, 'get'>
  readonly body: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
      cancel(): Promise<void>
    }
  } | null
}

export interface ClientOptions {
  /** Origin of the service, such as `https://docs.example.com`. */
  readonly baseUrl: string
  /** API key or session token. Absent: the browser’s cookie, or nobody. */
  readonly token?: string
  /** What it throws is told as the service being unavailable, unless it is a Failure. */
  readonly fetch?: Send
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes the JSON of a body: in slices, where nothing may be held up. Absent: `JSON.stringify`. */
  readonly stringify?: (body: unknown) => Promise<Uint8Array<ArrayBuffer>>
  /** Longest event of a stream, in characters; a deploy with 1,000 errors and their frames fits without it. */
  readonly maxEvent?: number
}

/** A member that is required exactly when the endpoint’s schema has something required in it. */
type Member<Name extends string, T> = [T] extends [undefined]
  ? { readonly [K in Name]?: undefined }
  : object extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T }

interface Transport {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type CallOptions<E> = Transport &
  Member<'params', ParamsOf<E>> &
  Member<'query', QueryOf<E>> &
  Member<'body', BodyOf<E>>

type Arguments<E> = object extends CallOptions<E> ? [options?: CallOptions<E>] : [options: CallOptions<E>]

/** What a call may hold, without its types: the shape that the code below works on. */
interface LooseOptions extends Transport {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

export interface Client {
  /**
   * Calls an endpoint of the contract: `client.call(contract.deploys.create, { body: { files } })`.
   * Throws the service’s `Failure`; `unavailable` when it cannot be reached; an AbortError when `signal` fires.
   */
  readonly call: <E extends Endpoint>(endpoint: E, ...options: Arguments<E>) => Promise<ReplyOf<E>>
  /** The `data:` of each server-sent event of a stream endpoint, parsed. Ends when the service ends the stream. */
  events<T>(endpoint: Endpoint, options: LooseOptions): AsyncGenerator<T, void, undefined>
}

/** Fills the `:name` parts of a path; the value of a `:name*` keeps its slashes. */
function pathOf(endpoint: Endpoint, params: Readonly<Record<string, unknown>>): string {
  return endpoint.path.replace(/:([A-Za-z]+)(\*?)/g, (_, name: string, rest: string) => {
    const value = params[name]
    if (typeof value !== 'string') throw new Error(`${endpoint.method} ${endpoint.path} needs the parameter ${name}`)
    return rest === '' ? encodeURIComponent(value) : value.split('/').map(segmentOf).join('/')
  })
}

/** A URL has no way to carry these: it would lead somewhere else. */
function segmentOf(segment: string): string {
  if (segment !== '' && segment !== '.' && segment !== '..') return encodeURIComponent(segment)
  throw new Failure('invalid_path', 'A path must have neither `.` or `..` nor empty parts.', {
    hint: 'Write it from the project’s root, such as guides/install.mdx.',
  })
}

function queryOf(query: NonNullable<LooseOptions['query']>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? '' : `?${search.toString()}`
}

/** A client of the service, typed by the contract. Runs in Node and in browsers. */
export function createClient(options: ClientOptions): Client {
  const base = options.baseUrl.replace(/\/+$/, '')
  const send = options.fetch ?? globalThis.fetch
  const stringify = options.stringify ?? JSON.stringify

  const request = async (endpoint: Endpoint, call: LooseOptions, accept: string): Promise<Answer> => {
    const url = base + pathOf(endpoint, call.params ?? {}) + queryOf(call.query ?? {})
    const headers: Record<string, string> = { accept, ...options.headers, ...call.headers }
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`
    // The service takes unsafe requests that come with a cookie only as JSON: also those without a body.
    if (endpoint.method !== 'GET') headers['content-type'] = 'application/json'
    const empty = endpoint.method === 'GET' ? undefined : '{}'
    const body = call.body === undefined ? empty : await stringify(call.body)
    let response
    try {
      response = await send(url, {
        method: endpoint.method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      })
    } catch (error) {
      if (call.signal?.aborted === true || error instanceof Failure) throw error
      throw new Failure('unavailable', `${base} cannot be reached: ${reasonOf(error)}.`, {
        hint: 'Check the address and that the service is running.',
        extra: { network: networkCode(error), isLoopback: isLoopback(base) },
        cause: error,
      })
    }
    if (!response.ok) throw await failureOf(response, base)
    return response
  }

  return {
    async call<E extends Endpoint>(endpoint: E, ...[call]: Arguments<E>): Promise<ReplyOf<E>> {
      const response = await request(endpoint, (call ?? {}) as LooseOptions, 'application/json')
      if (response.status === 204) return undefined as ReplyOf<E>
      return (await replyOf(response, endpoint, base)) as ReplyOf<E>
    },
    async *events<T>(endpoint: Endpoint, call: LooseOptions) {
      const response = await request(endpoint, call, 'text/event-stream')
      yield* readEvents<T>(response, options.maxEvent)
    },
  }
}

/** undici hides why a connection failed in the cause of its “fetch failed”. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const code = networkCode(error)
  const words = reasons[code] ?? reasonPatterns.find(([pattern]) => pattern.test(code))?.[1]
  if (words !== undefined) return `${words} (${code})`
  if (cause instanceof Error) return cause.message === '' ? (cause.name ?? error.message) : cause.message
  return error.message
}

function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

/** What is tried out on this machine. */
export function isLoopback(base: string): boolean {
  return /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\]|[^/]*\.localhost)(?=[:/]|$)/i.test(base)
}

/** What answers there is something else. @param what such as `404 Not Found with text/html` */
function foreign(base: string, what: string, code: FailureCode = 'unavailable'): Failure {
  return new Failure(code, `${base} answers, but not as a Quire does: ${what}.`, {
    hint: 'Check the address: it is that of the dashboard, not of a site.',
    extra: { foreign: what },
  })
}

/** The JSON of an answer. @throws Failure unavailable where it is none, is cut off, or is something else's */
async function replyOf(response: Answer, endpoint: Endpoint, base: string): Promise<unknown> {
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'no type'
  let reply: unknown
  try {
    reply = await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) throw foreign(base, `${response.status} with ${type}`)
    if (!(error instanceof Error) || error.name === 'AbortError') throw error
    throw new Failure('unavailable', `${base} broke off its answer.`, {
      extra: { network: 'ECONNRESET' },
      cause: error,
    })
  }
  // A newer version may ask for more than an older one answers: it has at least something of it. The dashboard, whose
  // service is no stranger, is built without schemas.
  const { required } = (endpoint.reply ?? {}) as { readonly required?: readonly string[] }
  const isOurs =
    required === undefined || (typeof reply === 'object' && reply !== null && required.some((name) => name in reply))
  if (!isOurs) throw foreign(base, 'JSON of something else')
  return reply
}

/** Where the code has no words of its own. */
const reasonPatterns: readonly (readonly [code: RegExp, words: string])[] = [
  [/^(?:EPROTO|ERR_SSL_)/, 'it does not speak TLS there, so the address may begin with http://'],
  [/^HPE_/, 'what answers there does not speak HTTP'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/SELF_SIGNED|^UNABLE_TO_/, 'its certificate is from nobody whom this machine trusts'],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'its certificate is for another name'],
  [/^CERT_/, 'its certificate is not valid'],
]

const reasons: Readonly<Partial<Record<string, string>>> = {
  ENOTFOUND: 'no machine has that name',
  EAI_AGAIN: 'its name could not be looked up, perhaps because this machine is offline',
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection was cut off',
  EHOSTUNREACH: 'there is no way to it from here',
  ENETUNREACH: 'this machine is offline',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_SOCKET: 'the connection was cut off',
  EPIPE: 'the connection was cut off',
}

/** Longest event taken without a bound of the caller's, in characters. */
const defaultMaxEvent = 4 * 1024 * 1024

/** The parsed `data:` of every event of a `text/event-stream` response. */
async function* readEvents<T>(response: Answer, maxEvent = defaultMaxEvent): AsyncGenerator<T, void, undefined> {
  if (response.body === null) return
  const waiting: T[] = []
  const parser = createParser({
    maxBufferSize: maxEvent,
    onEvent: (event) => waiting.push(JSON.parse(event.data) as T),
  })
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parser.feed(decoder.decode(value, { stream: true }))
      yield* waiting.splice(0)
    }
  } finally {
    // The caller left early (break, throw): let go of the connection.
    await reader.cancel()
  }
}

/** What an answer that no Quire wrote (a proxy’s page, say) most likely means. */
function codeOfStatus(status: number): FailureCode {
  if (status >= 500) return 'unavailable'
  const row = Object.entries(failureCodes).find(([, { status: own }]) => own === status)
  return row === undefined ? 'invalid_request' : (row[0] as FailureCode)
}

/** Seconds of a Retry-After header, in either of its forms (RFC 9110, 10.2.3). */
function retryAfterOf(response: Answer): number | undefined {
  const value = response.headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

async function problemOf(response: Answer): Promise<Readonly<Record<string, unknown>>> {
  const text = await response.text()
  if (!(response.headers.get('content-type') ?? '').includes('json')) return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // Cut off or not JSON after all: the status still says what happened.
    return {}
  }
}

/** The `Failure` that the service threw, made again from its problem document. */
async function failureOf(response: Answer, base: string): Promise<Failure> {
  const problem = await problemOf(response)
  const retryAfter = retryAfterOf(response)
  // OAuth endpoints have words of their own for the same two (RFC 6749, 5.2).
  const named = problem['code'] ?? problem['error']
  const told = problem['detail'] ?? problem['error_description']
  const known = codeOf(named)
  const code = known ?? codeOfStatus(response.status)
  // Proxies in front refuse what is too much and tell of a service that is down; what has not changed comes without a
  // word. Else what is refused like that is a stranger's.
  const { status } = response
  const isWordless = status >= 500 || status === 413 || status === 429 || status === 304
  if (known === undefined && typeof told !== 'string' && !isWordless) {
    const type = response.headers.get('content-type')?.split(';')[0] ?? 'no type'
    return foreign(base, `${response.status} ${response.statusText}`.trimEnd() + ` with ${type}`, code)
  }
  const detail =
    typeof told === 'string' ? told : `The server answered ${response.status} ${response.statusText}`.trimEnd() + '.'
  const { extra, ...rest } = optionsOf(problem)
  return new Failure(code, detail, {
    ...rest,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    extra: { httpStatus: response.status, ...extra },
  })
}
