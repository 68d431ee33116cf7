import type { Steps } from './slices.ts'

/** UTF-16 units that are collected before they become bytes. */
const pieceLength = 64 * 1024

/**
 * The bytes that `JSON.stringify` makes of plain data, in steps; undefined as soon as there would be more than `maxBytes`.
 */
export function* jsonBytes(value: unknown, maxBytes = Infinity): Steps<Buffer | undefined> {
  const writer = new JsonWriter(maxBytes)
  yield* writer.write(value)
  return writer.finish()
}

class JsonWriter {
  readonly #maxBytes: number
  readonly #pieces: Buffer[] = []
  #bytes = 0
  #text = ''

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  *write(value: unknown): Steps<void> {
    if (this.#bytes > this.#maxBytes) return
    if (typeof value !== 'object' || value === null || isFlat(value)) {
      // As in a list, where what JSON does not know becomes `null`.
      this.#text += JSON.stringify(value) ?? 'null'
      if (this.#text.length >= pieceLength) this.#flush()
      yield
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        this.#text += index === 0 ? '[' : ','
        yield* this.write(item)
      }
      this.#text += ']'
    } else {
      let before = '{'
      for (const key in value) {
        const member: unknown = value[key as keyof typeof value]
        if (member === undefined) continue
        this.#text += `${before}${JSON.stringify(key)}:`
        before = ','
        yield* this.write(member)
      }
      this.#text += before === '{' ? '{}' : '}'
    }
  }

  finish(): Buffer | undefined {
    this.#flush()
    return this.#bytes > this.#maxBytes ? undefined : Buffer.concat(this.#pieces, this.#bytes)
  }

  #flush(): void {
    const piece = Buffer.from(this.#text)
    this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#text = ''
  }
}

/** Whether it has few members, and none of them is a list or an object. */
function isFlat(value: object): boolean {
  let members = 0
  for (const key in value) {
    members += 1
    if (members > 100 || typeof value[key as keyof typeof value] === 'object') return false
  }
  return true
}
