import { isIP, type LookupFunction, type Socket } from 'node:net'
import { Client, type Dispatcher, buildConnector } from 'undici'
import { unlessAborted } from '../lib/unless-aborted.ts'
import { type Guard, type Target, isLoopback, specialPurpose } from './guard.ts'
import { SendFailed, type Send, type SendRequest, type SendResponse, Blocked, type SendFailureCode } from './send.ts'

const defaultTimeoutMs = 15_000
/** Of an answer's body, bytes. */
const maxBody = 64 * 1024
/** Bytes that a receiver may send in all: a body that is read to its end in chunks of one byte takes less. */
const maxAnswer = 512 * 1024
/** Milliseconds that one of several addresses has before the next is tried: Node’s quarter of a second is no ocean. */
const attemptTimeout = 1500

type FailureRow = readonly [pattern: RegExp, code: SendFailureCode, message: string]

/** Codes of Node, OpenSSL and undici, and what they mean to somebody who looks after a receiver. */
const failureRows: readonly FailureRow[] = [
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timeout', 'The receiver did not answer in time'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset', 'The receiver closed the connection without an answer'],
  [/^(?:HTTPParserError$|HPE_|UND_ERR_)/, 'protocol', 'The receiver’s answer is not HTTP that can be read'],
  [/^(?:DEPTH_ZERO_|SELF_SIGNED_)/, 'tls', 'The receiver’s certificate is not trusted, as it signed itself'],
  [/^UNABLE_TO_/, 'tls', 'The receiver’s certificate is not trusted, as nobody known issued it'],
  [/^CERT_HAS_EXPIRED$/, 'tls', 'The receiver’s certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'tls', 'The receiver’s certificate is for another host'],
  [/^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|HOSTNAME)/, 'tls', 'The TLS connection failed'],
  // The other names that Node has for what OpenSSL finds wrong with a certificate.
  [/^(?:INVALID_|PATH_LENGTH_|CRL_|ERROR_IN_|UNSPECIFIED$)/, 'tls', 'The receiver’s certificate is not valid'],
  [/^ECONNREFUSED$/, 'connect', 'Nothing listens at the receiver’s address'],
  [/^E[A-Z0-9]+$/, 'connect', 'The receiver could not be connected to'],
  // A receiver must not be able to make up an answer that looks like a mistake of the service.
  [/^(?!ERR_(?:INVALID|OUT_OF_RANGE|MISSING))[A-Z][A-Z0-9_]+$/, 'protocol', 'The exchange with the receiver broke off'],
]

export interface SenderOptions {
  readonly guard: Guard
  /** Milliseconds from the lookup to the last byte. */
  readonly timeoutMs?: number
  readonly userAgent: string
  /** Certificates to trust instead of the system’s, PEM. */
  readonly ca?: string
}

/**
 * Sends requests to URLs that strangers chose, each over a connection of its own: what was right for the one before
 * proves nothing for the next.
 */
export function createSender(options: SenderOptions): Send {
  const { timeoutMs = defaultTimeoutMs } = options
  return async (request) => {
    const target = options.guard.parse(request.url)
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal])
    try {
      const addresses = await unlessAborted(options.guard.addresses(target), signal)
      return await exchange(options, { target, addresses, request, signal })
    } catch (error) {
      if (timeout.aborted) {
        throw new SendFailed('timeout', `No answer came within ${timeoutMs / 1000} seconds.`, { cause: error })
      }
      if (signal.aborted) throw new SendFailed('aborted', 'The request was called off.', { cause: error })
      throw failureOfSending(error)
    }
  }
}

interface Exchange {
  readonly target: Target
  readonly addresses: readonly string[]
  readonly request: SendRequest
  readonly signal: AbortSignal
}

async function exchange({ ca, userAgent }: SenderOptions, exchanged: Exchange): Promise<SendResponse> {
  const { target, addresses, request, signal } = exchanged
  const connection = openConnection({ target, addresses, ...(ca === undefined ? {} : { ca }) })
  // Times are limited by the signal, all of them together.
  const client = new Client(target.url.origin, { connect: connection.connect, headersTimeout: 0, bodyTimeout: 0 })
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'POST',
      path: target.url.pathname + target.url.search,
      headers: { ...request.headers, 'user-agent': userAgent, 'accept-encoding': 'identity' },
      body: request.body,
      signal,
      reset: true,
    })
    return { status: statusCode, headers: flat(headers), ...(await readBody(body)) }
  } finally {
    connection.destroy()
    await client.destroy()
  }
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return Object.fromEntries(entries)
}

