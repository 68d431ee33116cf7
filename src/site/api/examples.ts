import { sample } from 'openapi-sampler'
import { isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { isCyclic, resolved, schemaOf, variantsOf, type Definitions } from './schema.ts'
import { textOf } from './values.ts'

/** UTF-16 units of an example, and how far its values nest. */
const longest = 20_000
const maxDepth = 6
const maxProperties = 100
const maxExamples = 12
/** Media types of a body whose examples are shown. */
const maxTypes = 6
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
  ofMedia(media: JsonObject, omitted: Omitted, type = ''): readonly Example[] {
    const given = this.given(media)
    if (given.length > 0) return given
    const value = media['schema'] === undefined ? undefined : this.made(media['schema'], omitted, isXml(type))
    return value === undefined ? [] : [[undefined, value]]
  }

  /** Those that a media type has. */
  given(media: JsonObject): readonly Example[] {
    if (media['example'] !== undefined) return [[undefined, media['example']]]
    const named = Object.entries(isObject(media['examples']) ? media['examples'] : {}).slice(0, maxExamples)
    return named.flatMap(([name, each]): Example[] => {
      const example = resolved(each, this.definitions)
      const value = example['value'] ?? example['dataValue']
      if (value === undefined) return []
      return [[named.length === 1 ? undefined : (textOf(example['summary']) ?? name), value]]
    })
  }

  /** Of a parameter: one that it has, else one that its schema allows. */
  ofParameter(parameter: JsonObject): Json {
    const media = mediaTypes(parameter)[0]?.[1]
    const { example, examples, schema } = { ...media, ...parameter }
    const [first] = Object.values(isObject(examples) ? examples : {})
    const given = example ?? (isObject(first) ? first['value'] : undefined)
    return given ?? this.made(schema, {}) ?? null
  }

  /** A value that a schema allows. @param isWritten as XML */
  made(schema: Json | undefined, omitted: Omitted, isWritten = false): Json | undefined {
    try {
      const whole = this.#unreferenced(schema, [], 0)
      if (!isWritten) return sample(whole, { ...omitted, quiet: true }) as Json | undefined
      const { name = 'root' } = schemaOf(schema, this.definitions)
      const text = sample({ xml: { name }, ...whole } as JsonObject, { ...omitted, quiet: true, format: 'xml' })
      return typeof text === 'string' ? text.trim() : undefined
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

export interface MediaExample {
  readonly title: string
  readonly language: string
  readonly text: string
}

/**
 * Examples of a response or of a body in each of its media types: those that it has, else one that its schema allows, where
 * that says more than one before. @param called of all of them
 */
export function mediaExamples(
  called: string,
  holder: JsonObject,
  examples: Examples,
  omitted: Omitted = { skipWriteOnly: true },
): readonly MediaExample[] {
  const seen = new Set<string>()
  return mediaTypes(holder)
    .slice(0, maxTypes)
    .flatMap(([type, media], index) => {
      const isMade = examples.given(media).length === 0
      // What is neither an object nor a form of it says nothing.
      if (isMade && index > 0 && !/json|xml/i.test(type)) return []
      return examples.ofMedia(media, omitted, type).flatMap(([name, value]) => {
        const example = {
          title: [called, index === 0 ? '' : type, name ?? ''].filter((part) => part !== '').join(' '),
          language: languageOf(type, value),
          text: written(value),
        }
        if (isMade && seen.has(example.text)) return []
        seen.add(example.text)
        return [example]
      })
    })
}

function languageOf(type: string, value: Json): string {
  if (typeof value === 'object') return 'json'
  return isXml(type)
    ? 'xml'
    : /html/i.test(type)
      ? 'html'
      : /json/i.test(type) && typeof value !== 'string'
        ? 'json'
        : 'text'
}

const isXml = (type: string): boolean => /xml/i.test(type)

/** Media types of a body, JSON first. */
export function mediaTypes(body: JsonObject): readonly (readonly [type: string, media: JsonObject])[] {
  const content = Object.entries(isObject(body['content']) ? body['content'] : {}).flatMap(([type, media]) =>
    isObject(media) ? [[type, media] as const] : [],
  )
  const first = content.find(([type]) => /json/i.test(type))
  return first === undefined ? content : [first, ...content.filter((each) => each !== first)]
}

/** A value as a block of code shows it. */
export function written(value: Json | undefined): string {
  const short = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  // What is far too long is not written with all its spaces first: these may be many times as much.
  const isPlain = typeof value !== 'object' || short.length > 4 * longest
  const whole = isPlain ? short : JSON.stringify(value, null, 2)
  return whole.length > longest ? `${whole.slice(0, longest)}\n…` : whole
}
