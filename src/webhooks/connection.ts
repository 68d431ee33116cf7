import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { Blocked, SendFailed } from './send.ts'
import { isLoopback, specialPurpose, type Target } from './url.ts'

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
}

/** Bytes that a receiver may send in all: a body that is read to its end in chunks of one byte takes less. */
const maxReceived = 512 * 1024
/** Milliseconds that one of several addresses has before the next is tried: Node’s quarter of a second is no ocean. */
const attemptTimeout = 1500

/**
 * How to connect to a target: only to the addresses that were judged, whatever its name says by now, and the address
 * that the socket really has is judged again before a byte of the request is sent.
 */
export function openConnection({ target, addresses, ca }: ConnectionOptions): Connection {
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
          limitReceived(connected)
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
function limitReceived(socket: Socket): void {
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
