import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'

/** What references lead to, by their key. */
export type Definitions = ReadonlyMap<string, Json>

/** A schema as a page shows it. */
export interface Schema {
  /** JSON Schema with what `allOf` adds to it; `true` and `{}` are an empty one. */
  readonly value: JsonObject
  /** Name of the schema that a reference named. */
  readonly name?: string
  /** Keys of the references that led to it, the outermost first. */
  readonly via: readonly string[]
}

/** References that lead to references, and schemas that `allOf` adds, each within the other. */
const maxHops = 30

/**
 * What a schema is: references followed, `allOf` put together, words of OpenAPI 3.0 read as those of 3.1.
 * @param via references that have been followed on the way here: one of them again ends in an empty schema with its name.
 */
export function schemaOf(value: Json | undefined, definitions: Definitions, via: readonly string[] = []): Schema {
  const { value: found, via: passed } = followed(value, definitions, via)
  const name = passed.length > via.length ? nameOf(passed.at(-1) ?? '') : undefined
  const own = isObject(found) ? found : {}
  const all = isArray(own['allOf']) && passed.length < maxHops ? own['allOf'] : []
  let merged: JsonObject = own
  let nested = passed
  for (const each of all) {
    const part = schemaOf(each, definitions, passed)
    merged = mergedWith(merged, part.value)
    nested = [...nested, ...part.via.filter((key) => !nested.includes(key))]
  }
  return { value: merged, ...(name === undefined ? {} : { name }), via: nested }
}

/** Whether a reference leads back to one that it stands within. */
export function isCyclic(
  value: Json | undefined,
  via: readonly string[],
): value is JsonObject & { readonly $ref: string } {
  return isObject(value) && typeof value['$ref'] === 'string' && via.includes(value['$ref'])
}

function followed(
  value: Json | undefined,
  definitions: Definitions,
  via: readonly string[],
): { readonly value: Json | undefined; readonly via: readonly string[] } {
  let found = value
  let beside: JsonObject | undefined
  const passed = [...via]
  while (isObject(found) && typeof found['$ref'] === 'string' && passed.length < maxHops) {
    const { $ref, ...others } = found
    if (typeof $ref !== 'string' || passed.includes($ref)) return { value: others, via: passed }
    // OpenAPI 3.1 lets a description stand beside a reference, which is meant for this place.
    if (Object.keys(others).length > 0) beside = { ...others, ...beside }
    passed.push($ref)
    found = definitions.get($ref)
  }
  return { value: beside !== undefined && isObject(found) ? { ...found, ...beside } : found, via: passed }
}

/** An object, or what a reference to one leads to; empty where there is none. */
export function resolved(value: Json | undefined, definitions: Definitions): JsonObject {
  let found = value
  for (let hops = 0; hops < maxHops && isObject(found) && typeof found['$ref'] === 'string'; hops++)
    found = definitions.get(found['$ref'])
  return isObject(found) ? found : {}
}

/** `#/components/schemas/User` → `User`. */
export function nameOf(reference: string): string {
  const last = reference.split('/').at(-1) ?? reference
  return last
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .replace(/^.*#/, '')
    .replace(/\.(?:ya?ml|json)$/, '')
}

/** What both say, as `allOf` has it: properties together, and for the rest who says it first. */
function mergedWith(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...other, ...one }
  // Names are those of its author: none of them reaches the prototype of an object.
  const properties = new Map(Object.entries(isObject(other['properties']) ? other['properties'] : {}))
  for (const [name, value] of Object.entries(isObject(one['properties']) ? one['properties'] : {})) {
    const before = properties.get(name)
    const isBoth = isObject(before) && isObject(value) && before['$ref'] === undefined
    properties.set(name, isBoth ? { ...before, ...value } : value)
  }
  if (properties.size > 0) merged['properties'] = Object.fromEntries(properties)
  const required = [one, other].flatMap(({ required: names }) => (isArray(names) ? names : []))
  if (required.length > 0) merged['required'] = [...new Set(required)]
  // A choice of each of them is a choice of its own.
  for (const word of ['oneOf', 'anyOf'] as const)
    if (isArray(one[word]) && isArray(other[word]) && one[word] !== other[word])
      merged[word === 'oneOf' ? 'anyOf' : 'oneOf'] ??= other[word]
  return merged
}

/** `string`, `integer`, `object` …, without `null`. */
export function typesOf(value: JsonObject): readonly string[] {
  const written = value['type']
  const listed = isArray(written) ? written : [written]
  const types = listed.filter((each): each is string => typeof each === 'string' && each !== 'null')
  if (types.length > 0) return types
  if (isObject(value['properties']) || isObject(value['additionalProperties'])) return ['object']
  if (value['items'] !== undefined || value['prefixItems'] !== undefined) return ['array']
  const examples = isArray(value['enum']) ? value['enum'] : value['const'] === undefined ? [] : [value['const']]
  const kinds = new Set(examples.filter((each) => each !== null).map((each) => (isArray(each) ? 'array' : typeof each)))
  return [...kinds]
}

export function isNullable(value: JsonObject): boolean {
  const { type, nullable, enum: options } = value
  return (
    nullable === true ||
    value['x-nullable'] === true ||
    (isArray(type) && type.includes('null')) ||
    (isArray(options) && options.includes(null))
  )
}

/** What a value is, in a few letters: `string<date-time>`, `User[]`, `enum<string> | null`. */
export function typeText(schema: Schema, definitions: Definitions): string {
  const text = bareTypeText(schema, definitions)
  return isNullable(schema.value) && text !== 'null' ? `${text} | null` : text
}

