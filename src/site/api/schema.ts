import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { pick, textOf } from './values.ts'

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
  /** Some of it is not there: it is too large for a page. */
  readonly isCut?: boolean
}

/** References that lead to references, and schemas that `allOf` adds, each within the other. */
const maxHops = 30
/** Schemas that `allOf` puts together to one. */
const maxMerged = 200

/**
 * What a schema is: references followed, `allOf` put together, words of OpenAPI 3.0 read as those of 3.1.
 * @param via references that have been followed on the way here: one of them again ends in an empty schema with its name.
 */
export function schemaOf(value: Json | undefined, definitions: Definitions, via: readonly string[] = []): Schema {
  return composed(value, definitions, { via, merged: new Set() })
}

/** @param merged references that are in it already: to add them again adds nothing, and takes time by powers. */
function composed(
  value: Json | undefined,
  definitions: Definitions,
  { via, merged: known }: { readonly via: readonly string[]; readonly merged: Set<string> },
): Schema {
  const { value: found, via: passed } = followed(value, definitions, via)
  const name = passed.length > via.length ? nameOf(passed.at(-1) ?? '') : undefined
  const own = isObject(found) ? found : {}
  const all = isArray(own['allOf']) && passed.length < maxHops ? own['allOf'] : []
  let isCut = isObject(found) ? own['isCut'] === true : found === undefined && name !== undefined
  let merged: JsonObject = own
  for (const each of all) {
    const reference = isObject(each) && typeof each['$ref'] === 'string' ? each['$ref'] : undefined
    if (known.size >= maxMerged || (reference !== undefined && known.has(reference))) continue
    known.add(reference ?? `${known.size}`)
    const part = composed(each, definitions, { via: passed, merged: known })
    merged = mergedWith(merged, part.value)
    isCut ||= part.isCut === true
  }
  const only = onlyVariant(merged)
  if (only === undefined || isCyclic(only, passed) || passed.length >= maxHops || known.size >= maxMerged)
    return { value: merged, ...pick('name', name), via: passed, ...pick('isCut', isCut || undefined) }
  known.add(`${known.size}`)
  const { oneOf: _one, anyOf: _any, ...beside } = merged
  const variant = composed(only, definitions, { via: passed, merged: known })
  return {
    value: { ...mergedWith(beside, variant.value), ...(hasNull(merged) ? { nullable: true } : {}) },
    ...pick('name', name ?? variant.name),
    via: variant.via,
    ...pick('isCut', isCut || variant.isCut || undefined),
  }
}

/** What a choice of it and of nothing else, or of `null`, means. */
function onlyVariant(value: JsonObject): Json | undefined {
  const [only, ...others] = variantsOf(value)
  return others.length === 0 ? only : undefined
}

function hasNull(value: JsonObject): boolean {
  return [value['oneOf'], value['anyOf']].some(
    (list) => isArray(list) && list.some((each) => isObject(each) && each['type'] === 'null'),
  )
}

/**
 * The reference whose fields are all that is shown of a value: its own, that of what a list holds, or of what alone stands
 * in `allOf` or is chosen.
 */
export function namedPart(value: Json | undefined): string | undefined {
  let found = value
  for (let hops = 0; hops < maxHops && isObject(found); hops++) {
    const own: JsonObject = found
    const [word, ...others] = shaping.filter((each) => own[each] !== undefined)
    if (others.length > 0) return undefined
    if (word === '$ref') return typeof own[word] === 'string' ? own[word] : undefined
    const listed: Json | undefined = word === undefined ? undefined : own[word]
    if (word === 'items') found = listed
    else {
      const some: readonly Json[] = (isArray(listed) ? listed : []).filter(
        (each) => !(isObject(each) && each['type'] === 'null'),
      )
      found = some.length === 1 ? some[0] : undefined
    }
  }
  return undefined
}

/** Keywords that say which fields a value has. */
const shaping =
  '$ref allOf oneOf anyOf items prefixItems properties required additionalProperties patternProperties'.split(' ')

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

