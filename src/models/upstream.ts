import { createParser } from 'eventsource-parser'
import { Pool, type Dispatcher } from 'undici'

/** How an exchange with a router can break off. */
export type BreakKind =
  /** The router or a provider behind it says that it failed. */
  | 'upstream'
  /** Nothing came for too long, or the whole took too long. */
  | 'timeout'
  /** No connection, or none any more. */
  | 'connection'
  /** What came is not what the protocol has. */
  | 'protocol'
  | 'too much'

/** The exchange broke off. Neither what was asked nor what came is in it: only what may be logged. */
export class Broken extends Error {
  override readonly name = 'Broken'
  readonly kind: BreakKind
  /** The router’s, a status; or the system’s, such as ECONNRESET. */
  readonly reason: number | string | undefined

  constructor(kind: BreakKind, reason?: number | string) {
    super(`The exchange with the model router broke off: ${kind}${reason === undefined ? '' : ` (${reason})`}.`)
    this.kind = kind
    this.reason = reason
  }
}

export interface UpstreamOptions {
  /** Of the router, without `/chat/completions`. */
  readonly url: string
  readonly key: string | undefined
  readonly userAgent: string
  /** Milliseconds for which nothing may come, before the first byte and between two. */
  readonly silenceMs: number
  /** Bytes of one answer with all that is around its text. */
  readonly mostBytes: number
}

/** What a router said first. */
export interface Head {
  readonly status: number
  /** Seconds. */
  readonly retryAfter: number | undefined
  /**
   * The data of events, those together that came together; to be read to its end or to be given up. On an error status
   * there are none.
   */
  readonly events: () => AsyncGenerator<readonly string[], void, undefined>
}

/** One event of a stream, in characters. */
const mostEvent = 1024 * 1024
/** So many answers come at a time at most: more than works of accounts and of readers have places together. */
const connections = 1024
/** Milliseconds for the end of a connection’s answer after its last event: then it can be used again. */
const restMs = 1000

/** A router of models over HTTP: one POST, answered with events. */
export class Upstream {
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ url, key, userAgent, silenceMs, mostBytes }: UpstreamOptions) {
    const { origin, pathname } = new URL(url)
    this.#pool = new Pool(origin, {
      connections,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      connect: { timeout: silenceMs },
      maxResponseSize: mostBytes,
    })
    this.#path = `${pathname.replace(/\/+$/, '')}/chat/completions`
    this.#headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
    }
  }

  /** Throws Broken; the signal’s reason when it is aborted, which ends the exchange in whatever state it is. */
  async post(body: string, signal: AbortSignal): Promise<Head> {
    const { statusCode: status, headers, body: answer } = await this.#send(body, signal)
    const isStream = /^text\/event-stream\b/i.test(String(headers['content-type']))
    const hasEvents = status === 200 && isStream
    // Not read: what a router says of an error can hold what it was asked.
    if (!hasEvents) answer.on('error', () => undefined).destroy()
    if (status === 200 && !isStream) throw new Broken('protocol', 'no event stream')
    return { status, retryAfter: secondsOf(headers['retry-after']), events: () => readEvents(answer, signal) }
  }

  async #send(body: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#pool.request({ method: 'POST', path: this.#path, headers: this.#headers, body, signal })
    } catch (error) {
      throw brokenBy(error, signal)
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }
}

/** A slow reader holds up the socket: no more is read than what it has asked for, beside a buffer. */
async function* readEvents(
  body: Dispatcher.ResponseData['body'],
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void, undefined> {
  const waiting: string[] = []
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: mostEvent,
    onEvent: ({ data }) => waiting.push(data),
    onError: ({ type }) => (isTooLong ||= type === 'max-buffer-size-exceeded'),
  })
  const decoder = new TextDecoder()
  let isDone = false
  try {
    for await (const bytes of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      parser.feed(decoder.decode(bytes, { stream: true }))
      const events = waiting.splice(0)
      const end = events.findIndex((data) => data.trim() === '[DONE]')
      isDone = end !== -1
      yield isDone ? events.slice(0, end) : events
      if (isDone) return
      signal.throwIfAborted()
      if (isTooLong) throw new Broken('too much', 'one event')
    }
  } catch (error) {
    throw error instanceof Broken ? error : brokenBy(error, signal)
  } finally {
    if (isDone) void body.dump({ limit: mostEvent * 1024, signal: AbortSignal.timeout(restMs) }).catch(() => undefined)
    else body.on('error', () => undefined).destroy()
  }
}

/** What a failed exchange is to the caller; an error of the program itself, which has no such code, as it is: a bug. */
function brokenBy(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (!(error instanceof Error)) return error
  // Several addresses were tried; the first speaks for all.
  const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : []
  const code = 'code' in first && typeof first.code === 'string' ? first.code : first.name
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new Broken('too much', code)
  if (/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/.test(code)) return new Broken('timeout', code)
  if (/^(?:HTTPParserError$|HPE_|UND_ERR_(?:HEADERS_OVERFLOW|RES_))/.test(code)) return new Broken('protocol', code)
  const isOurs = /^(?:ERR_(?!TLS|SSL|STREAM_PREMATURE)|UND_ERR_(?:INVALID|NOT_SUPPORTED)|[A-Z][a-z])/.test(code)
  return isOurs ? error : new Broken('connection', code)
}

/** Retry-After has seconds or a date (RFC 9110, 10.2.3). */
function secondsOf(value: string | readonly string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
