import { randomUUID } from 'node:crypto'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { searchedUnits } from './json-error.ts'

/** A body of up to so many bytes is parsed in one go: that takes some milliseconds at most. */
const smallBytes = limits.bodyBytes

/** Chunks that are read by themselves in one turn: of a byte each, those of a small body would take too long. */
const chunksAtOnce = 4096

/** A text of more UTF-16 units, as it is written in JSON, is parsed a piece at a time. */
const longUnits = smallBytes

/** What is in no long text, of an item or outside of lists, in UTF-16 units: it is parsed in one go, too. */
const mostUnits = 16 * smallBytes

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Of the lists of a body: they are what its members are. */
const listDepth = 2

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
  readonly #scan = new Scan()
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

/**
 * Counts brackets and values of JSON, byte by byte, over the bounds of chunks; those in texts do not count. What is not
 * JSON is the parser’s to find.
 */
class Scan {
  /**
   * What `next` found: where a list of the body begins, ends, or has the comma behind an item, or where a text ends that
   * an earlier chunk has the beginning of.
   */
  event: 'list' | 'item' | 'end of list' | 'end of text' = 'list'
  /** In the chunk: where the text begins that is open; -1 without one, or where an earlier chunk has its beginning. */
  textAt = -1
  #depth = 0
  /** Values of the body; of it beside its lists; of the current item. */
  #values = 0
  #members = 0
  #ofItem = 0
  #inString = false
  #escaped = false
  #inList = false
  /** Bytes before the chunk. */
  #offset = 0
  #chunk: Buffer | null = null

  /** Where in the chunk, from `from` on, the next event is; -1 without one. @throws Failure `invalid_request` */
  next(chunk: Buffer, from: number): number {
    if (this.#chunk !== chunk) {
      this.#offset += this.#chunk?.length ?? 0
      this.#chunk = chunk
      this.textAt = -1
    }
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (byte === backslash) this.#escaped = true
        else if (byte === quote && this.#closes()) return this.#found('end of text', at)
      } else if (byte === quote) {
        this.#inString = true
        this.textAt = at
      } else if (byte === comma || byte === openBracket || byte === openBrace) {
        if (this.#opens(byte, at)) return at
      } else if (byte === closeBracket || byte === closeBrace) {
        this.#depth--
        if (this.#inList && this.#depth < listDepth) {
          this.#inList = false
          return this.#found('end of list', at)
        }
      }
    }
    return -1
  }

  /** A comma or opening bracket. Returns whether that is an event. */
  #opens(byte: number, at: number): boolean {
    this.#count(at)
    if (byte === comma) return this.#inList && this.#depth === listDepth && this.#found('item', at) >= 0
    if (++this.#depth > limits.jsonDepth) throw tooDeep(this.#offset + at)
    if (byte !== openBracket || this.#depth !== listDepth || this.#inList) return false
    this.#inList = true
    return this.#found('list', at) >= 0
  }

  /** The quote behind a text. Returns whether an earlier chunk has its beginning. */
  #closes(): boolean {
    const isEarlier = this.textAt < 0
    this.#inString = false
    this.textAt = -1
    return isEarlier
  }

  #found(event: Scan['event'], at: number): number {
    this.event = event
    if (event !== 'end of text') this.#ofItem = 0
    return at
  }

  #count(at: number): void {
    this.#values += 1
    if (this.#values > limits.jsonValues) throw tooMany(this.#offset + at, limits.jsonValues)
    const members = this.#inList ? ++this.#ofItem : ++this.#members
    if (members > limits.jsonMembers)
      throw tooMany(this.#offset + at, limits.jsonMembers, 'outside a list or in an item')
  }
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

const hint = 'No request needs that: see /api/docs for what it takes here.'

function tooDeep(offset: number): Failure {
  return new Failure(
    'invalid_request',
    `The body nests more than ${limits.jsonDepth} arrays and objects in one another, first at byte ${offset + 1}.`,
    { hint },
  )
}

function tooMany(offset: number, max: number, where = ''): Failure {
  const words = where === '' ? '' : ` ${where}`
  return new Failure(
    'invalid_request',
    `The body has more than ${max} values${words}: the next is at byte ${offset + 1}.`,
    { hint },
  )
}

function tooLong(): Failure {
  return new Failure(
    'invalid_request',
    `The body has more than ${mostUnits / 1024 / 1024} MB outside its lists or in one item, without its long texts.`,
    { hint },
  )
}

function tooLongName(): Failure {
  return new Failure('invalid_request', `The body has a name of more than ${longUnits / 1024} KB, as it is written.`, {
    hint,
  })
}
