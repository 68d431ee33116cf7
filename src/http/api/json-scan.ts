import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Of the lists of a body: they are what its members are. */
const listDepth = 2

/** What to do about a body that is too much. */
export const tooMuchHint = 'No request needs that: see /api/docs for what it takes here.'

/**
 * Counts brackets and values of JSON, byte by byte, over the bounds of chunks; those in texts do not count. What is not
 * JSON is the parser’s to find.
 */
export class JsonScan {
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

  #found(event: JsonScan['event'], at: number): number {
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

function tooDeep(offset: number): Failure {
  return new Failure(
    'invalid_request',
    `The body nests more than ${limits.jsonDepth} arrays and objects in one another, first at byte ${offset + 1}.`,
    { hint: tooMuchHint },
  )
}

function tooMany(offset: number, max: number, where = ''): Failure {
  const words = where === '' ? '' : ` ${where}`
  return new Failure(
    'invalid_request',
    `The body has more than ${max} values${words}: the next is at byte ${offset + 1}.`,
    { hint: tooMuchHint },
  )
}
