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

export function malformed(what: string, request: 'push' | 'fetch' = 'push'): Failure {
  return new Failure('invalid_request', `This is not a ${request} in Git’s protocol: ${what}.`)
}

/**
 * The payloads of a fetch request, which is whole; flushes and delimiters are left out.
 *
 * @throws Failure `invalid_request` for what is no pkt-line.
 */
export function* pktLinesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length;) {
    const digits = body.toString('latin1', at, at + lengthBytes)
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
    // 0 is a flush, 1 and 2 are the delimiters of protocol 2; 3 means nothing.
    if (length >= 0 && length < 3) {
      at += lengthBytes
      continue
    }
    if (length < lengthBytes || length > maxLine || at + length > body.length)
      throw malformed(`a line has the length ${JSON.stringify(digits)}`, 'fetch')
    yield body.subarray(at + lengthBytes, at + length)
    at += length
  }
}
