import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Convert } from 'typebox/value'
import type { ErrorDetail } from '../../contract/common.ts'
import { Failure } from '../../contract/failure.ts'
import { patterns } from '../../contract/patterns.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'

/** Mistakes listed in one answer. */
const maxErrors = 50
Settings.Set({ maxErrors })

/** UTF-16 units that hardly any character as people see it goes beyond. */
const unitsOfCharacter = 16

/** The validator’s finding; its messages name no values. */
interface Finding {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

type Part = 'body' | 'query' | 'params'

const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  'date-time': 'an RFC 3339 date and time',
}

const rules: ReadonlyMap<unknown, string> = new Map(Object.values(patterns).map(({ pattern, says }) => [pattern, says]))

const types: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'a JSON object',
  string: 'text',
}

/** What a value should have been, in words. */
function explain(findings: readonly Finding[]): string {
  const allowed = findings
    .filter(({ keyword }) => keyword === 'const')
    .map(({ params }) => JSON.stringify(params['allowedValue']))
  if (allowed.length > 0) return `must be one of ${allowed.join(', ')}`
  // A member that another alternative has; it matters when nothing else is wrong with it.
  const first = findings.find(({ keyword: each }) => each !== 'boolean') ?? findings[0]
  if (first === undefined) return 'is not valid'
  if (first.keyword === 'boolean') return 'does not go together with the other members'
  const { keyword, params, message } = first
  const limit = String(params['limit'])
  if (keyword === 'format') return `must be ${formats[String(params['format'])] ?? String(params['format'])}`
  if (keyword === 'pattern') return rules.get(params['pattern']) ?? message
  if (keyword === 'type') return `must be ${typesOf(findings).join(' or ')}`
  if (keyword === 'minItems') return `must have at least ${limit} ${limit === '1' ? 'item' : 'items'}`
  if (keyword === 'maxItems') return `must have at most ${limit} items`
  if (keyword === 'minLength') return `must have at least ${limit} ${limit === '1' ? 'character' : 'characters'}`
  if (keyword === 'maxLength') return `must have at most ${limit} characters`
  return message
}

/** What the alternatives would have taken. */
function typesOf(findings: readonly Finding[]): string[] {
  const wanted = findings.filter(({ keyword }) => keyword === 'type').flatMap(({ params }) => params['type'])
  return wanted.map((type) => types[String(type)] ?? String(type))
}

function detailsOf(findings: readonly Finding[]): ErrorDetail[] {
  const byPlace = new Map<string, Finding[]>()
  const mixed = findings.some(({ keyword }) => keyword === 'boolean')
  for (const finding of findings) {
    // Told of each member beside.
    if (finding.keyword === 'additionalProperties' || (mixed && finding.keyword === 'anyOf')) continue
    const missing = finding.keyword === 'required' ? (finding.params['requiredProperties'] as readonly string[]) : null
    if (missing === null) byPlace.set(finding.instancePath, [...(byPlace.get(finding.instancePath) ?? []), finding])
    else
      for (const name of missing)
        byPlace.set(`${finding.instancePath}/${name}`, [{ ...finding, message: 'is missing' }])
  }
  return [...byPlace].map(([pointer, found]) => ({ pointer, message: explain(found) }))
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: false
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

const alternatives = (shape: Shape): readonly Shape[] => shape.anyOf?.flatMap(alternatives) ?? [shape]

/** Adds the members that no alternative of the schema knows, at all depths, until there are as many as are listed. */
function* addUnknown(
  found: ErrorDetail[],
  { shapes, value, place }: { readonly shapes: readonly Shape[]; readonly value: unknown; readonly place: string },
): Steps<void> {
  if (typeof value !== 'object' || value === null) return
  yield
  const all = shapes.flatMap(alternatives)
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items: each }) => each ?? [])
    for (const [index, item] of value.entries()) {
      if (found.length >= maxErrors) return
      yield* addUnknown(found, { shapes: items, value: item, place: `${place}/${index}` })
    }
    return
  }
  const objects = all.flatMap(({ properties, additionalProperties }) =>
    properties === undefined || additionalProperties !== false ? [] : [properties],
  )
  if (objects.length === 0) return
  const known = [...new Set(objects.flatMap((properties) => Object.keys(properties)))]
  const own = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(own)) {
    if (found.length >= maxErrors) return
    const pointer = `${place}/${pointerPart(name)}`
    const below = objects.flatMap((properties) => properties[name] ?? [])
    if (!known.includes(name)) found.push({ pointer, message: unknownMessage(name, known) })
    else yield* addUnknown(found, { shapes: below, value: own[name], place: pointer })
  }
}

function unknownMessage(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `is not known (did you mean ${nearest}?)`
  return known.length === 0 ? 'is not known: nothing is taken here' : `is not known (known: ${known.join(', ')})`
}

const longestName = 100

