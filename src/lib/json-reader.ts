import type { Steps } from './slices.ts'

/** JSON as the configuration reads it; objects have a null prototype. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export interface JsonProblem {
  /** UTF-16 offset into the text. */
  readonly offset: number
  /** RFC 6901; absent where the text is no JSON. */
  readonly pointer?: string
  readonly message: string
}

/** Is told of each problem, and asks for its words only if it keeps it: there can be as many as keys. */
export type ReportJson = (severity: 'error' | 'warning', problem: () => JsonProblem) => void

/** Values that several texts may have together. */
export interface ValueBudget {
  readonly max: number
  used: number
}

export interface ParsedJson {
  /** Absent when there is an error. */
  readonly value?: Json
  /** UTF-16 offset of the value at a pointer, or of its nearest ancestor that exists. */
  locate(pointer: string): number
}

/** Objects and arrays within each other. Real configurations stay under 20. */
export const maxDepth = 64
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** Appends a reference token to a JSON pointer (RFC 6901). */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The keys and indices that a JSON pointer is made of. */
export function tokensOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A value as it stands in a message: short. */
export function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/**
 * Parses strict JSON once: what is validated is what is used. Depth and number of values are bounded, nothing recurses,
 * and a pause is possible after each value. Keys that reach an object’s prototype are errors; of equal keys the last
 * counts, with a warning, as `JSON.parse` and JavaScript have it. Stops at the first place that is no JSON.
 */
export function* parseJson(
  text: string,
  { budget, report = () => undefined }: { readonly budget: ValueBudget; readonly report?: ReportJson },
): Steps<ParsedJson> {
  const reader = new JsonReader(text, budget, report)
  try {
    yield* reader.read()
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    report('error', () => ({ offset: error.offset, message: error.message }))
    return { locate: () => 0 }
  }
  const { root } = reader
  const locate = (pointer: string): number => reader.locate(pointer)
  return reader.failed || root === undefined ? { locate } : { value: root, locate }
}

/** What ends the reading. */
class NotJson extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** An array or object that is not closed yet. */
interface Open {
  readonly value: Json[] | Record<string, Json>
  /** Where its members begin: by index, or by key. */
  readonly offsets: number[] | Map<string, number>
  /** Of an object: the key that waits for its value. */
  key: string
}

/** White space is passed over in pieces. */
const space = /[ \t\n\r]{0,10000}/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

class JsonReader {
  root: Json | undefined
  /** An error was reported. */
  failed = false
  readonly #text: string
  readonly #budget: ValueBudget
  readonly #report: ReportJson
  readonly #stack: Open[] = []
  readonly #offsets = new Map<object, Open['offsets']>()
  #rootOffset = 0
  #at = 0
  /** A comma was read, and no member after it yet. */
  #afterComma = false

  constructor(text: string, budget: ValueBudget, report: ReportJson) {
    this.#text = text
    this.#budget = budget
    this.#report = report
  }

