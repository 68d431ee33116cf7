import { sample } from 'openapi-sampler'
import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { isCyclic, resolved, schemaOf, variantsOf, type Definitions } from './schema.ts'
import { textOf } from './values.ts'

/** UTF-16 units of an example, and how far its values nest. */
const longest = 20_000
const maxDepth = 6
const maxProperties = 100
const maxExamples = 12
/** Schemas that are looked at for the examples of a page. */
const maxSchemas = 5_000

/** Fields that are left out of an example that is made. */
export interface Omitted {
  readonly skipReadOnly?: boolean
  readonly skipWriteOnly?: boolean
  readonly skipNonRequired?: boolean
}

/** An example with its name, where there are several. */
export type Example = readonly [name: string | undefined, value: Json]

/** Values that descriptions give, and such as their schemas allow, for one page. */
export class Examples {
  readonly definitions: Definitions
  #left = maxSchemas

  constructor(definitions: Definitions) {
    this.definitions = definitions
  }

  /** Those of a media type or of a message: those that it has, else one that its schema allows. */
  ofMedia(media: JsonObject, omitted: Omitted): readonly Example[] {
    if (media['example'] !== undefined) return [[undefined, media['example']]]
    const named = Object.entries(isObject(media['examples']) ? media['examples'] : {}).slice(0, maxExamples)
    const given = named.flatMap(([name, each]): Example[] => {
      const example = resolved(each, this.definitions)
      const value = example['value'] ?? example['dataValue']
      if (value === undefined) return []
      return [[named.length === 1 ? undefined : (textOf(example['summary']) ?? name), value]]
    })
    if (given.length > 0) return given
    const value = media['schema'] === undefined ? undefined : this.made(media['schema'], omitted)
    return value === undefined ? [] : [[undefined, value]]
  }

  /** As it stands in an address or a header. */
  ofParameter(parameter: JsonObject): string {
    const [first] = Object.values(isObject(parameter['examples']) ? parameter['examples'] : {})
    const given = parameter['example'] ?? (isObject(first) ? first['value'] : undefined)
    return plainText(given ?? this.made(parameter['schema'], {}) ?? null)
  }

  /** A value that a schema allows. */
  made(schema: Json | undefined, omitted: Omitted): Json | undefined {
    try {
      return sample(this.#unreferenced(schema, [], 0), { ...omitted, quiet: true }) as Json | undefined
    } catch (error) {
      // A schema that contradicts itself has no example.
      if (error instanceof Error) return undefined
      throw error
    }
  }

  /** A schema without references, as far as an example should nest. */
  #unreferenced(value: Json | undefined, via: readonly string[], depth: number): JsonObject {
    this.#left--
    if (isCyclic(value, via) || depth > maxDepth || this.#left < 0) return {}
    const schema = schemaOf(value, this.definitions, via)
    const inner = (each: Json | undefined): JsonObject => this.#unreferenced(each, schema.via, depth + 1)
    const { properties, items, additionalProperties: others } = schema.value
    const own = Object.fromEntries(
      Object.entries(schema.value).flatMap(([key, each]): [string, Json][] => {
        if (composed.has(key)) return []
        return [[key, most.has(key) && typeof each === 'number' ? Math.min(each, most.get(key) ?? 0) : each]]
      }),
    )
    const [variant] = variantsOf(schema.value)
    const chosen = variant === undefined ? {} : inner(variant)
    const fields = Object.entries(isObject(properties) ? properties : {}).slice(0, maxProperties)
    const all = {
      ...(isObject(chosen['properties']) ? chosen['properties'] : {}),
      ...Object.fromEntries(fields.map(([name, each]) => [name, inner(each)])),
    }
    return {
      ...chosen,
      ...own,
      ...(Object.keys(all).length === 0 ? {} : { type: 'object', properties: all }),
      ...(items === undefined ? {} : { items: inner(items) }),
      ...(isObject(others) && Object.keys(others).length > 0 ? { additionalProperties: inner(others) } : {}),
    }
  }
}

/** Of an example that keeps to what its schema asks for at least. */
const most: ReadonlyMap<string, number> = new Map([
  ['minItems', 3],
  ['minLength', 500],
  ['minProperties', 3],
])

/** Keywords that an example is not made of, or that are put together before. */
const composed = new Set(
  'allOf oneOf anyOf properties items additionalProperties nullable not prefixItems discriminator'.split(' '),
)

function plainText(value: Json): string {
  if (value === null) return ''
  if (isArray(value)) return value.map(plainText).join(',')
  return isObject(value) ? JSON.stringify(value) : String(value)
}

export interface MediaExample {
  readonly title: string
  readonly language: string
  readonly text: string
}

/** Examples of a response or of a body: those that it has, else one that its schema allows. @param called of all of them */
export function mediaExamples(called: string, holder: JsonObject, examples: Examples): readonly MediaExample[] {
  const [type, media] = mediaOf(holder)
  if (type === undefined) return []
  const language = /json/i.test(type) ? 'json' : /xml/i.test(type) ? 'xml' : /html/i.test(type) ? 'html' : 'text'
  return examples.ofMedia(media, { skipWriteOnly: true }).map(([name, value]) => ({
    title: name === undefined ? called : `${called} ${name}`,
    language: typeof value === 'string' && language === 'json' ? 'text' : language,
    text: written(value),
  }))
}

/** The media type that examples are in: JSON, where there is a choice. */
export function mediaOf(
  body: JsonObject,
): readonly [type: string, media: JsonObject] | readonly [undefined, undefined] {
  const content = Object.entries(isObject(body['content']) ? body['content'] : {})
  const [type, media] = content.find(([name]) => /json/i.test(name)) ?? content[0] ?? []
  return type === undefined || !isObject(media) ? [undefined, undefined] : [type, media]
}

/** A value as a block of code shows it. */
export function written(value: Json | undefined): string {
  const short = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  // What is far too long is not written with all its spaces first: these may be many times as much.
  const isPlain = typeof value !== 'object' || short.length > 4 * longest
  const whole = isPlain ? short : JSON.stringify(value, null, 2)
  return whole.length > longest ? `${whole.slice(0, longest)}\n…` : whole
}
