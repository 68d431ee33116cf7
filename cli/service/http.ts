import { request as requestPlain, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import type { Answer, Send } from '../../src/client/client.ts'
import { Lasting } from '../lasting.ts'
import { noteVersion } from './version.ts'

/** As `fetch` waits for headers, and between parts of a body. */
const silenceMs = 300_000

/**
 * `fetch` of Node over its own HTTP, for requests to a service: loading `fetch` and its first request take 50 ms more, which
 * is half of a small deploy. What leads to another of its addresses is left to `fetch`, which follows.
 */
export const send: Send = async (url, init) => {
  const { protocol } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return fetch(url, init)
  const request = protocol === 'https:' ? (await import('node:https')).request : requestPlain
  const response = await responseOf(request, url, init)
  const { statusCode = 0, headers } = response
  noteVersion(url, [headers['quire-version'] ?? null].flat()[0] ?? null)
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.resume()
    assertOwn(url, headers.location)
    return fetch(url, init)
  }
  // Nobody reads what is not there; unread, it would hold the connection, and that the process, until the service lets go.
  if (statusCode === 204) response.resume()
  return answerOf(response)
}

/** A credential is of the service that it was given for: it does not go along to another one, whoever names that. */
function assertOwn(url: string, location: string): void {
  const { origin, pathname } = new URL(url)
  const target = new URL(location, url)
  if (target.origin === origin) return
  const isSamePath = target.pathname.endsWith(pathname)
  const service = target.origin + (isSamePath ? target.pathname.slice(0, -pathname.length) : '')
  throw new Lasting(`${origin} leads to ${target.origin}, which is another service to this program.`, {
    hint: `If you mean that one, name it: --url ${service}, or QUIRE_URL.`,
    extra: { leadsTo: service },
  })
}

type Request = (url: string, options: RequestOptions) => ClientRequest

function responseOf(
  request: Request,
  url: string,
  { method, headers, body, signal }: Parameters<Send>[1],
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(url, {
      method,
      headers: { 'user-agent': 'quire', ...headers, ...length },
      ...(signal === undefined ? {} : { signal }),
    })
    sent.on('response', resolve)
    // With the reason as its cause, as `fetch` fails.
    sent.on('error', (error) => reject(new TypeError('fetch failed', { cause: reasonOf(error) })))
    sent.setTimeout(silenceMs, () => sent.destroy(Object.assign(new Error('it fell silent'), { code: 'ETIMEDOUT' })))
    sent.end(body)
  })
}

/** A name with several addresses fails with all their errors. */
function reasonOf(error: Error): Error {
  const [first]: unknown[] = error instanceof AggregateError ? error.errors : []
  return first instanceof Error ? first : error
}

function answerOf(response: IncomingMessage): Answer {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
  const text = async (): Promise<string> => {
    const parts: Uint8Array[] = []
    for await (const part of response) parts.push(part as Uint8Array)
    return Buffer.concat(parts).toString('utf8')
  }
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: { get: (name) => [headers[name] ?? null].flat()[0] ?? null },
    text,
    json: async () => JSON.parse(await text()) as unknown,
    body: {
      getReader() {
        const parts = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
        return {
          read: async () => {
            const { done, value } = await parts.next()
            return done === true ? { done, value: undefined } : { done: false, value }
          },
          cancel: async () => {
            response.destroy()
          },
        }
      },
    },
  }
}
