import { isArray, isObject, type Json } from '../../lib/json-reader.ts'
import type { Value } from '../components/component.tsx'
import type { Component, Node } from '../mdx/nodes.ts'
import type { ApiSettings } from './form.ts'
import { component, element, words } from './tree.ts'
import { factsOf, pillsOf, type Facts } from './facts.ts'
import {
  type Definitions,
  discriminated,
  isComposite,
  isCyclic,
  longestType,
  nameOf,
  namedPart,
  schemaOf,
  type Schema,
  typeText,
  variantsOf,
} from './schema.ts'
import { pick, textOf } from './values.ts'

/** Text of a description in Markdown → nodes of it. */
export type Prose = (text: string) => Promise<readonly Node[]>

/** Fields, and choices between them, of a page; what is beyond is named and not shown. */
const maxFields = 3000
/** Fields of a page that has enough: a schema that it shows already is a link to where it does. */
const enoughFields = 500
/** UTF-16 units of what is said of the fields of a page: many may refer to one that says much. */
const maxText = 400_000
/** Fields in each other. */
const maxDepth = 8
const maxVariants = 100
/** Names of what is not shown that a page tells. */
const maxCut = 20

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

/** What a value holds, written once all that is nearer is there. */
interface Later {
  readonly schema: Schema
  readonly place: Place
  /** Where its fields go. */
  readonly into: Node[]
  /** The field that they are of; what stands in a tab is not folded. */
  readonly field?: Shown
  /** Of the schema that has a name, whose fields they are. */
  readonly key: string | undefined
  /** They stand around it already. */
  readonly isLoop?: boolean
}

/** A component to which links may lead: those are known at last. */
type Shown = Component & { readonly props: Map<string, Value> }

/** Makes fields of schemas, for one page: level by level, so that what has no room is what is deepest. */
export class FieldWriter {
  readonly #definitions: Definitions
  readonly #prose: Prose
  readonly #settings: Pick<ApiSettings, 'pills' | 'expanded'>
  #left = maxFields
  #textLeft = maxText
  /** Names of what is not shown in full, since the page would be too large; '' for what has none. */
  readonly #cut = new Set<string>()
  #later: Later[] = []
  /** Where schemas that have names are shown; undefined for what no link can lead to. */
  readonly #places = new Map<string, Shown | undefined>()
  /** What links to such places call them. */
  readonly #targets = new Set<string>()

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

