import { posix } from 'node:path'
import { isArray, isObject, tokensOf, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { parseUrl } from '../../lib/parse-url.ts'
import { DescriptionProblem, readDocument } from './document.ts'
import { mostFiles, mostText, type Entry, type Part } from './form.ts'
import { isAddress } from './names.ts'

const maxParts = 50_000
const maxWarnings = 50
/** Bytes of a part, and UTF-16 units that are kept of one that has more: a page has room for a megabyte of parts. */
const maxPart = 960 * 1024
const maxMember = 256 * 1024
/** UTF-16 units of other files of the project together. */
const maxRead = 8 * 1024 * 1024
/** References that lead to references. */
const maxHops = 20

/** Gives the text of another file of the project; null where there is none. */
export type LoadText = (path: string) => Promise<string | null>

/** An entry whose hash is not known yet. */
export type NewEntry = Omit<Entry, 'hash'>

/** A value, and the file whose references it has: '' for the description itself. */
export interface Found {
  readonly value: Json | undefined
  readonly file: string
}

/** Texts of what pages show, and of all that these refer to. */
export class Parts {
  readonly warnings: string[] = []
  readonly #path: string
  readonly #documents = new Map<string, Json | undefined>()
  readonly #load: LoadText
  /** Turns by key, of those that are wanted, too. */
  readonly #turns = new Map<string, number>()
  readonly #wanted: string[] = []
  readonly #places: Part[] = []
  /** In the order in which they came. */
  readonly #added: string[] = []
  #length = 0
  /** UTF-16 units of other files. */
  #read = 0

  constructor(path: string, document: JsonObject, load: LoadText) {
    this.#path = path
    this.#documents.set('', document)
    this.#load = load
  }

  get text(): string {
    return this.#added.join('')
  }

  /** In the order of their turns. */
  get texts(): readonly string[] {
    const { text } = this
    return this.#places.map(([, start, length]) => text.slice(start, start + length))
  }

  /** In the order of their turns. */
  get places(): readonly Part[] {
    return this.#places
  }

  /**
   * @param file where references of the value begin
   * @param others members of it that come from other files
   * @returns its turn
   */
  add(key: string, value: Json, file = '', others: readonly Found[] = []): number {
    const references = new Set<number>()
    const absolute = (found: Json, from: string): Json =>
      withReferences(found, (reference) => {
        const target = this.#absolute(reference, from)
        if (target === undefined) return reference
        references.add(this.want(target))
        return target
      })
    const whole = others.reduce<Json>(
      (sum, other) => ({ ...(isObject(sum) ? sum : {}), ...(absolute(other.value ?? {}, other.file) as JsonObject) }),
      absolute(value, file),
    )
    const { text, isCut } = fitting(whole)
    if (isCut)
      this.warn(
        `${key.slice(0, 200)} is larger than a page can be, which shows the beginning of it: move some to components`,
      )
    const turn = this.#turnOf(key)
    this.#places[turn] = [key, this.#length, text.length, [...references]]
    this.#added.push(text)
    this.#length += text.length
    if (this.#length > mostText || this.#turns.size > maxParts)
      throw new DescriptionProblem('holds more than can be shown: split it into several.')
    return turn
  }

  /** Has what a reference names among the parts. @returns its turn */
  want(reference: string): number {
    if (!this.#turns.has(reference)) this.#wanted.push(reference)
    return this.#turnOf(reference)
  }

  #turnOf(key: string): number {
    const turn = this.#turns.get(key) ?? this.#turns.size
    this.#turns.set(key, turn)
    return turn
  }

  /** What a value is, or what the reference that it is leads to, in whatever file. */
  async follow(value: Json | undefined, file = ''): Promise<Found> {
    let found: Found = { value, file }
    for (let hops = 0; hops < maxHops && isObject(found.value) && typeof found.value['$ref'] === 'string'; hops++) {
      const reference = this.#absolute(found.value['$ref'], found.file)
      if (reference === undefined) return { value: undefined, file }
      found = await this.#at(reference)
    }
    if (!isObject(found.value) || typeof found.value['$ref'] !== 'string') return found
    this.warn(`${found.value['$ref'].slice(0, 200)} leads to nothing but itself`)
    return { value: undefined, file }
  }

  /** Adds all that is referred to. */
  async resolve(): Promise<void> {
    for (let reference = this.#wanted.pop(); reference !== undefined; reference = this.#wanted.pop()) {
      const { value, file } = await this.#at(reference)
      if (value === undefined) this.warn(`nothing is at ${reference.slice(0, 200)}, which it refers to`)
      else if (isObject(value) && typeof value['$ref'] === 'string') await this.follow(value, file)
      this.add(reference, value ?? {}, file)
    }
  }

  warn(message: string): void {
    if (this.warnings.length < maxWarnings) this.warnings.push(message)
  }

  async #at(reference: string): Promise<Found> {
    const [file = '', pointer = ''] = reference.split('#', 2)
    return { value: valueAt(await this.#document(file), pointer), file }
  }

  async #document(file: string): Promise<Json | undefined> {
    if (this.#documents.has(file)) return this.#documents.get(file)
    if (this.#documents.size > mostFiles || this.#read > maxRead)
      throw new DescriptionProblem(
        `refers to more than can be read: at most ${mostFiles} files, of ${maxRead / 1024 / 1024} MB together.`,
      )
    const text = await this.#load(file)
    this.#read += text?.length ?? 0
    let document: Json | undefined
    try {
      document = text === null ? undefined : readDocument(text)
    } catch (error) {
      if (!(error instanceof DescriptionProblem)) throw error
      this.warn(`${file}, which it refers to, ${error.message}`)
    }
    this.#documents.set(file, document)
    return document
  }

  /** `./user.yaml#/User` of `api/openapi.yaml` → `api/user.yaml#/User`; undefined for what leads out of the project. */
  #absolute(reference: string, file: string): string | undefined {
    const [other = '', pointer = ''] = reference.split('#', 2)
    if (other === '') return `${file}#${pointer}`
    const from = file === '' ? this.#path : file
    if (isAddress(from)) return this.#elsewhere(reference, from)
    const path = other.startsWith('/') ? other.slice(1) : posix.join(posix.dirname(from), other)
    if (/^[a-z][a-z\d+.-]*:|^\/\/|[\\\0]/i.test(other) || path.startsWith('..')) {
      this.warn(`${reference.slice(0, 200)} is not followed: references lead to files of the project`)
      return undefined
    }
    return `${path === this.#path ? '' : path}#${pointer}`
  }

  /** The same in a file at an address; undefined for what leads to another host. */
  #elsewhere(reference: string, from: string): string | undefined {
    const [other = '', pointer = ''] = reference.split('#', 2)
    const target = parseUrl(other, from)
    if (target === undefined || target.origin !== new URL(from).origin) {
      this.warn(`${reference.slice(0, 200)} is not followed: references at an address lead to files of the same host`)
      return undefined
    }
    return `${target.href === this.#path ? '' : target.href}#${pointer}`
  }
}

/** A part as JSON; the beginnings of its lists and texts, and `isCut` among its members, where it is larger than a page may be. */
function fitting(value: Json): { readonly text: string; readonly isCut: boolean } {
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) <= maxPart) return { text, isCut: false }
  const short = trimmed(value, maxMember)
  const some = { ...(isObject(short) ? short : {}), isCut: true }
  const shorter = JSON.stringify(some)
  return { text: Buffer.byteLength(shorter) <= maxPart ? shorter : '{"isCut":true}', isCut: true }
}

