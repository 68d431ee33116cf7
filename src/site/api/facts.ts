import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { schemaOf, typesOf, variantsOf, type Definitions } from './schema.ts'
import { pick, textOf } from './values.ts'

/** What a value must keep to, each as a name of the list of words and what it says. */
export interface Facts {
  readonly options?: readonly string[]
  /** What the options are called, in their order; '' for one that has no name. */
  readonly optionNames?: readonly string[]
  /** Options that are left out. */
  readonly moreOptions?: number
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

const maxOptions = 1000
/** Variants whose own variants are looked at. */
const maxNested = 50
const maxExamples = 3
const longestValue = 300

export function factsOf(value: JsonObject, definitions: Definitions): Facts {
  // What is said of each of a list is said of the list.
  const items = typesOf(value).includes('array') ? schemaOf(value['items'], definitions).value : undefined
  const own = optionsOf(value, definitions)
  const { all, more } = own.all.length > 0 || items === undefined ? own : optionsOf(items, definitions)
  const examples = [
    ...(isArray(value['examples']) ? value['examples'] : []),
    ...(value['example'] === undefined ? [] : [value['example']]),
  ]
  const [least, most] = [
    limit(value, 'minimum', 'exclusiveMinimum', '<'),
    limit(value, 'maximum', 'exclusiveMaximum', '<'),
  ]
  return {
    ...pick('options', all.length === 0 ? undefined : all.map((each) => literal(each.value))),
    ...pick('optionNames', all.some(({ name }) => name !== '') ? all.map(({ name }) => name) : undefined),
    ...pick('moreOptions', more === 0 ? undefined : more),
    ...pick('range', least === undefined && most === undefined ? undefined : span(least, most)),
    ...pick('length', counted(value['minLength'], value['maxLength'])),
    ...pick(
      'items',
      counted(value['minItems'], value['maxItems']) ?? counted(value['minProperties'], value['maxProperties']),
    ),
    ...pick('pattern', typeof value['pattern'] === 'string' ? value['pattern'].slice(0, longestValue) : undefined),
    ...pick('multipleOf', typeof value['multipleOf'] === 'number' ? String(value['multipleOf']) : undefined),
    ...pick('constant', value['const'] === undefined ? undefined : literal(value['const'])),
    ...pick('unique', value['uniqueItems'] === true || undefined),
    ...pick('readOnly', value['readOnly'] === true || undefined),
    ...pick('writeOnly', value['writeOnly'] === true || undefined),
    ...pick('fallback', value['default'] === undefined ? undefined : literal(value['default'])),
    ...pick('examples', examples.length === 0 ? undefined : examples.slice(0, maxExamples).map(literal)),
  }
}

interface Option {
  readonly value: Json
  readonly name: string
}

/** Values of which one is meant, without `null`: of `enum`, or of variants that are such values. */
function optionsOf(
  value: JsonObject,
  definitions: Definitions,
  depth = 0,
): { readonly all: readonly Option[]; readonly more: number } {
  if (isArray(value['enum']) && value['enum'].length > 0) {
    const names = value['x-enum-varnames'] ?? value['x-enumNames']
    const nameAt = (index: number): string => (isArray(names) && textOf(names[index])) || ''
    const listed = value['enum'].slice(0, maxOptions).map((each, index) => ({ value: each, name: nameAt(index) }))
    return { all: listed.filter((each) => each.value !== null), more: Math.max(0, value['enum'].length - maxOptions) }
  }
  const variants = variantsOf(value)
  const found = variants.slice(0, maxOptions).flatMap((variant): Option[] => {
    const { value: known } = schemaOf(variant, definitions)
    if (known['const'] !== undefined) return [{ value: known['const'], name: textOf(known['title']) ?? '' }]
    if (isArray(known['enum'])) return known['enum'].map((each) => ({ value: each, name: '' }))
    // Only a few choices have choices.
    return depth < 2 && variants.length <= maxNested ? [...optionsOf(known, definitions, depth + 1).all] : []
  })
  const distinct = new Map(found.filter((each) => each.value !== null).map((each) => [literal(each.value), each]))
  const all = [...distinct.values()].slice(0, maxOptions)
  const left = distinct.size - all.length + Math.max(0, variants.length - maxOptions)
  return { all, more: all.length === 0 ? 0 : left }
}

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

/** Of values that many fields may have, however large they are. */
const literals = new WeakMap<object, string>()

/** A value as code. */
export function literal(value: Json): string {
  const known = typeof value === 'object' && value !== null ? literals.get(value) : undefined
  if (known !== undefined) return known
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const short = text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
  if (typeof value === 'object' && value !== null) literals.set(value, short)
  return short
}

/** Words before and after the type of a field: `x-mint` of its schema, and the values of the keywords that docs.json names. */
export function pillsOf(
  value: JsonObject,
  names: readonly string[],
): { readonly pre?: readonly string[]; readonly post?: readonly string[] } {
  const own = isObject(value['x-mint']) ? value['x-mint'] : {}
  const named = names.flatMap((key) => pill(key, Object.hasOwn(value, key) ? value[key] : undefined))
  const post = [...named, ...pill('', own['post'])]
  const pre = pill('', own['pre'])
  return { ...(post.length > 0 ? { post } : {}), ...(pre.length > 0 ? { pre } : {}) }
}

function pill(key: string, value: Json | undefined): readonly string[] {
  if (value === true) return [key]
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return [String(value)]
  return isArray(value)
    ? value.flatMap((each) => (typeof each === 'string' || typeof each === 'number' ? [String(each)] : []))
    : []
}
