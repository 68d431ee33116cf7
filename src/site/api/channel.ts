import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Node } from '../mdx/nodes.ts'
import { Examples, written } from './examples.ts'
import { type Direction, FieldWriter, type Prose } from './fields.ts'
import type { ApiSettings } from './form.ts'
import { resolved, type Definitions } from './schema.ts'
import { code, codes, component, element, rooms, section, words } from './tree.ts'
import { textOf } from './values.ts'

const maxMessages = 100
const maxExamples = 12
const maxTraits = 20
/** UTF-16 units of the examples of a direction together. */
const maxExampleText = 200_000

/** A message with what its traits add to it. */
interface Message {
  readonly title: string
  readonly value: JsonObject
}

/** The page of a channel of AsyncAPI: see `channels.ts` for the form of its part. */
export class ChannelPage {
  readonly #part: JsonObject
  readonly #definitions: Definitions
  readonly #fields: FieldWriter
  readonly #made: Examples

  constructor(part: JsonObject, definitions: Definitions, prose: Prose, settings: ApiSettings) {
    this.#part = part
    this.#definitions = definitions
    this.#fields = new FieldWriter(definitions, prose, settings)
    this.#made = new Examples(definitions)
  }

  /** What stands on the page, in order. */
  async nodes(): Promise<readonly Node[]> {
    const servers = (isArray(this.#part['servers']) ? this.#part['servers'] : []).filter(isObject)
    const urls = servers.flatMap((server) => textOf(server['url']) ?? [])
    const protocol = /^([a-z][a-z\d+.-]*):/i.exec(urls[0] ?? '')?.[1]?.toUpperCase()
    const sends = this.#messages('sends')
    const receives = this.#messages('receives')
    const nodes = [
      component('Endpoint', {
        method: protocol ?? 'CHANNEL',
        path: textOf(this.#part['address']),
        servers: urls,
      }),
      ...(await this.#said(this.#part)),
      ...this.#examples('RequestExample', ['Send', 'send'], sends),
      ...this.#examples('ResponseExample', ['Receive', 'receive'], receives),
      ...(await this.#parameters()),
      ...(await this.#bindings()),
      ...(await this.#direction('sends', sends, 'request', ['Send', 'send'])),
      ...(await this.#direction('receives', receives, 'response', ['Receive', 'receive'])),
    ]
    return [...nodes, ...(await this.#fields.rest())]
  }

  async #parameters(): Promise<readonly Node[]> {
    const entries = Object.entries(this.#object(this.#part['parameters']))
    if (entries.length === 0) return []
    const nodes: Node[] = []
    for (const [name, value] of entries) {
      const parameter = this.#object(value)
      if (!this.#fields.hasRoomFor(name)) break
      nodes.push(
        await this.#fields.field(
          name,
          { path: name, required: true },
          // Version 3 says of a parameter itself which values it has.
          parameter['schema'] ?? { type: 'string', ...parameter },
          { direction: 'request', description: textOf(parameter['description']) },
        ),
      )
    }
    return [section('Path parameters', 'pathParameters'), ...nodes]
  }

  /** What is sent with the request that opens a WebSocket. */
  async #bindings(): Promise<readonly Node[]> {
    const socket = this.#object(this.#object(this.#part['bindings'])['ws'])
    return [
      ...(await this.#fieldsOf(socket['headers'], 'header', section('Headers', 'headers'))),
      ...(await this.#fieldsOf(socket['query'], 'query', section('Query parameters', 'queryParameters'))),
    ]
  }

  /** The properties of a schema as parameters of their place. */
  async #fieldsOf(schema: Json | undefined, place: 'header' | 'query', heading: Node): Promise<readonly Node[]> {
    const { properties, required } = this.#object(schema)
    const nodes: Node[] = []
    for (const [name, property] of Object.entries(this.#object(properties)))
      nodes.push(
        await this.#fields.field(
          name,
          { [place]: name, required: (isArray(required) && required.includes(name)) || undefined },
          property,
          { direction: 'request' },
        ),
      )
    return nodes.length === 0 ? [] : [heading, ...nodes]
  }

  async #direction(
    key: 'sends' | 'receives',
    messages: readonly Message[],
    direction: Direction,
    [title, word]: readonly [string, string],
  ): Promise<readonly Node[]> {
    if (messages.length === 0) return []
    const about = this.#object(this.#part[key])['about']
    const nodes: Node[] = [section(title, word)]
    for (const each of isArray(about) ? about : []) nodes.push(...(await this.#said(this.#object(each))))
    const bodies: (readonly [string, readonly Node[]])[] = []
    for (const message of messages) bodies.push([message.title, await this.#message(message, direction)])
    const [only] = bodies
    if (bodies.length === 1 && only !== undefined)
      return [...nodes, element('p', element('code', words(only[0]))), ...only[1]]
    return [
      ...nodes,
      component('Tabs', { sync: false }, ...bodies.map(([name, inner]) => component('Tab', { title: name }, ...inner))),
    ]
  }

  async #message({ value }: Message, direction: Direction): Promise<readonly Node[]> {
    const payload = payloadOf(value)
    const type = textOf(value['contentType'])
    const nodes: Node[] = [...(await this.#said(value))]
    if (type !== undefined) nodes.push(element('p', element('code', words(type))))
    for (const [name, property] of Object.entries(this.#object(this.#object(value['headers'])['properties'])))
      nodes.push(
        await this.#fields.field(
          name,
          { pre: ['header'], ...(direction === 'request' ? { body: name } : {}) },
          property,
          { direction },
        ),
      )
    if (payload === undefined) return nodes
    const fields = await this.#fields.body(payload, direction)
    if (fields.length > 0) return [...nodes, ...fields]
    return [
      ...nodes,
      await this.#fields.field('payload', direction === 'request' ? { body: 'payload' } : {}, payload, { direction }),
    ]
  }

  /** What is said of something: its summary, then its description. */
  async #said(about: JsonObject): Promise<readonly Node[]> {
    const [summary, description] = [textOf(about['summary']), textOf(about['description'])]
    return [
      ...(summary === description ? [] : await this.#fields.prose(summary)),
      ...(await this.#fields.prose(description)),
    ]
  }

  /** Examples beside the text: those that messages have, else one that the payload allows. */
  #examples(
    name: 'RequestExample' | 'ResponseExample',
    [called, word]: readonly [string, string],
    messages: readonly Message[],
  ): readonly Node[] {
    let left = maxExampleText
    const block = (text: string, title: string): Node[] => {
      left -= text.length
      if (left < 0) this.#fields.leaveOut()
      return left < 0 ? [] : [code('json', text, title)]
    }
    const blocks = messages.flatMap(({ title, value }) => {
      if (left < 0) return []
      const given = isArray(value['examples'])
        ? value['examples'].slice(0, maxExamples).map((each) => this.#object(each))
        : []
      const named = given.flatMap((each) =>
        each['payload'] === undefined
          ? []
          : block(
              written(each['payload']),
              [...(messages.length > 1 ? [title] : []), textOf(each['name']) ?? textOf(each['summary']) ?? title]
                .filter((part, index, all) => all.indexOf(part) === index)
                .join(': '),
            ),
      )
      if (named.length > 0) return named
      const payload = payloadOf(value)
      const [example] = payload === undefined ? [] : this.#made.ofMedia({ schema: payload }, {})
      return example === undefined ? [] : block(written(example[1]), title)
    })
    return blocks.length === 0 ? [] : [codes(name, { title: called, word }, blocks, rooms.aside)]
  }

  #messages(key: 'sends' | 'receives'): readonly Message[] {
    const listed = this.#object(this.#part[key])['messages']
    return this.#fields.firstOf(isArray(listed) ? listed : [], maxMessages).map((each, index) => {
      const own = this.#object(each)
      const traits = (isArray(own['traits']) ? own['traits'] : [])
        .slice(0, maxTraits)
        .map((trait) => this.#object(trait))
      const value = Object.assign({}, ...traits, own) as JsonObject
      return { title: textOf(value['title']) ?? textOf(value['name']) ?? nameOfMessage(each) ?? `${index + 1}`, value }
    })
  }

  #object(value: Json | undefined): JsonObject {
    return resolved(value, this.#definitions)
  }
}

/** What a message carries, as a schema; version 3 may say in which language it is written. */
function payloadOf(message: JsonObject): Json | undefined {
  const { payload } = message
  return isObject(payload) && payload['schemaFormat'] !== undefined ? payload['schema'] : payload
}

/** `#/components/messages/UserSignedUp` → `UserSignedUp`. */
function nameOfMessage(value: Json): string | undefined {
  const reference = isObject(value) ? textOf(value['$ref']) : undefined
  return reference?.split('/').at(-1)
}
