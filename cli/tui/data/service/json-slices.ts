import { setImmediate as nextTurn } from 'node:timers/promises'
import { slicesOf } from '../disk/slices.ts'

/** Values are looked into as deep as this: `items` of a list, `content` of a file. What is deeper is small. */
const maxDepth = 3
/** Characters that are parsed in one go. */
const goLength = 32 * 1024
const quote = 0x22
const backslash = 0x5c

/** As `JSON.stringify`, in UTF-8 and in slices: a save of a large page holds no key up. */
export async function stringifyInSlices(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = []
  let waiting = ''
  for (const piece of pieces(value)) {
    waiting += piece
    if (waiting.length < goLength) continue
    parts.push(Buffer.from(waiting))
    waiting = ''
    await nextTurn()
  }
  return Buffer.concat([...parts, Buffer.from(waiting)])
}

function* pieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > goLength) {
    yield '"'
    for (const slice of slicesOf(value, goLength)) yield JSON.stringify(slice).slice(1, -1)
    yield '"'
  } else if (Array.isArray(value)) {
    yield '['
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ','
      yield* pieces(item ?? null)
    }
    yield ']'
  } else if (typeof value === 'object' && value !== null) {
    yield '{'
    let isFirst = true
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${isFirst ? '' : ','}${JSON.stringify(name)}:`
      isFirst = false
      yield* pieces(member)
    }
    yield '}'
  } else yield JSON.stringify(value)
}

/** As `JSON.parse`, in slices. Throws SyntaxError. */
export async function parseInSlices(text: string): Promise<unknown> {
  if (text.length <= goLength) return JSON.parse(text)
  const reader = new Reader(text)
  const value = await reader.value(0)
  reader.end()
  return value
}

/** Goes through a JSON text; what is small is left to `JSON.parse`, which also says what is wrong with it. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  async value(depth: number): Promise<unknown> {
    this.#skipSpace()
    const start = this.#text.charCodeAt(this.#at)
    if (start === quote) return this.#string()
    if (depth < maxDepth && start === 0x7b) return this.#object(depth)
    if (depth < maxDepth && start === 0x5b) return this.#array()
    const from = this.#at
    this.#skipValue()
    return JSON.parse(this.#text.slice(from, this.#at))
  }

  end(): void {
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#wrong()
  }

  async #object(depth: number): Promise<unknown> {
    const members: [string, unknown][] = []
    this.#at += 1
    this.#skipSpace()
    if (this.#takes('}')) return {}
    do {
      this.#skipSpace()
      if (this.#text.charCodeAt(this.#at) !== quote) throw this.#wrong()
      const name = await this.#string()
      this.#skipSpace()
      if (!this.#takes(':')) throw this.#wrong()
      members.push([name, await this.value(depth + 1)])
      this.#skipSpace()
    } while (this.#takes(','))
    if (!this.#takes('}')) throw this.#wrong()
    return Object.fromEntries(members)
  }

  /** Items in groups: one call of `JSON.parse` for many small ones. */
  async #array(): Promise<unknown[]> {
    const items: unknown[] = []
    this.#at += 1
    this.#skipSpace()
    if (this.#takes(']')) return items
    let from = this.#at
    for (;;) {
      this.#skipSpace()
      this.#skipValue()
      this.#skipSpace()
      const isMore = this.#text[this.#at] === ','
      if (!isMore || this.#at - from > goLength) {
        items.push(...(JSON.parse(`[${this.#text.slice(from, this.#at)}]`) as unknown[]))
        from = this.#at + 1
        await nextTurn()
      }
      if (!isMore) break
      this.#at += 1
    }
    if (!this.#takes(']')) throw this.#wrong()
    return items
  }

  async #string(): Promise<string> {
    const from = this.#at
    const end = this.#endOfString()
    if (end - from <= goLength) {
      this.#at = end
      return JSON.parse(this.#text.slice(from, end)) as string
    }
    const parts: string[] = []
    for (let start = from + 1; start < end - 1;) {
      const stop = this.#beforeEscape(Math.min(end - 1, start + goLength), start)
      parts.push(JSON.parse(`"${this.#text.slice(start, stop)}"`) as string)
      start = stop
      await nextTurn()
    }
    this.#at = end
    return parts.join('')
  }

  /** A place at or before `at` that is in no escape. */
  #beforeEscape(at: number, least: number): number {
    if (at >= this.#text.length) return at
    // The longest, \uXXXX, has six characters.
    for (let slash = at - 1; slash > least && slash > at - 6; slash--) {
      if (this.#text.charCodeAt(slash) !== backslash) continue
      let first = slash
      while (first > least && this.#text.charCodeAt(first - 1) === backslash) first -= 1
      // Of a run of backslashes with an even number, none begins an escape behind it.
      const isOpen = (slash - first) % 2 === 0
      const length = this.#text[slash + 1] === 'u' ? 6 : 2
      return isOpen && slash + length > at ? slash : at
    }
    return at
  }

  /** Behind the closing quotation mark of the string that begins here. */
  #endOfString(): number {
    for (let at = this.#text.indexOf('"', this.#at + 1); at !== -1; at = this.#text.indexOf('"', at + 1)) {
      let slashes = 0
      while (this.#text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1
      if (slashes % 2 === 0) return at + 1
    }
    throw this.#wrong()
  }

  /** Over a value, without a look at whether it is right. */
  #skipValue(): void {
    const from = this.#at
    let depth = 0
    for (; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at)
      if (unit === quote) this.#at = this.#endOfString() - 1
      else if (unit === 0x7b || unit === 0x5b) depth += 1
      else if (unit === 0x7d || unit === 0x5d) {
        if (depth === 0) break
        depth -= 1
      } else if (unit === 0x2c && depth === 0) break
    }
    if (this.#at === from) throw this.#wrong()
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #wrong(): SyntaxError {
    return new SyntaxError(`not JSON at ${this.#at}`)
  }
}