/** A name in a JSON pointer (RFC 6901, 3); a very long one is cut. */
function pointerPart(name: string): string {
  const short = name.length > longestName ? `${name.slice(0, longestName)}…` : name
  return short.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** What is wrong with a value that the schema does not take. */
function* mistakesIn(schema: TSchema, value: unknown, findings: () => Steps<readonly Finding[]>): Steps<ErrorDetail[]> {
  const unknown: ErrorDetail[] = []
  yield* addUnknown(unknown, { shapes: [schema], value, place: '' })
  if (unknown.length >= maxErrors) return unknown
  yield 'large'
  const found = yield* findings()
  if (unknown.length === 0) return detailsOf(found)
  // With a name that is not known, what the alternatives lack says nothing.
  const others = found.filter(({ keyword, schemaPath }) => keyword !== 'boolean' && !schemaPath.includes('anyOf'))
  return [...unknown, ...detailsOf(others)]
}

/**
 * A list over its bound is not looked through: that would say nothing more and cost seconds, because a check that its
 * items differ compares each with each. Nor is a text far over its bound: its characters are counted, and matched.
 */
function oversized(schema: TSchema, value: unknown): ErrorDetail | null {
  if (typeof value !== 'object' || value === null) return null
  const { properties } = schema as { properties?: Readonly<Record<string, { maxItems?: number; maxLength?: number }>> }
  for (const [name, { maxItems = Infinity, maxLength = Infinity }] of Object.entries(properties ?? {})) {
    const sent = (value as Readonly<Record<string, unknown>>)[name]
    if (Array.isArray(sent) && sent.length > maxItems) {
      return { pointer: `/${name}`, message: `must have at most ${maxItems} items` }
    }
    if (typeof sent === 'string' && sent.length > maxLength * unitsOfCharacter) {
      return { pointer: `/${name}`, message: `must have at most ${maxLength} characters` }
    }
  }
  return null
}

/** Items of a list that are checked without a pause. */
const itemsAtOnce = 100

/** A schema as it checks values; the items of long lists in it, such as the files of a deploy, one by one. */
class SlicedCheck {
  readonly #whole
  /** By the member that is a list. */
  readonly #items = new Map<string, ReturnType<typeof Compile>>()

  constructor(schema: TSchema) {
    this.#whole = Compile(schema)
    const { properties } = schema as { properties?: Readonly<Record<string, TSchema & ListSchema>> }
    for (const [name, { items, uniqueItems }] of Object.entries(properties ?? {}))
      if (items !== undefined && uniqueItems !== true) this.#items.set(name, Compile(items))
  }

  *accepts(value: unknown): Steps<boolean> {
    const { rest, lists } = this.#split(value)
    if (!this.#whole.Check(rest)) return false
    for (const [items, , list] of lists)
      for (const item of list) {
        yield
        if (!items.Check(item)) return false
      }
    return true
  }

  *findings(value: unknown): Steps<readonly Finding[]> {
    const { rest, lists } = this.#split(value)
    const found: Finding[] = this.#whole.Errors(rest)
    for (const [items, name, list] of lists)
      for (const [index, item] of list.entries()) {
        yield
        if (found.length >= maxErrors) return found
        // The first one is among what was checked at once.
        if (index === 0 || items.Check(item)) continue
        const at = `/${name}/${index}`
        for (const finding of items.Errors(item)) found.push({ ...finding, instancePath: at + finding.instancePath })
      }
    return found
  }

  /** The value with the first item of each long list alone, and these lists. */
  #split(value: unknown) {
    const lists: [ReturnType<typeof Compile>, string, readonly unknown[]][] = []
    const short: Record<string, unknown> = {}
    if (typeof value === 'object' && value !== null)
      for (const [name, items] of this.#items) {
        const list = (value as Readonly<Record<string, unknown>>)[name]
        if (!Array.isArray(list) || list.length <= itemsAtOnce) continue
        lists.push([items, name, list])
        short[name] = list.slice(0, 1)
      }
    return { rest: lists.length === 0 ? value : { ...(value as object), ...short }, lists }
  }
}

const compiled = new WeakMap<TSchema, SlicedCheck>()

/** The check of a schema: compiled once in a process, whatever uses it. */
function checkOf(schema: TSchema): SlicedCheck {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const check = new SlicedCheck(schema)
  compiled.set(schema, check)
  return check
}

interface ListSchema {
  readonly items?: TSchema
  readonly uniqueItems?: boolean
}

/**
 * A check of one part of a request, compiled once. The query string and path parameters are text and are converted to
 * what the schema wants; a body must have its types. Rejects with `invalid_request` and a pointer for every field.
 */
export function validatorOf(schema: TSchema, part: Part): (value: unknown) => Promise<unknown> {
  const check = checkOf(schema)
  return async (sent) => {
    const value: unknown = part === 'body' ? sent : Convert(schema, { ...(sent as object) })
    const large = oversized(schema, value)
    if (large === null && (await inSlices(check.accepts(value)))) return value
    const errors = large === null ? await inSlices(mistakesIn(schema, value, () => check.findings(value))) : [large]
    const names = errors.slice(0, 3).map(({ pointer, message }) => `${pointer || 'The body'} ${message}`)
    const more = errors.length > names.length ? `; and ${errors.length - names.length} more` : ''
    const where = part === 'body' ? '' : part === 'query' ? 'In the query, ' : 'In the path, '
    throw new Failure('invalid_request', `${where}${names.join('; ')}${more}.`, { errors })
  }
}
