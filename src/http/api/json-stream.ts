import { randomUUID } from 'node:crypto'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { searchedUnits } from './json-error.ts'
import { JsonScan, tooMuchHint } from './json-scan.ts'

/** A body of up to so many bytes is parsed in one go: that takes some milliseconds at most. */
const smallBytes = limits.bodyBytes

/** Chunks that are read by themselves in one turn: of a byte each, those of a small body would take too long. */
const chunksAtOnce = 4096

/** A text of more UTF-16 units, as it is written in JSON, is parsed a piece at a time. */
const longUnits = smallBytes

/** What is in no long text, of an item or outside of lists, in UTF-16 units: it is parsed in one go, too. */
const mostUnits = 16 * smallBytes

/** The text is not JSON. `text` is what came of it so far, or somewhat more than the first 2²⁰ UTF-16 units. */
export class NotJson extends Error {
  readonly text: string

  constructor(text: string) {
    super('not JSON')
    this.text = text
  }
}

/**
 * Reads a JSON body while it arrives. V8’s parser takes a second and a hundred times the memory for ten megabytes of
 * brackets or names, and holds the event loop all the while. So what is too deep or too much is refused before it is
 * parsed, and the items of lists and the long texts, of which a large body consists, are parsed as they come, a chunk’s at
 * a time. (The reader of docs.json, lib/json-reader.ts, has the whole text and keeps the place of each value, for twice the
 * time.)
 */
export class JsonStream {
  readonly #scan = new JsonScan()
  readonly #utf8 = new Utf8()
  /** All that came while it is small; null from then on. */
  #small: Buffer[] | null = []
  #bytes = 0
  /** What was read first, for the place of a mistake. */
  #head = ''
  /** The text without the items of lists: instead of them there is the index of their list. */
  #outline = ''
  readonly #lists: unknown[][] = []
  /** In a list: the text behind its last item that was parsed. */
  #items: string | null = null
  /** A text of the body that its chunk has only the beginning of. */
  #open: OpenText | null = null
  /** Long texts, by what stands for them in the outline and in items. */
  readonly #long = new Map<string, string>()

  /** @throws Failure `invalid_request`, NotJson */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#small?.push(chunk)
    if (this.#bytes <= smallBytes) return
    const chunks = this.#small ?? [chunk]
    this.#small = null
    for (const one of chunks.length > chunksAtOnce ? [Buffer.concat(chunks)] : chunks) this.#read(one)
  }