/** What fits of a value. Members that fit are whole. */
function trimmed(value: Json, most: number): Json {
  if (typeof value === 'string') return value.slice(0, most)
  if (typeof value !== 'object' || value === null || JSON.stringify(value).length <= most) return value
  let left = most
  const fits = (each: Json): boolean => (left -= JSON.stringify(each).length) > 0
  if (isArray(value)) {
    const end = value.findIndex((each) => !fits(each))
    return value.slice(0, end === -1 ? value.length : end)
  }
  const inner = Object.entries(value).map(([key, each]): [string, Json] => [key, trimmed(each, most / 2)])
  const kept = inner.filter(([key, each]) => fits(key) && fits(each))
  return Object.fromEntries(kept)
}

/** Keywords whose value is data, in which `$ref` is a word like others. */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const', 'value'])
/** Keywords under which names stand, and no keywords. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  // One of them is `default`.
  'responses',
  'headers',
  'callbacks',
])

/** A copy with other references. @param isNames The keys are names of its author’s. */
function withReferences(value: Json, change: (reference: string) => string, isNames = false): Json {
  if (isArray(value)) return value.map((each) => withReferences(each, change))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, each]): [string, Json] => {
    if (isNames) return [key, withReferences(each, change)]
    if (key === '$ref' && typeof each === 'string') return [key, change(each)]
    if (data.has(key)) return [key, key === 'examples' && isObject(each) ? examples(each, change) : each]
    if (key === 'mapping' && isObject(each)) return [key, mapped(each, change)]
    return [key, withReferences(each, change, named.has(key))]
  })
  return Object.fromEntries(entries)
}

/** Examples of a media type, each of which may be a reference. */
function examples(value: JsonObject, change: (reference: string) => string): Json {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withReferences(each, change)]))
}

/** What a discriminator chooses by name: references, or names of schemas. */
function mapped(value: JsonObject, change: (reference: string) => string): Json {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each !== 'string' ? each : change(/[#/]/.test(each) ? each : `#/components/schemas/${each}`),
    ]),
  )
}

/** What a JSON pointer leads to; undefined where nothing is there. */
function valueAt(document: Json | undefined, pointer: string): Json | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  let value = document
  for (const token of tokensOf(decoded(pointer))) {
    if (isArray(value)) value = value[Number(token)]
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token]
    else return undefined
  }
  return value
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}