function bareTypeText({ value, name, via }: Schema, definitions: Definitions): string {
  const types = typesOf(value)
  if (types.includes('array')) {
    const items = value['items']
    if (isCyclic(items, via)) return `${nameOf(items.$ref)}[]`
    const inner = via.length < maxHops ? typeText(schemaOf(items, definitions, via), definitions) : 'any'
    return inner.includes(' ') ? `(${inner})[]` : `${inner}[]`
  }
  const choices = variantsOf(value)
  if (choices.length > 0 && types.length === 0) {
    if (via.length >= maxHops) return name ?? 'any'
    const texts = choices
      .slice(0, mostNamed + 1)
      .map((each) =>
        isCyclic(each, via) ? nameOf(each.$ref) : typeText(schemaOf(each, definitions, via), definitions),
      )
    const distinct = [...new Set(texts)]
    return distinct.length > mostNamed ? (name ?? 'any') : distinct.join(' | ')
  }
  if (types.length === 0) return name ?? (value['not'] === undefined ? 'any' : 'not')
  if (types.includes('object')) return name === undefined ? 'object' : `${name} · object`
  const format =
    typeof value['format'] === 'string'
      ? value['format']
      : value['contentMediaType'] === undefined
        ? undefined
        : 'binary'
  const kind = types.join(' | ')
  if (isArray(value['enum'])) return `enum<${kind}>`
  return format === undefined || types.length > 1 ? kind : `${kind}<${format}>`
}

const mostNamed = 3

/** The schemas of which one, or some, hold. */
export function variantsOf(value: JsonObject): readonly Json[] {
  return [value['oneOf'], value['anyOf']]
    .flatMap((list) => (isArray(list) ? list : []))
    .filter((each) => !(isObject(each) && each['type'] === 'null'))
}

/** What a value must keep to, each as a name of the list of words and what it says. */
export interface Facts {
  readonly options?: readonly string[]
  readonly range?: string
  readonly length?: string
  readonly items?: string
  readonly pattern?: string
  readonly multipleOf?: string
  readonly constant?: string
  readonly unique?: boolean
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly fallback?: string
  readonly examples?: readonly string[]
}

const maxOptions = 200
const maxExamples = 3
const longestValue = 300

export function factsOf(value: JsonObject, definitions: Definitions): Facts {
  // What is said of each of a list is said of the list.
  const items = typesOf(value).includes('array') ? schemaOf(value['items'], definitions).value : undefined
  const options = isArray(value['enum']) ? value['enum'] : isArray(items?.['enum']) ? items['enum'] : undefined
  const examples = [
    ...(isArray(value['examples']) ? value['examples'] : []),
    ...(value['example'] === undefined ? [] : [value['example']]),
  ]
  const [least, most] = [
    limit(value, 'minimum', 'exclusiveMinimum', '<'),
    limit(value, 'maximum', 'exclusiveMaximum', '<'),
  ]
  return {
    ...set(
      'options',
      options
        ?.filter((each) => each !== null)
        .slice(0, maxOptions)
        .map(literal),
    ),
    ...set('range', least === undefined && most === undefined ? undefined : span(least, most)),
    ...set('length', counted(value['minLength'], value['maxLength'])),
    ...set(
      'items',
      counted(value['minItems'], value['maxItems']) ?? counted(value['minProperties'], value['maxProperties']),
    ),
    ...set('pattern', typeof value['pattern'] === 'string' ? value['pattern'].slice(0, longestValue) : undefined),
    ...set('multipleOf', typeof value['multipleOf'] === 'number' ? String(value['multipleOf']) : undefined),
    ...set('constant', value['const'] === undefined ? undefined : literal(value['const'])),
    ...set('unique', value['uniqueItems'] === true || undefined),
    ...set('readOnly', value['readOnly'] === true || undefined),
    ...set('writeOnly', value['writeOnly'] === true || undefined),
    ...set('fallback', value['default'] === undefined ? undefined : literal(value['default'])),
    ...set('examples', examples.length === 0 ? undefined : examples.slice(0, maxExamples).map(literal)),
  }
}

const set = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: Value }

interface Limit {
  readonly value: number
  readonly sign: '<' | '≤'
}

/** OpenAPI 3.0 says with `true` that the limit itself is left out, 3.1 says the limit. */
function limit(value: JsonObject, word: string, exclusiveWord: string, strict: '<'): Limit | undefined {
  const [given, exclusive] = [value[word], value[exclusiveWord]]
  if (typeof exclusive === 'number') return { value: exclusive, sign: strict }
  return typeof given === 'number' ? { value: given, sign: exclusive === true ? strict : '≤' } : undefined
}

/** `1 ≤ x ≤ 100`. */
function span(least: Limit | undefined, most: Limit | undefined): string {
  const before = least === undefined ? '' : `${least.value} ${least.sign} `
  return `${before}x${most === undefined ? '' : ` ${most.sign} ${most.value}`}`
}

/** `1–20`, `≥ 1`, `≤ 20`. */
function counted(least: Json | undefined, most: Json | undefined): string | undefined {
  const [from, to] = [
    typeof least === 'number' && least > 0 ? least : undefined,
    typeof most === 'number' ? most : undefined,
  ]
  if (from === undefined) return to === undefined ? undefined : `≤ ${to}`
  if (to === undefined) return `≥ ${from}`
  return from === to ? String(from) : `${from}–${to}`
}

/** A value as code. */
export function literal(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}