  /** The value; undefined for an empty body. @throws Failure `invalid_request`, NotJson */
  end(): unknown {
    if (this.#bytes === 0) return undefined
    if (this.#small !== null) this.#outline = this.#wholeOf(Buffer.concat(this.#small))
    this.#utf8.end()
    if (this.#open !== null) throw new NotJson(this.#head)
    const value = this.#parseOutline(this.#outline)
    // It may be a text, of which each letter would be a member.
    if (this.#lists.length === 0) return value
    for (const [name, member] of Object.entries(value as object)) {
      // No list of the outline has its own items. Not assigned: a name may be `__proto__`.
      if (Array.isArray(member)) Object.defineProperty(value, name, { value: this.#lists[Number(member[0])] })
    }
    return value
  }

  #wholeOf(body: Buffer): string {
    for (let at = this.#scan.next(body, 0); at >= 0; at = this.#scan.next(body, at + 1));
    return (this.#head = this.#utf8.part(body))
  }

  #read(chunk: Buffer): void {
    let from = 0
    /** The comma behind the last item that is whole. */
    let cut = -1
    const parseItems = (): void => {
      if (cut < 0) return
      this.#take(chunk.subarray(from, cut))
      this.#pass(chunk, cut)
      this.#addItems()
      from = cut + 1
      cut = -1
    }
    for (let at = this.#scan.next(chunk, 0); at >= 0; at = this.#scan.next(chunk, at + 1)) {
      if (this.#open !== null) {
        // It has not ended before: the first that is found is its end.
        this.#addTo(this.#open, chunk.subarray(from, at))
        this.#pass(chunk, at)
        this.#close(this.#open)
        from = at + 1
      } else if (this.#scan.event === 'item') cut = at
      else if (this.#scan.event === 'list') {
        this.#take(chunk.subarray(from, at + 1))
        this.#outline += String(this.#lists.length)
        this.#lists.push([])
        this.#items = ''
        from = at + 1
      } else {
        parseItems()
        this.#take(chunk.subarray(from, at))
        // Behind a comma there must be an item; a list may also have none.
        if (this.#lists.at(-1)?.length !== 0 || !isBlank(this.#items ?? '')) this.#addItems()
        this.#items = null
        from = at
      }
    }
    parseItems()
    if (this.#scan.textAt >= 0) {
      this.#take(chunk.subarray(from, this.#scan.textAt))
      this.#pass(chunk, this.#scan.textAt)
      this.#open = new OpenText()
      from = this.#scan.textAt + 1
    }
    if (this.#open === null) this.#take(chunk.subarray(from))
    else this.#addTo(this.#open, chunk.subarray(from))
  }

  #addTo(text: OpenText, bytes: Buffer): void {
    const json = this.#utf8.part(bytes)
    this.#remember(json)
    text.add(json, (whole) => this.#parse(whole) as string)
  }

  #close(text: OpenText): void {
    this.#open = null
    if (text.read === '') return this.#put(`"${text.rest}"`)
    const name = randomUUID()
    this.#long.set(name, text.read + (this.#parse(`"${text.rest}"`) as string))
    this.#put(`"${name}"`)
  }

  #addItems(): void {
    const items = this.#parseOutline(`[${this.#items ?? ''}]`) as unknown[]
    if (items.length === 0) throw new NotJson(this.#head)
    const list = this.#lists.at(-1)
    for (const item of items) list?.push(item)
    this.#items = ''
  }

  #take(bytes: Buffer): void {
    const text = this.#utf8.part(bytes)
    this.#put(text)
    this.#remember(text)
  }

  /** A comma or quote that is not kept: a character that is cut before it must not go on behind it. */
  #pass(chunk: Buffer, at: number): void {
    this.#remember(this.#utf8.part(chunk.subarray(at, at + 1)))
  }

  /** What is too long is refused where it is parsed: more of it is not kept, and white space in whole chunks neither. */
  #put(json: string): void {
    if ((this.#items ?? this.#outline).length > mostUnits) return
    const text = isBlank(json) ? json.slice(0, 1) : json
    if (this.#items === null) this.#outline += text
    else this.#items += text
  }

  #remember(text: string): void {
    if (this.#head.length <= searchedUnits) this.#head += text
  }

  /** With the long texts in their places. */
  #parseOutline(text: string): unknown {
    if (text.length > mostUnits) throw tooLong()
    if (this.#long.size === 0) return this.#parse(text)
    return this.#parse(text, (name, member) => {
      if (this.#long.has(name)) throw tooLongName()
      if (typeof member !== 'string') return member
      const long = this.#long.get(member) ?? member
      this.#long.delete(member)
      return long
    })
  }

  #parse(text: string, reviver?: (name: string, member: unknown) => unknown): unknown {
    try {
      return JSON.parse(text, reviver) as unknown
    } catch (error) {
      if (error instanceof SyntaxError) throw new NotJson(this.#head)
      throw error
    }
  }
}

/** A text that goes over the ends of chunks. A short one is parsed with what is around it, a long one as it comes. */
class OpenText {
  /** What was parsed of it; empty while it is short. */
  read = ''
  /** As it is written in JSON, what was not. */
  rest = ''

  add(json: string, parse: (json: string) => string): void {
    this.rest += json
    if (this.rest.length <= longUnits) return
    const end = endOfWholeEscapes(this.rest)
    this.read += parse(`"${this.rest.slice(0, end)}"`)
    this.rest = this.rest.slice(end)
  }
}

/** Where the escape begins that a beginning of a text in JSON ends amid; its length where it does not. */
function endOfWholeEscapes(json: string): number {
  const at = json.lastIndexOf('\\')
  let first = at
  while (json[first - 1] === '\\') first--
  const isEscape = (at - first) % 2 === 0
  const length = json[at + 1] === 'u' ? 6 : 2
  return at >= 0 && isEscape && at + length > json.length ? at : json.length
}

/** Bytes in pieces to text. */
class Utf8 {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  /** What is whole of it: the beginning of a character waits for its end. @throws Failure `invalid_request` */
  part(bytes: Buffer): string {
    return this.#decode(bytes, true)
  }

  /** @throws Failure `invalid_request` */
  end(): void {
    this.#decode(Buffer.alloc(0), false)
  }

  #decode(bytes: Buffer, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream })
    } catch (error) {
      if (error instanceof TypeError) throw notUtf8()
      throw error
    }
  }
}

/** Whether it is nothing but what JSON calls white space. */
function isBlank(json: string): boolean {
  return !/[^\t\n\r ]/.test(json)
}

function notUtf8(): Failure {
  return new Failure('invalid_request', 'The body is not UTF-8.', {
    hint: 'Send JSON in UTF-8, and binary content as Base64.',
  })
}

function tooLong(): Failure {
  return new Failure(
    'invalid_request',
    `The body has more than ${mostUnits / 1024 / 1024} MB outside its lists or in one item, without its long texts.`,
    { hint: tooMuchHint },
  )
}

function tooLongName(): Failure {
  return new Failure('invalid_request', `The body has a name of more than ${longUnits / 1024} KB, as it is written.`, {
    hint: tooMuchHint,
  })
}