  /**
   * Writes what stands deeper, when all that stands first is there: each schema that has a name once, then again while
   * the page is short. @returns what says that something is not shown; nothing where all is
   */
  async rest(): Promise<readonly Node[]> {
    const again: Later[] = []
    for (const each of this.#later)
      if (each.isLoop === true || this.#isShown(each)) again.push(each)
      else await this.#write(each)
    this.#later = again
    for (const each of again)
      if (each.isLoop === true || (this.#isShown(each) && !this.#isShort(each))) this.#link(each)
      else await this.#write(each)
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
    const place = { direction, depth: 0, at }
    const nodes = await this.#inside(schemaOf(schema, this.#definitions), place)
    this.#note(keyOf(schema, direction), nodes)
    return nodes
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
    this.#textLeft -= name.length + 2 * at.length + lengthOf({ ...facts, ...pick('examples', examples) })
    const description = about.description ?? textOf(value['description']) ?? textOf(value['title'])
    const children = [...(await this.prose(description))]
    const { props: given } = component('', {
      ...props,
      ...(direction === 'response' ? { name } : {}),
      anchor: at,
      type,
      deprecated: value['deprecated'] === true || props['deprecated'] === true || undefined,
      default: fallback,
      ...facts,
      examples,
      ...pillsOf(value, this.#settings.pills),
    })
    const field: Shown = {
      type: 'component',
      name: direction === 'request' ? 'ParamField' : 'ResponseField',
      props: new Map(given),
      children,
    }
    this.#postpone(schema, { schema: known, place: { direction, depth: depth + 1, at }, into: children, field }, via)
    return field
  }

  /** Keeps what a value holds for later, where it holds something. @param via what leads to it */
  #postpone(value: Json | undefined, later: Omit<Later, 'key' | 'isLoop'>, via: readonly string[]): void {
    const key = keyOf(value, later.place.direction)
    const isLoop = key !== undefined && via.includes(referenceOf(key))
    if (isLoop || later.schema.isCut === true || isComposite(later.schema.value, this.#definitions))
      this.#later.push({ ...later, key, isLoop })
  }

  #isShown({ key }: Later): boolean {
    return key !== undefined && this.#places.has(key)
  }

  /** Whether there is room for what is shown elsewhere. */
  #isShort({ place }: Later): boolean {
    return maxFields - this.#left < enoughFields && this.#textLeft > maxText / 2 && place.depth <= maxDepth
  }

  async #write({ schema, place, into, field, key }: Later): Promise<void> {
    if (place.depth > maxDepth || this.#left <= 0 || this.#textLeft <= 0) {
      this.leaveOut(schema.name)
      into.push(component('Cut', { names: schema.name === undefined ? [] : [schema.name] }))
      return
    }
    const nodes = await this.#inside(schema, place)
    this.#note(key, field === undefined ? nodes : [field])
    if (nodes.length === 0) return
    const { expanded } = this.#settings
    into.push(
      ...(field === undefined ? nodes : [component('Expandable', { defaultOpen: expanded || undefined }, ...nodes)]),
    )
  }

  /** Remembers where the fields of a schema are. */
  #note(key: string | undefined, [first]: readonly Node[]): void {
    if (key !== undefined && !this.#places.has(key)) this.#places.set(key, isTarget(first) ? first : undefined)
  }

  /** Instead of fields, where they are. */
  #link({ key = '', into }: Later): void {
    const name = nameOf(referenceOf(key))
    const shown = this.#places.get(key)
    if (shown !== undefined && !shown.props.has('schema')) {
      const slug = `schema-${name
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
        .slice(0, 150)}`
      let target = slug
      for (let turn = 2; this.#targets.has(target); turn++) target = `${slug}-${turn}`
      this.#targets.add(target)
      shown.props.set('schema', target)
    }
    into.push(component('Elsewhere', { name, schema: shown?.props.get('schema') }))
  }

  /** What a value holds: fields, the choice of one, or nothing. */
  async #inside(schema: Schema, place: Place): Promise<readonly Node[]> {
    if (schema.isCut === true) this.leaveOut(schema.name)
    return [
      ...(await this.#items(schema, place)),
      ...(await this.#properties(schema, place)),
      ...(await this.#choice(schema, place)),
    ]
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
    return [...nodes, ...(await this.#inside(schemaOf(items, this.#definitions, via), place))]
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
      const named = textOf(schema.value['title'])?.slice(0, longestType) ?? schema.name
      const title = named ?? typeText(schema, this.#definitions)
      const choosing = reference === undefined ? undefined : chosen.get(reference)
      const said = await this.prose(textOf(schema.value['description']))
      const inner = [...said]
      this.#postpone(variant, { schema, place, into: inner }, via)
      if (!isComposite(schema.value, this.#definitions))
        inner.push(element('p', element('code', words(typeText(schema, this.#definitions)))))
      const props = new Map([['title', choosing === undefined ? title : `${title} (${choosing})`]])
      tabs.push({ type: 'component', name: 'Tab', props, children: inner })
    }
    if (tabs.length === 0) return []
    const { props } = component('', { sync: false })
    return [{ type: 'component', name: 'Tabs', props: new Map(props), children: tabs }]
  }
}

/** Of what is sent it is said where it stands. */
function placeOf(name: string, { direction }: Place): Readonly<Record<string, Value>> {
  return direction === 'request' ? { body: name } : {}
}

/** UTF-16 units of what a value keeps to, and of what each of its options takes on a page. */
function lengthOf({ options = [], examples = [], pattern = '' }: Partial<Facts>): number {
  return [...options, ...examples].reduce((sum, each) => sum + each.length + 20, pattern.length)
}

/** Of what is sent and of what comes back other fields are shown. */
function keyOf(schema: Json | undefined, direction: Direction): string | undefined {
  const reference = namedPart(schema)
  return reference === undefined ? undefined : `${direction} ${reference}`
}

/** The reference that a key was made of. */
function referenceOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1)
}

/** Whether links may lead to it: a field, or a choice. */
function isTarget(node: Node | undefined): node is Shown {
  return (
    node?.type === 'component' && node.props instanceof Map && /^(?:ParamField|ResponseField|Tabs)$/.test(node.name)
  )
}
