import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Value } from '../components/component.tsx'
import type { Node } from '../mdx/nodes.ts'
import type { ApiSettings } from './form.ts'
import { component, words } from './tree.ts'
import { factsOf, type Facts } from './facts.ts'
import { type Definitions, isCyclic, nameOf, schemaOf, type Schema, typeText, variantsOf } from './schema.ts'
import { textOf } from './values.ts'

/** Text of a description in Markdown → nodes of it. */
export type Prose = (text: string) => Promise<readonly Node[]>

/** Fields, and choices between them, of a page; what is beyond is named and not shown. */
const maxFields = 1500
/** UTF-16 units of what is said of the fields of a page: many may refer to one that says much. */
const maxText = 400_000
/** Fields in each other. */
const maxDepth = 8
const maxVariants = 40
/** Names of what is not shown that a page tells. */
const maxCut = 20

/** UTF-16 units of what a choice is called. */
const longestTitle = 300

/** What is read and what is written are told apart: `readOnly` fields are no part of a request. */
export type Direction = 'request' | 'response'

/** Where fields stand. */
interface Place {
  readonly direction: Direction
  /** How far they nest. */
  readonly depth: number
  /** What links call it: `body location`. */
  readonly at: string
}

/** Makes fields of schemas, for one page. */
export class FieldWriter {
  readonly #definitions: Definitions
  readonly #prose: Prose
  readonly #settings: Pick<ApiSettings, 'pills' | 'expanded'>
  #left = maxFields
  #textLeft = maxText
  /** Names of what is not shown in full, since the page would be too large; '' for what has none. */
  readonly #cut = new Set<string>()

  /** @param settings `pills`: fields whose value is told beside the type */
  constructor(definitions: Definitions, prose: Prose, settings: Pick<ApiSettings, 'pills' | 'expanded'>) {
    this.#definitions = definitions
    this.#prose = prose
    this.#settings = settings
  }

  /** Notes what does not fit any more. @returns whether there is room for a field */
  hasRoomFor(name: string): boolean {
    const hasRoom = this.#left > 0 && this.#textLeft > 0
    if (!hasRoom) this.leaveOut(name)
    return hasRoom
  }

