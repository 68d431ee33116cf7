/** The D-Bus wire format, little-endian, as far as the Secret Service needs it (https://dbus.freedesktop.org/doc/dbus-specification.html). */
export interface Variant {
  readonly signature: string
  readonly value: Value
}
/** Structs and dictionaries are lists; `ay` is bytes. */
export type Value = number | string | Buffer | Variant | readonly Value[]

const alignments: Readonly<Record<string, number>> = { y: 1, g: 1, v: 1, '(': 8, '{': 8 }
const alignmentOf = (type: string): number => alignments[type[0] ?? ''] ?? 4

/** The complete types of a signature: `sa{ss}(ou)` has three. */
export function typesOf(signature: string): string[] {
  const types: string[] = []
  for (let at = 0; at < signature.length;) {
    const end = endOfType(signature, at)
    types.push(signature.slice(at, end))
    at = end
  }
  return types
}

function endOfType(signature: string, start: number): number {
  const first = signature[start]
  if (first === 'a') return endOfType(signature, start + 1)
  if (first !== '(' && first !== '{') return start + 1
  let depth = 0
  for (let at = start; at < signature.length; at++) {
    if ('({'.includes(signature[at] ?? '')) depth++
    if (')}'.includes(signature[at] ?? '') && --depth === 0) return at + 1
  }
  throw new Error(`an open type in ${signature}`)
}

export class Reader {
  readonly #bytes: Buffer
  offset = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  align(to: number): void {
    this.offset = Math.ceil(this.offset / to) * to
  }

  all(signature: string): Value[] {
    return typesOf(signature).map((type) => this.one(type))
  }

  one(type: string): Value {
    this.align(alignmentOf(type))
    switch (type[0]) {
      case 'y':
        return this.#bytes[this.offset++] ?? 0
      case 'u':
      case 'b':
        return this.#uint32()
      case 's':
      case 'o':
        return this.#text(this.#uint32())
      case 'g':
        return this.#text(this.#bytes[this.offset++] ?? 0)
      case 'v': {
        const signature = this.#text(this.#bytes[this.offset++] ?? 0)
        return { signature, value: this.one(signature) }
      }
      case 'a':
        return this.#list(type.slice(1))
      case '(':
      case '{':
        return this.all(type.slice(1, -1))
      default:
        throw new Error(`the type ${type} is not read here`)
    }
  }

  #uint32(): number {
    const value = this.#bytes.readUInt32LE(this.offset)
    this.offset += 4
    return value
  }

  #text(length: number): string {
    const text = this.#bytes.toString('utf8', this.offset, this.offset + length)
    this.offset += length + 1
    return text
  }

  #list(type: string): Value {
    const length = this.#uint32()
    this.align(alignmentOf(type))
    const end = this.offset + length
    if (type === 'y') {
      this.offset = end
      return this.#bytes.subarray(end - length, end)
    }
    const items: Value[] = []
    while (this.offset < end) items.push(this.one(type))
    return items
  }
}

export class Writer {
  #bytes: number[] = []

  get bytes(): Buffer {
    return Buffer.from(this.#bytes)
  }

  align(to: number): void {
    while (this.#bytes.length % to !== 0) this.#bytes.push(0)
  }

  all(signature: string, values: readonly Value[]): this {
    for (const [index, type] of typesOf(signature).entries()) this.one(type, values[index] ?? 0)
    return this
  }

  one(type: string, value: Value): void {
    this.align(alignmentOf(type))
    switch (type[0]) {
      case 'y':
        this.#bytes.push(value as number)
        break
      case 'u':
      case 'b':
        this.#uint32(value as number)
        break
      case 's':
      case 'o':
        this.#uint32(Buffer.byteLength(value as string))
        this.#text(value as string)
        break
      case 'g':
        this.#bytes.push((value as string).length)
        this.#text(value as string)
        break
      case 'v':
        this.one('g', (value as Variant).signature)
        this.one((value as Variant).signature, (value as Variant).value)
        break
      case 'a':
        this.#list(type.slice(1), value)
        break
      case '(':
      case '{':
        this.all(type.slice(1, -1), value as readonly Value[])
        break
      default:
        throw new Error(`the type ${type} is not written here`)
    }
  }

  #uint32(value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    this.#bytes.push(...bytes)
  }

  #text(text: string): void {
    this.#bytes.push(...Buffer.from(text), 0)
  }

  #list(type: string, value: Value): void {
    const at = this.#bytes.length
    this.#uint32(0)
    this.align(alignmentOf(type))
    const start = this.#bytes.length
    if (type === 'y') this.#bytes.push(...(value as Buffer))
    else for (const item of value as readonly Value[]) this.one(type, item)
    const length = Buffer.alloc(4)
    length.writeUInt32LE(this.#bytes.length - start)
    this.#bytes.splice(at, 4, ...length)
  }
}