/**
 * The beginning of a body. The status has come and says how the request went, so a body that is endless, slow or broken
 * off is only cut short.
 */
async function readBody(body: Dispatcher.ResponseData['body']): Promise<{ body: string; truncated: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  let truncated = false
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBody) break
    }
  } catch {
    truncated = true
  }
  const text = Buffer.concat(chunks).subarray(0, maxBody).toString('utf8')
  return { body: text, truncated: truncated || length > maxBody }
}

/** What a failed request is to the caller; an error of the program itself, which has no such code, as it is: a bug. */
function failureOfSending(error: unknown): unknown {
  if (error instanceof Blocked || error instanceof SendFailed || !(error instanceof Error)) return error
  // Several addresses were tried; the first speaks for all.
  const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : []
  // A parser’s error has no code for what does not even begin like HTTP.
  const code = 'code' in first && typeof first.code === 'string' ? first.code : first.name
  const row = failureRows.find(([pattern]) => pattern.test(code))
  return row === undefined ? error : new SendFailed(row[1], `${row[2]} (${code}).`, { cause: error })
}

/** A connection of one request. */
export interface Connection {
  readonly connect: buildConnector.connector
  /** Ends it in whatever state it is. */
  destroy(): void
}

export interface ConnectionOptions {
  readonly target: Target
  /** The target's, every one of them judged. */
  readonly addresses: readonly string[]
  /** Certificates to trust instead of the system’s, PEM. */
  readonly ca?: string
  /** Bytes that may come over it, headers and all. */
  readonly maxReceived?: number
}

/**
 * How to connect to a target: only to the addresses that were judged, whatever its name says by now, and the address
 * that the socket really has is judged again before a byte of the request is sent.
 */
export function openConnection({ target, addresses, ca, maxReceived = maxAnswer }: ConnectionOptions): Connection {
  const sockets: Socket[] = []
  const connector = buildConnector({
    ...(ca === undefined ? {} : { ca }),
    lookup: pinned(addresses),
    autoSelectFamilyAttemptTimeout: attemptTimeout,
    maxCachedSessions: 0,
    // The sender limits the time of the whole request.
    timeout: 0,
  })
  return {
    connect: (options, callback) => {
      // Declared to return nothing; it returns the socket.
      const socket: unknown = connector(options, (...[error, connected]) => {
        if (error !== null) return callback(error, null)
        const problem = peerProblem(connected.remoteAddress, target)
        if (problem === null) {
          limitReceived(connected, maxReceived)
          return callback(null, connected)
        }
        connected.destroy()
        callback(problem, null)
      })
      sockets.push(socket as Socket)
    },
    destroy: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * Ends a connection over which too much comes. What is kept of an answer is bounded without this; interim answers, the
 * words behind a status and the extensions of chunks are not, and an endless one would cost work until the time is over.
 */
function limitReceived(socket: Socket, maxReceived: number): void {
  socket.on('readable', () => {
    if (socket.bytesRead <= maxReceived) return
    socket.destroy(new SendFailed('protocol', `The receiver sent more than ${maxReceived / 1024} KB.`))
  })
}

/** What is wrong with the address at the other end of a socket; null when nothing is. */
export function peerProblem(address: string | undefined, { url, host, exempt }: Target): Blocked | null {
  const found = address ?? 'an unknown address'
  if (url.protocol !== 'https:' && !isLoopback(found)) {
    return new Blocked('not_https', `The host ${host} is at ${found}, not on this machine: only HTTPS goes there.`)
  }
  const what = exempt ? null : specialPurpose(found)
  if (what === null) return null
  return new Blocked('private_address', `The host ${host} was reached at ${found}, which is not public: it is ${what}.`)
}

/** Answers `net.connect` as `dns.lookup` would. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, { all }, callback) => {
    const [first] = answers
    if (all === true || first === undefined) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}