  /** Notes what is not shown. @param name '' for what has none */
  leaveOut(name = ''): void {
    if (this.#cut.size < maxCut) this.#cut.add(name)
  }

  /** Says what is not shown; nothing where all is. */
  get leftOut(): readonly Node[] {
    return this.#cut.size === 0 ? [] : [component('Cut', { names: [...this.#cut].filter((name) => name !== '') })]
  }

  /** The first of a list, as many as are shown. */
  firstOf<Item>(list: readonly Item[], most: number): readonly Item[] {
    if (list.length > most) this.leaveOut()
    return list.slice(0, most)
  }

  /** What is said of something, in Markdown, as far as there is room. */
  async prose(text: string | undefined): Promise<readonly Node[]> {
    if (text === undefined) return []
    const isFull = text.length > this.#textLeft
    const shown = isFull ? text.slice(0, Math.max(0, this.#textLeft)) : text
    if (isFull) this.leaveOut()
    this.#textLeft -= shown.length
    return shown === '' ? [] : this.#prose(shown)
  }

  /** The fields of a body or a message: those of an object, else what it is. */
  async body(schema: Json | undefined, direction: Direction): Promise<readonly Node[]> {
    const at = direction === 'request' ? 'body' : 'response'
    return this.#inside(schemaOf(schema, this.#definitions), { direction, depth: 0, at }, true)
  }

  /** One field. @param props what it is called and where it stands */
  async field(
    name: string,
    props: Readonly<Record<string, Value>>,
    schema: Json | undefined,
    about: {
      readonly direction: Direction
      readonly description?: string | undefined
      readonly depth?: number
      readonly via?: readonly string[]
      /** What links call that which it stands in. */
      readonly at?: string
    },
  ): Promise<Node> {
    this.#left--
    const { direction, depth = 0, via = [] } = about
    const at = `${about.at ?? (direction === 'request' ? 'parameter' : 'response')} ${name}`
    const known = schemaOf(schema, this.#definitions, via)
    const { value } = known
    const type = isCyclic(schema, via) ? nameOf(schema.$ref) : typeText(known, this.#definitions)
    const { fallback, examples, ...facts } = factsOf(value, this.#definitions)
    this.#textLeft -= name.length + lengthOf(facts)
    const description = about.description ?? textOf(value['description']) ?? textOf(value['title'])
    const inner = isCyclic(schema, via) ? [] : await this.#inside(known, { direction, depth: depth + 1, at }, false)
    return component(
      direction === 'request' ? 'ParamField' : 'ResponseField',
      {
        ...props,
        ...(direction === 'response' ? { name } : {}),
        anchor: at,
        type,
        deprecated: value['deprecated'] === true ? true : undefined,
        default: fallback,
        ...facts,
        examples,
        ...this.#pills(value),
      },
      ...(await this.prose(description)),
      ...inner,
    )
  }

  /** What a value holds: fields, the choice of one, or nothing. */
  async #inside(schema: Schema, place: Place, isOpen: boolean): Promise<readonly Node[]> {
    const { value } = schema
    if (schema.isCut === true) this.leaveOut(schema.name)
    if (place.depth > maxDepth || this.#left <= 0 || this.#textLeft <= 0) {
      if (isComposite(value, this.#definitions)) this.leaveOut(schema.name)
      return []
    }
    const nodes = [
      ...(await this.#items(schema, place)),
      ...(await this.#properties(schema, place)),
      ...(await this.#choice(schema, place)),
    ]
    if (nodes.length === 0 || isOpen) return nodes
    return [component('Expandable', { defaultOpen: this.#settings.expanded || undefined }, ...nodes)]
  }

  /** A list is what it holds; what stands first, second … in it has fields of its own. */
  async #items({ value, via }: Schema, place: Place): Promise<readonly Node[]> {
    const { items, prefixItems } = value
    const nodes: Node[] = []
    for (const [index, item] of (isArray(prefixItems) ? prefixItems : []).entries()) {
      const name = `[${index}]`
      if (!this.hasRoomFor(name)) break
      nodes.push(await this.field(name, placeOf(name, place), item, { ...place, via }))
    }
    if (items === undefined || isCyclic(items, via)) return nodes
    return [...nodes, ...(await this.#inside(schemaOf(items, this.#definitions, via), place, true))]
  }

  async #properties({ value, via, name: schemaName }: Schema, place: Place): Promise<readonly Node[]> {
    const nodes: Node[] = []
    const required = new Set(isArray(value['required']) ? value['required'] : [])
    const hidden = place.direction === 'request' ? 'readOnly' : 'writeOnly'
    for (const [name, property] of Object.entries(isObject(value['properties']) ? value['properties'] : {})) {
      if (schemaOf(property, this.#definitions, via).value[hidden] === true) continue
      if (!this.hasRoomFor(schemaName ?? '')) break
      const props = { ...placeOf(name, place), required: required.has(name) || undefined }
      nodes.push(await this.field(name, props, property, { ...place, via }))
    }
    const others = value['additionalProperties']
    const patterns = isObject(value['patternProperties']) ? Object.entries(value['patternProperties']) : []
    const named = patterns.map(([pattern, each]) => [`{${pattern}}`, each] as const)
    if (isObject(others) && Object.keys(others).length > 0)
      named.push([`{${textOf(others['x-additionalPropertiesName']) ?? 'key'}}`, others])
    for (const [name, each] of named)
      if (this.hasRoomFor(name)) nodes.push(await this.field(name, placeOf(name, place), each, { ...place, via }))
    return nodes
  }

  /** A tab for each schema of which one holds, unless they are plain values that the type tells. */
  async #choice({ value, via, name }: Schema, place: Place): Promise<readonly Node[]> {
    const all = variantsOf(value)
    const some = all.slice(0, maxVariants).map((each) => schemaOf(each, this.#definitions, via))
    if (some.every((each) => !isComposite(each.value, this.#definitions))) return []
    const variants = this.firstOf(all, maxVariants)
    const chosen = discriminated(value)
    const tabs: Node[] = []
    for (const [index, variant] of variants.entries()) {
      const schema = some[index]
      if (schema === undefined || !this.hasRoomFor(schema.name ?? name ?? '')) continue
      this.#left--
      const reference = isObject(variant) && typeof variant['$ref'] === 'string' ? variant['$ref'] : undefined
      const named = textOf(schema.value['title'])?.slice(0, longestTitle) ?? schema.name
      const title = named ?? typeText(schema, this.#definitions)
      const choosing = reference === undefined ? undefined : chosen.get(reference)
      const description = textOf(schema.value['description'])
      tabs.push(
        component(
          'Tab',
          { title: choosing === undefined ? title : `${title} (${choosing})` },
          ...(await this.prose(description)),
          ...(isCyclic(variant, via) ? [words(schema.name ?? title)] : await this.#inside(schema, place, true)),
        ),
      )
    }
    const [only] = tabs
    return tabs.length === 1 && only?.type === 'component'
      ? only.children
      : [component('Tabs', { sync: false }, ...tabs)]
  }

  #pills(value: JsonObject): Readonly<Record<string, Value>> {
    const own = isObject(value['x-mint']) ? value['x-mint'] : {}
    const named = this.#settings.pills.flatMap((key) => pill(key, Object.hasOwn(value, key) ? value[key] : undefined))
    const post = [...named, ...pill('', own['post'])]
    const pre = pill('', own['pre'])
    return { ...(post.length > 0 ? { post } : {}), ...(pre.length > 0 ? { pre } : {}) }
  }
}

/** Of what is sent it is said where it stands. */
function placeOf(name: string, { direction }: Place): Readonly<Record<string, Value>> {
  return direction === 'request' ? { body: name } : {}
}

function pill(key: string, value: Json | undefined): readonly string[] {
  if (value === true) return [key]
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return [String(value)]
  return isArray(value)
    ? value.flatMap((each) => (typeof each === 'string' || typeof each === 'number' ? [String(each)] : []))
    : []
}

/** UTF-16 units of what a value keeps to, and of what each of its options takes on a page. */
function lengthOf({ options = [], pattern = '' }: Partial<Facts>): number {
  return options.reduce((sum, option) => sum + option.length + 20, pattern.length)
}

/** Values of the property that tells the variants of a choice apart, by the reference that they stand for. */
function discriminated(value: JsonObject): ReadonlyMap<string, string> {
  const discriminator = isObject(value['discriminator']) ? value['discriminator'] : {}
  const name = textOf(discriminator['propertyName'])
  const mapping = isObject(discriminator['mapping']) ? discriminator['mapping'] : {}
  return new Map(
    Object.entries(mapping).flatMap(([word, reference]) =>
      typeof reference === 'string' && name !== undefined
        ? [[reference, `${name}: ${word}`.slice(0, longestTitle)] as const]
        : [],
    ),
  )
}

/** Whether there is more to show of a value than its type and what it keeps to. */
function isComposite(value: JsonObject, definitions: Definitions, depth = 0): boolean {
  const { properties, patternProperties, additionalProperties, items, prefixItems } = value
  if ([properties, patternProperties, additionalProperties].some(isObject)) return true
  if (isArray(prefixItems) || variantsOf(value).length > 0) return true
  // A list is what it holds.
  return depth < maxDepth && isObject(items) && isComposite(schemaOf(items, definitions).value, definitions, depth + 1)
}
