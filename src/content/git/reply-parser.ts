import type { GitObject, ObjectType } from '../objects/objects.ts'

/** Splits the output of `git cat-file --batch-command` into replies. */
export class ReplyParser {
  readonly #expectsBody: () => boolean
  readonly #onReply: (object: GitObject | null) => void
  #chunks: Buffer[] = []
  #length = 0
  /** Bytes that must be there before it is worth looking again. */
  #need = 1
  #open: { readonly type: ObjectType; readonly size: number } | null = null

  /** @param expectsBody whether the next reply comes with the object’s content (`contents`) or not (`info`). */
  constructor(expectsBody: () => boolean, onReply: (object: GitObject | null) => void) {
    this.#expectsBody = expectsBody
    this.#onReply = onReply
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#need) return
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#length)
    for (let used = this.#take(rest); used > 0; used = this.#take(rest)) rest = rest.subarray(used)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#length = rest.length
  }

  /** Consumes one header or one body; returns how many bytes, 0 when it is not whole yet. */
  #take(bytes: Buffer): number {
    if (this.#open) {
      const { type, size } = this.#open
      this.#need = size + 1
      if (bytes.length < this.#need) return 0
      this.#open = null
      this.#need = 1
      // A copy: a slice would keep the whole chunk alive for as long as the object is.
      this.#onReply({ type, size, body: Buffer.from(bytes.subarray(0, size)) })
      return size + 1
    }
    const end = bytes.indexOf(0x0a)
    this.#need = end < 0 ? bytes.length + 1 : 1
    if (end < 0) return 0
    const [, type = '', size = ''] = bytes.toString('latin1', 0, end).split(' ')
    if (!/^(?:blob|tree|commit|tag)$/.test(type)) this.#onReply(null)
    else if (this.#expectsBody()) this.#open = { type: type as ObjectType, size: Number(size) }
    else this.#onReply({ type: type as ObjectType, size: Number(size), body: Buffer.alloc(0) })
    return end + 1
  }
}