/** `#/components/schemas/User` → `User`, `models/user.yml#` → `user`. */
export function nameOf(reference: string): string {
  const last = reference.split('/').at(-1) ?? reference
  return last
    .replace(/#$/, '')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .replace(/^.*#/, '')
    .replace(/\.(?:ya?ml|json)$/, '')
    .slice(0, longestType)
}

/** What both say, as `allOf` has it: properties together, and for the rest who says it first. */
function mergedWith(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...other, ...one }
  // Names are those of its author: none of them reaches the prototype of an object.
  const properties = new Map(Object.entries(isObject(other['properties']) ? other['properties'] : {}))
  for (const [name, value] of Object.entries(isObject(one['properties']) ? one['properties'] : {})) {
    const before = properties.get(name)
    properties.set(name, isObject(before) && isObject(value) && before !== value ? { allOf: [value, before] } : value)
  }
  if (properties.size > 0) merged['properties'] = Object.fromEntries(properties)
  const required = [one, other].flatMap(({ required: names }) => (isArray(names) ? names : []))
  if (required.length > 0) merged['required'] = [...new Set(required)]
  // A choice of each of them is a choice of its own.
  for (const [word, free] of [
    ['oneOf', 'anyOf'],
    ['anyOf', 'oneOf'],
  ] as const)
    if (isArray(one[word]) && isArray(other[word]) && one[word] !== other[word])
      merged[free] = [...(isArray(merged[free]) ? merged[free] : []), ...other[word]]
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
    hasNull(value) ||
    (isArray(options) && options.includes(null))
  )
}

/** What a value is, in a few letters: `string<date-time>`, `User[]`, `enum<string> | null`. */
export function typeText(schema: Schema, definitions: Definitions, depth = 0): string {
  const text = bareTypeText(schema, definitions, depth).slice(0, longestType)
  return isNullable(schema.value) && text !== 'null' ? `${text} | null` : text
}

/** Lists and choices in each other that a type is told of. */
const deepestType = 4

function bareTypeText({ value, name, via }: Schema, definitions: Definitions, depth: number): string {
  const types = typesOf(value)
  if (types.includes('array')) {
    const items = value['items']
    if (isCyclic(items, via)) return `${nameOf(items.$ref)}[]`
    const inner = depth < deepestType ? typeText(schemaOf(items, definitions, via), definitions, depth + 1) : 'any'
    return inner.includes(' ') ? `(${inner})[]` : `${inner}[]`
  }
  const choices = variantsOf(value)
  if (choices.length > 0 && types.length === 0) {
    if (depth >= deepestType) return name ?? 'any'
    const texts = choices
      .slice(0, mostNamed + 1)
      .map((each) =>
        isCyclic(each, via) ? nameOf(each.$ref) : typeText(schemaOf(each, definitions, via), definitions, depth + 1),
      )
    const distinct = [...new Set(texts)]
    if (isEnumeration(value, definitions)) return `enum<${distinct.join(' | ')}>`
    return distinct.length > mostNamed ? (name ?? 'any') : distinct.join(' | ')
  }
  if (types.length === 0) return name ?? (value['not'] === undefined ? 'any' : 'not')
  if (types.includes('object')) return name === undefined ? 'object' : depth > 0 ? name : `${name} · object`
  const format =
    typeof value['format'] === 'string'
      ? value['format']
      : value['contentMediaType'] === undefined
        ? undefined
        : 'binary'
  const kind = types.join(' | ')
  if (isArray(value['enum']) || (choices.length > 0 && isEnumeration(value, definitions))) return `enum<${kind}>`
  return format === undefined || types.length > 1 ? kind : `${kind}<${format}>`
}

const mostNamed = 3
/** UTF-16 units of a type, a name or a title. */
export const longestType = 300

/** The schemas of which one, or some, hold. */
export function variantsOf(value: JsonObject): readonly Json[] {
  return [value['oneOf'], value['anyOf']]
    .flatMap((list) => (isArray(list) ? list : []))
    .filter((each) => !(isObject(each) && each['type'] === 'null'))
}

/** Whether each variant is a value, as enumerations are written that tell what their values are called. */
function isEnumeration(value: JsonObject, definitions: Definitions): boolean {
  return variantsOf(value).every((variant) => schemaOf(variant, definitions).value['const'] !== undefined)
}

/** Values of the property that tells the variants of a choice apart, by the reference that they stand for. */
export function discriminated(value: JsonObject): ReadonlyMap<string, string> {
  const discriminator = isObject(value['discriminator']) ? value['discriminator'] : {}
  const name = textOf(discriminator['propertyName'])
  const mapping = isObject(discriminator['mapping']) ? discriminator['mapping'] : {}
  return new Map(
    Object.entries(mapping).flatMap(([word, reference]) =>
      typeof reference === 'string' && name !== undefined
        ? [[reference, `${name}: ${word}`.slice(0, longestType)] as const]
        : [],
    ),
  )
}

/** Lists in each other that are looked into. */
const deepestList = 8

/** Whether there is more to show of a value than its type and what it keeps to. */
export function isComposite(value: JsonObject, definitions: Definitions, depth = 0): boolean {
  const { properties, patternProperties, additionalProperties, items, prefixItems } = value
  if ([properties, patternProperties, additionalProperties].some(isObject)) return true
  if (isArray(prefixItems) || variantsOf(value).length > 0) return true
  // A list is what it holds.
  return (
    depth < deepestList && isObject(items) && isComposite(schemaOf(items, definitions).value, definitions, depth + 1)
  )
}
