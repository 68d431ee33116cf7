import type { Readable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'

/** Bytes of one pkt-line with its length: https://git-scm.com/docs/gitprotocol-common#_pkt_line_format */
const maxLine = 65520
const lengthBytes = 4
/** Bytes that fit into one side-band packet beside length and band. */
const bandBytes = maxLine - lengthBytes - 1

export const flush = Buffer.from('0000')

/** One pkt-line. Text that may be longer than a line is the caller’s to split. */
export function pktLine(payload: string | Uint8Array): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  const length = body.length + lengthBytes
  if (length > maxLine) throw new Error(`a pkt-line of ${length} bytes`)
  return Buffer.concat([Buffer.from(length.toString(16).padStart(lengthBytes, '0')), body])
}

/** Packets of one band: 1 the report, 2 what people read. https://git-scm.com/docs/gitprotocol-capabilities */
export function sideBand(band: 1 | 2, payload: Uint8Array): Buffer[] {
  const packets: Buffer[] = []
  for (let at = 0; at < payload.length; at += bandBytes)
    packets.push(pktLine(Buffer.concat([Buffer.from([band]), payload.subarray(at, at + bandBytes)])))
  return packets
}

/** Reads pkt-lines from a stream and hands on, byte for byte, what follows them. */
export class PktReader {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterator<Buffer>) {
    this.#source = source
  }

  /**
   * The payload of the next line; null for a flush packet.
   *
   * @throws Failure `invalid_request` for what is no pkt-line and when the stream ends too early.
   */
  async next(): Promise<Buffer | null> {
    const digits = (await this.#take(lengthBytes)).toString('latin1')
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw malformed(`a line has the length ${JSON.stringify(digits)}`)
    const length = Number.parseInt(digits, 16)
    if (length === 0) return null
    // 1 to 3 are the delimiters of protocol 2, in which nothing is pushed.
    if (length < lengthBytes || length > maxLine) throw malformed(`a line has the length ${digits}`)
    return this.#take(length - lengthBytes)
  }

  /** The next bytes behind the lines as they come; null at the end. */
  async chunk(): Promise<Buffer | null> {
    if (this.#rest.length > 0) {
      const chunk = this.#rest
      this.#rest = Buffer.alloc(0)
      return chunk
    }
    const { value, done } = await this.#source.next()
    return done === true ? null : value
  }

  async #take(bytes: number): Promise<Buffer> {
    if (bytes === 0) return Buffer.alloc(0)
    const parts: Buffer[] = []
    let length = 0
    while (length < bytes) {
      const part = await this.chunk()
      if (part === null) throw malformed('it ends too early')
      parts.push(part)
      length += part.length
    }
    const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length)
    this.#rest = all.subarray(bytes)
    return all.subarray(0, bytes)
  }
}

export function malformed(what: string): Failure {
  return new Failure('invalid_request', `This is not a push in Git’s protocol: ${what}.`)
}

/** The client is gone: there is no one to report to. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface PushInputOptions {
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** Milliseconds until the push has to be received and checked. */
  readonly timeout: number
  /** Milliseconds in which something has to come while we wait for it. */
  readonly patience: number
}

/** The body of a push, which a client may send slowly, not to its end, or never. */
export class PushInput implements AsyncIterator<Buffer> {
  /** Aborted when the client is gone or the time is over; its reason is what every reader then gets. */
  readonly signal: AbortSignal
  readonly #source: AsyncIterator<Buffer>
  readonly #controller = new AbortController()
  readonly #overall: NodeJS.Timeout
  readonly #patience: number
  readonly #stop: () => void

  constructor(source: Readable, options: PushInputOptions) {
    // Destroying the source would end the connection, and with it the answer.
    this.#source = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    this.signal = this.#controller.signal
    this.#patience = options.patience
    const minutes = Math.max(1, Math.round(options.timeout / 60_000))
    this.#overall = setTimeout(() => this.#giveUp(`The push took longer than ${minutes} minutes.`), options.timeout)
    const gone = () => this.#controller.abort(new ClientGone('the client is gone'))
    options.signal.addEventListener('abort', gone)
    this.#stop = () => options.signal.removeEventListener('abort', gone)
    if (options.signal.aborted) gone()
  }

  next(): Promise<IteratorResult<Buffer>> {
    return new Promise((resolve, reject) => {
      this.signal.throwIfAborted()
      const patience = setTimeout(() => this.#giveUp('Nothing more of the push came.'), this.#patience)
      const stop = () => reject(this.signal.reason as Error)
      // Not a race against one promise for the whole push: that would keep every chunk alive.
      this.signal.addEventListener('abort', stop)
      void this.#read()
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(patience)
          this.signal.removeEventListener('abort', stop)
        })
    })
  }

  /** No limit of time holds from here on, and a client that goes away stops nothing. */
  end(): void {
    clearTimeout(this.#overall)
    this.#stop()
    // Lets go of the source, so that the HTTP server can discard what else comes.
    void this.#source.return?.()
  }

  async #read(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#source.next()
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code.startsWith('Z_')) throw malformed('its gzip encoding is broken')
      throw new ClientGone('the connection broke', { cause: error })
    }
  }

  #giveUp(sentence: string): void {
    this.#controller.abort(
      new Failure('unavailable', sentence, { hint: 'Push again; in smaller parts if it is large.' }),
    )
  }
}
