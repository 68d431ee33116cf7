import { Type, type Static } from 'typebox'
import { limits } from '../../contract/limits.ts'
import { RenderOutcome, type Frozen } from '../page.ts'
import { childProtections } from './isolation.ts'

/** Frames between the pool and a child: four bytes of length, big endian, then UTF-8 JSON. */
export const frameBytes = 8 * 1024 * 1024
/** To a child: a description of an API, in Base64 and with room to spare. */
export const sentBytes = 3 * limits.descriptionBytes
/** UTF-16 units of a description that a child sends in one frame. */
export const pieceUnits = 1024 * 1024
/** A frame that asks for a file: its path, each byte of it escaped. */
export const loadBytes = 8 * limits.pathBytes

const count = Type.Integer({ minimum: 0 })
const text = Type.String()

/** From a child. What it says is checked: it has read text of strangers through native code. */
export const FromChild = Type.Union([
  Type.Object({ type: Type.Literal('outcome'), id: count, outcome: RenderOutcome }),
  /** A description of an API, after the pieces of its index, which has so many UTF-16 units, and of what its places mean. One that cannot be used has an outcome. */
  Type.Object({ type: Type.Literal('described'), id: count, index: count }),
  Type.Object({ type: Type.Literal('piece'), id: count, text }),
  /** The next one comes after the file has arrived. */
  Type.Object({ type: Type.Literal('load'), path: text }),
])
export type FromChild = Frozen<Static<typeof FromChild>>

/** From the fork server, which never reads a project’s text. */
export const FromForkServer = Type.Union([
  /** It has shown that it can render, and says whether it can fork here, and what holds for those whom it forks. */
  Type.Object({
    type: Type.Literal('ready'),
    forks: Type.Boolean(),
    holds: Type.Array(Type.Enum([...childProtections])),
  }),
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
  Type.Object({
    type: Type.Literal('render'),
    kind: Type.Optional(Type.Literal('description')),
    id: count,
    build: count,
    path: text,
    oid: text,
    source: text,
    /** In Base64: see `written`. */
    packed: Type.Optional(Type.Literal(true)),
    base: Type.Optional(text),
    icons: Type.Optional(text),
  }),
  Type.Object({
    type: Type.Literal('file'),
    path: text,
    file: Type.Union([
      Type.Object({ oid: text, source: text, packed: Type.Optional(Type.Literal(true)) }),
      Type.Null(),
    ]),
  }),
])
export type ToChild = Static<typeof ToChild>

/** Bytes of a source that is sent as it is. */
const plainBytes = 256 * 1024

/** A source as it is sent. */
export interface Written {
  readonly source: string
  readonly packed?: true
}

/**
 * Large ones are sent in Base64: to escape the quotes of a description of eight megabytes takes several times as long,
 * and of a page of control characters each would become six, more than a frame may have.
 */
export function written(source: Buffer): Written {
  return source.length <= plainBytes
    ? { source: source.toString('utf8') }
    : { source: source.toString('base64'), packed: true }
}

/** What `written` was given. */
export function sourceIn({ source, packed }: { readonly source: string; readonly packed?: true | undefined }): Buffer {
  return Buffer.from(source, packed === true ? 'base64' : 'utf8')
}

export function encodeFrame(message: FromChild | ToChild): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8')
  const most = message.type === 'render' || message.type === 'file' ? sentBytes : frameBytes
  if (body.length > most) throw new RangeError(`a frame of ${body.length} bytes is over the limit`)
  const head = Buffer.allocUnsafe(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Cuts a stream of bytes into messages and checks each. A frame is kept in one piece, however small the pieces in which it comes. */
export class FrameReader<Message> {
  readonly #isKnown: (message: unknown, bytes: number) => message is Message
  readonly #mostBytes: number
  readonly #head = Buffer.alloc(4)
  #body: Buffer | undefined
  /** Bytes that are there of the head, or of the body once there is one. */
  #filled = 0

  /** @param isKnown Also told how long the frame was. @param mostBytes Of a frame. */
  constructor(isKnown: (message: unknown, bytes: number) => message is Message, mostBytes = frameBytes) {
    this.#isKnown = isKnown
    this.#mostBytes = mostBytes
  }

  /** @throws RangeError for a frame over the limit, TypeError for one that is not known, SyntaxError for one that is no JSON. */
  *push(chunk: Buffer): Generator<Message> {
    let at = 0
    while (at < chunk.length) {
      const part = this.#body ?? this.#head
      const copied = chunk.copy(part, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled < part.length) return
      this.#filled = 0
      if (this.#body === undefined) this.#body = bodyAfter(this.#head, this.#mostBytes)
      else {
        this.#body = undefined
        yield this.#parse(part)
      }
    }
  }

  #parse(body: Buffer): Message {
    const message: unknown = JSON.parse(body.toString('utf8'))
    if (!this.#isKnown(message, body.length)) throw new TypeError('a message that the protocol does not know')
    return message
  }
}

function bodyAfter(head: Buffer, mostBytes: number): Buffer {
  const length = head.readUInt32BE()
  if (length > mostBytes) throw new RangeError(`a frame of ${length} bytes is over the limit`)
  if (length === 0) throw new RangeError('a frame without a message')
  return Buffer.allocUnsafe(length)
}