  *read(): Steps<void> {
    yield* this.#space()
    if (this.#at === this.#text.length) throw new NotJson(0, 'The file is empty.')
    this.#value()
    while (this.#stack.length > 0) {
      yield* this.#space()
      const open = this.#stack.at(-1)
      if (open === undefined) break
      if (this.#closes(open)) continue
      if (Array.isArray(open.value)) this.#value()
      else yield* this.#member(open)
    }
    yield* this.#space()
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the file')
  }

  locate(pointer: string): number {
    let value = this.root
    let offset = this.#rootOffset
    for (const token of tokensOf(pointer)) {
      const offsets = typeof value === 'object' && value !== null ? this.#offsets.get(value) : undefined
      const next = Array.isArray(offsets) ? offsets[Number(token)] : offsets?.get(token)
      if (next === undefined) break
      offset = next
      value = isArray(value) ? value[Number(token)] : isObject(value) ? value[token] : undefined
    }
    return offset
  }

  *#space(): Steps<void> {
    for (;;) {
      yield
      space.lastIndex = this.#at
      space.exec(this.#text)
      if (space.lastIndex === this.#at) return
      this.#at = space.lastIndex
    }
  }

  /** Reads a closing bracket, or the comma before the next member, after which one must follow. */
  #closes(open: Open): boolean {
    const isList = Array.isArray(open.value)
    const isFirst = (Array.isArray(open.offsets) ? open.offsets.length : open.offsets.size) === 0
    const next = this.#text[this.#at]
    if (next === (isList ? ']' : '}')) {
      if (this.#afterComma) throw this.#unexpected(isList ? 'a value' : 'a key')
      this.#at += 1
      this.#stack.pop()
      return true
    }
    if (isFirst || this.#afterComma) {
      this.#afterComma = false
      return false
    }
    if (next !== ',') throw this.#unexpected(isList ? 'a comma or ]' : 'a comma or }')
    this.#at += 1
    this.#afterComma = true
    return true
  }

  *#member(open: Open): Steps<void> {
    const offset = this.#at
    if (this.#text[offset] !== '"') throw this.#unexpected('a key in double quotes')
    const key = this.#string()
    this.#judgeKey(key, offset, open)
    open.key = key
    yield* this.#space()
    if (this.#text[this.#at] !== ':') throw this.#unexpected('a colon')
    this.#at += 1
    yield* this.#space()
    this.#value()
  }

  #value(): void {
    const offset = this.#at
    const first = this.#text[offset]
    this.#budget.used += 1
    if (this.#budget.used > this.#budget.max)
      throw new NotJson(offset, `The JSON has more than ${this.#budget.max} values. Remove some.`)
    if (first === '[' || first === '{') {
      if (this.#stack.length >= maxDepth)
        throw new NotJson(offset, `The JSON is nested deeper than ${maxDepth} levels.`)
      this.#at += 1
      const value = first === '[' ? [] : (Object.create(null) as Record<string, Json>)
      const offsets = first === '[' ? [] : new Map<string, number>()
      this.#add(value, offset)
      this.#offsets.set(value, offsets)
      this.#stack.push({ value, offsets, key: '' })
    } else if (first === '"') this.#add(this.#string(), offset)
    else {
      scalar.lastIndex = offset
      const word = scalar.exec(this.#text)?.[0]
      if (word === undefined) throw this.#unexpected('a value')
      this.#at += word.length
      this.#add(JSON.parse(word) as Json, offset)
    }
  }

  #add(value: Json, offset: number): void {
    const open = this.#stack.at(-1)
    if (open === undefined) {
      this.root = value
      this.#rootOffset = offset
    } else if (Array.isArray(open.value)) {
      open.value.push(value)
      if (Array.isArray(open.offsets)) open.offsets.push(offset)
    } else {
      // Not by assignment: the key may be `__proto__` in an object that has a prototype one day.
      Object.defineProperty(open.value, open.key, { value, enumerable: true, writable: true, configurable: true })
      if (!Array.isArray(open.offsets)) open.offsets.set(open.key, offset)
    }
  }

  #string(): string {
    const start = this.#at
    const end = endOfString(this.#text, start)
    try {
      const string = JSON.parse(this.#text.slice(start, end)) as string
      this.#at = end
      return string
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const message = 'This is not JSON: the text in quotes has no end, or holds a line break or a bad escape.'
      throw new NotJson(start, message)
    }
  }

  #judgeKey(key: string, offset: number, open: Open): void {
    const isRefused = refusedKeys.has(key)
    const isRepeated = !Array.isArray(open.offsets) && open.offsets.has(key)
    if (isRefused) this.failed = true
    if (!isRefused && !isRepeated) return
    this.#report(isRefused ? 'error' : 'warning', () => ({
      offset,
      pointer: pointerTo(this.#pointer(), key),
      message: isRefused
        ? `The key ${show(key)} is not allowed.`
        : `The key ${show(key)} stands twice; the last one counts.`,
    }))
  }

  /** Of the innermost object or array that is open. */
  #pointer(): string {
    return this.#stack
      .slice(0, -1)
      .reduce((pointer, { value, key }) => pointerTo(pointer, Array.isArray(value) ? value.length - 1 : key), '')
  }

  #unexpected(wanted: string): NotJson {
    return new NotJson(this.#at, `This is not JSON: ${wanted} is expected here.`)
  }
}

/** Offset after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 0x5c) offset++
    else if (code === 0x22) return offset + 1
  }
  return text.length
}
