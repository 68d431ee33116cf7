import { Type, type Static } from 'typebox'

/** Frames between the pool and a child: four bytes of length, big endian, then UTF-8 JSON. */
export const frameBytes = 8 * 1024 * 1024

const count = Type.Integer({ minimum: 0 })
const text = Type.String()
const flag = Type.Boolean()
const detail = Type.Object({
  path: Type.Optional(text),
  line: Type.Optional(count),
  column: Type.Optional(count),
  pointer: Type.Optional(text),
  message: text,
  frame: Type.Optional(text),
})
const heading = Type.Object({ id: text, level: Type.Integer({ minimum: 1, maximum: 6 }), text })
const island = Type.Object({
  id: text,
  reason: text,
  path: text,
  line: count,
  column: count,
  start: Type.Optional(count),
  end: Type.Optional(count),
})
const link = Type.Object({
  href: text,
  kind: Type.Union([Type.Literal('link'), Type.Literal('asset')]),
  line: count,
  column: count,
  path: Type.Optional(text),
})
const mode = Type.Union((['default', 'wide', 'custom', 'frame', 'center'] as const).map((name) => Type.Literal(name)))
const feature = Type.Union((['mermaid', 'tabs', 'code'] as const).map((name) => Type.Literal(name)))
const artifact = Type.Object({
  title: text,
  description: Type.Optional(text),
  html: text,
  headings: Type.Array(heading),
  mode: Type.Optional(mode),
  keywords: Type.Optional(Type.Array(text)),
  noindex: Type.Optional(flag),
  islands: Type.Optional(Type.Array(island)),
  features: Type.Array(feature),
})
const summary = Type.Object({
  title: text,
  sidebarTitle: Type.Optional(text),
  description: Type.Optional(text),
  icon: Type.Optional(text),
  tag: Type.Optional(text),
  hidden: Type.Optional(flag),
  noindex: Type.Optional(flag),
  url: Type.Optional(text),
  anchors: Type.Array(text),
  links: Type.Array(link),
  warnings: Type.Array(detail),
})
const page = Type.Object({
  artifact,
  summary,
  markdown: text,
  dependencies: Type.Array(Type.Tuple([text, Type.Union([text, Type.Null()])])),
})
const outcome = Type.Union([
  Type.Object({ ok: Type.Literal(true), page }),
  Type.Object({ ok: Type.Literal(false), errors: Type.Array(detail) }),
])

/** From a child. What it says is checked: it has read text of strangers through native code. */
export const FromChild = Type.Union([
  Type.Object({ type: Type.Literal('ready') }),
  Type.Object({ type: Type.Literal('outcome'), id: count, outcome }),
  Type.Object({ type: Type.Literal('load'), path: text }),
])
export type FromChild = Static<typeof FromChild>

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
  private readonly isKnown: (message: unknown) => message is Message
  private chunks: Buffer[] = []
  private size = 0

  constructor(isKnown: (message: unknown) => message is Message) {
    this.isKnown = isKnown
  }

  /** @throws RangeError for a frame over the limit, TypeError for one that is not known. */
  push(chunk: Buffer): Message[] {
    this.chunks.push(chunk)
    this.size += chunk.length
    const messages: Message[] = []
    for (let body = this.take(); body !== undefined; body = this.take()) messages.push(this.parse(body))
    return messages
  }

  private take(): Buffer | undefined {
    if (this.size < 4) return undefined
    const length = this.peekLength()
    if (length > frameBytes) throw new RangeError(`a frame of ${length} bytes is over the limit`)
    if (this.size < 4 + length) return undefined
    const all = this.chunks.length === 1 && this.chunks[0] !== undefined ? this.chunks[0] : Buffer.concat(this.chunks)
    const rest = all.subarray(4 + length)
    this.chunks = rest.length > 0 ? [rest] : []
    this.size = rest.length
    return all.subarray(4, 4 + length)
  }

  private peekLength(): number {
    const [first] = this.chunks
    if (first === undefined || first.length < 4) this.chunks = [Buffer.concat(this.chunks)]
    return this.chunks[0]?.readUInt32BE(0) ?? 0
  }

  private parse(body: Buffer): Message {
    const message: unknown = JSON.parse(body.toString('utf8'))
    if (!this.isKnown(message)) throw new TypeError('a message that the protocol does not know')
    return message
  }
}
