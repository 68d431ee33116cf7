import { Type, type Static } from 'typebox'
import { RenderOutcome, type Frozen } from '../page.ts'

/** Frames between the pool and a child: four bytes of length, big endian, then UTF-8 JSON. */
export const frameBytes = 8 * 1024 * 1024

const count = Type.Integer({ minimum: 0 })
const text = Type.String()

/** From a child. What it says is checked: it has read text of strangers through native code. */
export const FromChild = Type.Union([
  Type.Object({ type: Type.Literal('outcome'), id: count, outcome: RenderOutcome }),
  Type.Object({ type: Type.Literal('load'), path: text }),
])
export type FromChild = Frozen<Static<typeof FromChild>>

/** From the fork server, which never reads a project’s text. */
export const FromForkServer = Type.Union([
  /** It has shown that it can render, and says whether it can fork here. */
  Type.Object({ type: Type.Literal('ready'), forks: Type.Boolean() }),
  /** With the socket of the child. */
  Type.Object({ type: Type.Literal('forked'), id: count, pid: count }),
  /** With the socket from which the child’s standard error is read. */
  Type.Object({ type: Type.Literal('stderr'), id: count }),
  Type.Object({ type: Type.Literal('failed'), id: count, reason: text }),
  Type.Object({
    type: Type.Literal('ended'),
    id: count,
    code: Type.Union([count, Type.Null()]),
    signal: Type.Union([count, Type.Null()]),
  }),
])
export type FromForkServer = Static<typeof FromForkServer>

/**
 * `taken`: the sockets have arrived. `reap`: the child was killed, or has closed its socket; until then no other process
 * has its number.
 */
export type ToForkServer =
  | { readonly type: 'fork'; readonly id: number }
  | { readonly type: 'taken' }
  | { readonly type: 'reap'; readonly id: number; readonly pid: number }

/** To a child. Sources are checked to be UTF-8 before they are sent. */
export const ToChild = Type.Union([
  Type.Object({ type: Type.Literal('render'), id: count, build: count, path: text, oid: text, source: text }),
  Type.Object({
    type: Type.Literal('file'),
    path: text,
    file: Type.Union([Type.Object({ oid: text, source: text }), Type.Null()]),
  }),
])
export type ToChild = Static<typeof ToChild>

export function encodeFrame(message: FromChild | ToChild): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8')
  if (body.length > frameBytes) throw new RangeError(`a frame of ${body.length} bytes is over the limit`)
  const head = Buffer.allocUnsafe(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Cuts a stream of bytes into messages and checks each. */
export class FrameReader<Message> {
  readonly #isKnown: (message: unknown) => message is Message
  #chunks: Buffer[] = []
  #size = 0

  constructor(isKnown: (message: unknown) => message is Message) {
    this.#isKnown = isKnown
  }

  /** @throws RangeError for a frame over the limit, TypeError for one that is not known. */
  push(chunk: Buffer): Message[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    const messages: Message[] = []
    for (let body = this.#take(); body !== undefined; body = this.#take()) messages.push(this.#parse(body))
    return messages
  }

  #take(): Buffer | undefined {
    if (this.#size < 4) return undefined
    const length = this.#peekLength()
    if (length > frameBytes) throw new RangeError(`a frame of ${length} bytes is over the limit`)
    if (this.#size < 4 + length) return undefined
    const all =
      this.#chunks.length === 1 && this.#chunks[0] !== undefined ? this.#chunks[0] : Buffer.concat(this.#chunks)
    const rest = all.subarray(4 + length)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#size = rest.length
    return all.subarray(4, 4 + length)
  }

  #peekLength(): number {
    const [first] = this.#chunks
    if (first === undefined || first.length < 4) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]?.readUInt32BE(0) ?? 0
  }

  #parse(body: Buffer): Message {
    const message: unknown = JSON.parse(body.toString('utf8'))
    if (!this.#isKnown(message)) throw new TypeError('a message that the protocol does not know')
    return message
  }
}
