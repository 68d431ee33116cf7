import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { parseUrl } from '../../lib/parse-url.ts'
import type { Node } from '../mdx/nodes.ts'
import { type Direction, FieldWriter, type Prose } from './fields.ts'
import { Examples, mediaExamples, mediaTypes } from './examples.ts'
import { literal } from './facts.ts'
import type { ApiSettings } from './form.ts'
import { requestFormOf } from './playground.ts'
import { requestSamples } from './samples.ts'
import { securityNodes } from './security.ts'
import { resolved, schemaOf, typesOf, typeText, type Definitions } from './schema.ts'
import { code, codes, component, element, isLong, rooms, section, words } from './tree.ts'
import { textOf } from './values.ts'

const maxCallbacks = 20
const maxResponses = 100
/** Media types of a body. */
const maxTypes = 20
/** Media types of a body that have examples. */
const maxExampleTypes = 6
/** UTF-16 units of examples together, beside those of requests. */
const maxExampleText = 200_000

/** What a part of a description is for a page: see `describe.ts`. */
export class OperationPage {
  readonly #part: JsonObject
  readonly #definitions: Definitions
  readonly #examples: Examples
  readonly #settings: ApiSettings
  readonly #fields: FieldWriter
  #exampleText = maxExampleText

  constructor(part: JsonObject, definitions: Definitions, prose: Prose, settings: ApiSettings) {
    this.#part = { ...part, servers: withHosts(part['servers'], settings.servers) }
    this.#definitions = definitions
    this.#examples = new Examples(definitions)
    this.#settings = settings
    this.#fields = new FieldWriter(definitions, prose, settings)
  }

  /** What stands on the page, in order. */
  async nodes(): Promise<readonly Node[]> {
    const operation = this.#object(this.#part['operation'])
    const isWebhook = this.#part['kind'] === 'webhook'
    const direction: Direction = isWebhook ? 'response' : 'request'
    const description = textOf(operation['description'])
    const parameters = this.#parameters(operation)
    if (this.#part['isCut'] === true) this.#fields.leaveOut()
    const nodes = [
      this.#head(parameters, operation),
      ...(await this.#fields.prose(description)),
      ...(isWebhook ? this.#payloadAside(operation) : await this.#samples(parameters)),
      ...this.#responsesAside(operation),
      ...(isWebhook ? [] : await securityNodes(this.#part, this.#definitions, this.#fields)),
      ...(await this.#parameterSections(parameters)),
      ...(await this.#body(operation, direction)),
      ...(await this.#responses(operation, isWebhook)),
      ...(await this.#callbacks(operation)),
    ]
    return [...nodes, ...(await this.#fields.rest())]
  }

  /** What such a page begins with, where its author has described the rest: method and address, and requests. */
  async lead(): Promise<readonly Node[]> {
    const operation = this.#object(this.#part['operation'])
    const parameters = this.#parameters(operation)
    return [this.#head(parameters, operation), ...(await this.#samples(parameters))]
  }

  /** Beside the text, a list of languages; of several media types, one for each. */
  async #samples(parameters: readonly JsonObject[]): Promise<readonly Node[]> {
    const { own, made } = await requestSamples(this.#part, parameters, this.#examples, this.#settings)
    const [first, ...others] = made
    const blocks = [...own, ...(first?.blocks ?? [])]
    if (blocks.length === 0) return []
    const choice = { dropdown: true, alike: true }
    if (others.length === 0 || first === undefined) return [component('RequestExample', choice, ...blocks)]
    const tabs = [{ ...first, blocks }, ...others].map(({ type, blocks: of }) =>
      component('Tab', { title: type }, component('CodeGroup', choice, ...of)),
    )
    return [component('RequestExample', {}, component('Tabs', { dropdown: true }, ...tabs))]
  }

  /** What a webhook sends, beside the text. */
  #payloadAside(operation: JsonObject): readonly Node[] {
    const body = this.#object(operation['requestBody'])
    const blocks = mediaExamples('Payload', body, this.#examples).map(({ title, language, text }) =>
      code(language, text, title),
    )
    return blocks.length === 0 ? [] : [codes('RequestExample', {}, blocks, rooms.aside)]
  }

  /** Examples of a body that no request beside the text is made of. */
  #bodyExamples(body: JsonObject): readonly Node[] {
    const nodes: Node[] = []
    for (const [index, [type, media]] of mediaTypes(body).slice(0, maxExampleTypes).entries()) {
      const given = mediaExamples(index === 0 ? '' : type, { content: { [type]: media } }, this.#examples, {
        skipReadOnly: true,
      })
      const hasRequest = this.#settings.generate
      const isSaid = given.length < 2 && (index === 0 || (hasRequest && !/form/i.test(type)))
      const isGiven = this.#examples.given(media).length > 0
      if (!isSaid && (isGiven || !hasRequest))
        nodes.push(...given.map(({ title, language, text }) => code(language, text, title)))
    }
    for (const node of nodes) this.#exampleText -= node.type === 'code' ? node.value.length : 0
    if (this.#exampleText < 0) this.#fields.leaveOut()
    if (nodes.length === 0 || this.#exampleText < 0) return []
    return [codes('CodeGroup', {}, nodes, rooms.text)]
  }

  #head(parameters: readonly JsonObject[], operation: JsonObject): Node {
    const servers = isArray(this.#part['servers']) ? this.#part['servers'] : []
    const urls = servers.flatMap((server) => (isObject(server) ? (textOf(server['url']) ?? []) : []))
    const isWebhook = this.#part['kind'] === 'webhook'
    const body = this.#object(operation['requestBody'] ?? this.#bodyParameter(operation))
    const form =
      isWebhook || this.#settings.playground !== 'interactive'
        ? undefined
        : requestFormOf(this.#part, parameters, body, new Examples(this.#definitions), this.#settings)
    return component('Endpoint', {
      method: isWebhook ? 'WEBHOOK' : textOf(this.#part['method']),
      path: textOf(this.#part['path']),
      servers: isWebhook ? [] : urls,
      full: this.#settings.fullUrl || undefined,
      request: form?.json,
      origins: form?.origins,
    })
  }

  /** Those of the path before those of the operation, which count where both have one. */
  #parameters(operation: JsonObject): readonly JsonObject[] {
    const byName = new Map<string, JsonObject>()
    for (const list of [this.#part['parameters'], operation['parameters']])
      for (const each of isArray(list) ? list : []) {
        const parameter = this.#object(each)
        const [name, place] = [textOf(parameter['name']), textOf(parameter['in'])]
        if (name !== undefined && place !== undefined) byName.set(`${place} ${name}`, parameter)
      }
    return [...byName.values()]
  }

  async #parameterSections(parameters: readonly JsonObject[]): Promise<readonly Node[]> {
    const nodes: Node[] = []
    for (const [place, title, word] of parameterSections) {
      const own = parameters.filter((parameter) => parameter['in'] === place)
      if (own.length === 0) continue
      nodes.push(section(title, word))
      for (const parameter of own) {
        const name = textOf(parameter['name']) ?? ''
        if (!this.#fields.hasRoomFor(name)) break
        const [media] = Object.values(this.#object(parameter['content']))
        const schema = parameter['schema'] ?? this.#object(media)['schema'] ?? parameter
        const example =
          parameter['example'] ?? this.#object(Object.values(this.#object(parameter['examples']))[0])['value']
        nodes.push(
          await this.#fields.field(
            name,
            {
              [place]: name,
              required: parameter['required'] === true || undefined,
              deprecated: parameter['deprecated'] === true || undefined,
              placeholder: example === undefined ? undefined : literal(example),
            },
            schema,
            { direction: 'request', description: textOf(parameter['description']) },
          ),
        )
      }
    }
    return nodes
  }

  async #body(operation: JsonObject, direction: Direction, level = 2): Promise<readonly Node[]> {
    const body = this.#object(operation['requestBody'] ?? this.#bodyParameter(operation))
    const content = Object.entries(this.#object(body['content']))
    if (content.length === 0) return []
    const description = textOf(body['description'])
    return [
      direction === 'request' ? section('Body', 'body', level) : section('Payload', 'payload', level),
      ...(await this.#fields.prose(description)),
      ...(await this.#content(content, direction)),
      ...(direction === 'request' ? this.#bodyExamples(body) : []),
    ]
  }

  /** Swagger’s bodies that several operations share are among the parameters. */
  #bodyParameter(operation: JsonObject): Json | undefined {
    const list = isArray(operation['parameters']) ? operation['parameters'] : []
    return list.find((each) => this.#object(each)['content'] !== undefined && this.#object(each)['in'] === undefined)
  }

  /** What is sent, by media type: tabs where there are several. */
  async #content(content: readonly (readonly [string, Json])[], direction: Direction): Promise<readonly Node[]> {
    const bodies: (readonly [string, readonly Node[]])[] = []
    for (const [type, media] of this.#fields.firstOf(content, maxTypes)) {
      if (!this.#fields.hasRoomFor(type)) break
      const schema = this.#object(media)['schema']
      const fields = await this.#fields.body(schema, direction)
      const known = schemaOf(schema, this.#definitions)
      const props = direction === 'request' ? { body: type } : {}
      const nodes =
        fields.length > 0
          ? [...(await this.#fields.prose(textOf(known.value['description']))), ...fields]
          : schema === undefined
            ? []
            : [await this.#fields.field(type, props, schema, { direction })]
      const isList = fields.length > 0 && typesOf(known.value).includes('array')
      const what = isList ? [element('p', element('code', words(typeText(known, this.#definitions))))] : []
      bodies.push([type, [...what, ...nodes]])
    }
    const [only] = bodies
    if (only === undefined) return []
    if (bodies.length === 1) return [element('p', element('code', words(only[0]))), ...only[1]]
    const dropdown =
      isLong(
        bodies.map(([type]) => type),
        rooms.text,
      ) || undefined
    return [
      component(
        'Tabs',
        // What is sent is chosen together with its samples.
        { sync: direction === 'request' ? undefined : false, dropdown },
        ...bodies.map(([type, nodes]) => component('Tab', { title: type }, ...nodes)),
      ),
    ]
  }

  async #responses(operation: JsonObject, isWebhook: boolean, level = 2): Promise<readonly Node[]> {
    const responses = Object.entries(this.#object(operation['responses']))
    if (responses.length === 0) return []
    const tabs: Node[] = []
    for (const [status, value] of this.#fields.firstOf(responses, maxResponses)) {
      const response = this.#object(value)
      const description = textOf(response['description'])
      const headers = Object.entries(this.#object(response['headers']))
      const nodes: Node[] = [...(await this.#fields.prose(description))]
      for (const [name, header] of headers) {
        if (!this.#fields.hasRoomFor(name)) break
        const known = this.#object(header)
        nodes.push(
          await this.#fields.field(
            name,
            { pre: ['header'], required: known['required'] === true || undefined },
            known['schema'] ?? known,
            {
              direction: 'response',
              description: textOf(known['description']),
            },
          ),
        )
      }
      nodes.push(
        ...(
          await this.#content(Object.entries(this.#object(response['content'])), isWebhook ? 'request' : 'response')
        ).filter(isSomething),
      )
      tabs.push(component('Tab', { title: status }, ...nodes))
    }
    return [
      isWebhook ? section('Answer', 'answer', level) : section('Response', 'response', level),
      component('Tabs', { sync: false }, ...tabs),
    ]
  }

  /** Examples of what comes back, beside the text. */
  #responsesAside(operation: JsonObject): readonly Node[] {
    const responses = Object.entries(this.#object(operation['responses'])).slice(0, maxResponses)
    const blocks: Node[] = []
    for (const [status, value] of responses) {
      if (this.#exampleText <= 0) this.#fields.leaveOut()
      if (this.#exampleText <= 0) break
      for (const { title, language, text } of mediaExamples(status, this.#object(value), this.#examples)) {
        this.#exampleText -= text.length
        if (this.#exampleText > 0) blocks.push(code(language, text, title))
      }
    }
    return blocks.length === 0 ? [] : [codes('ResponseExample', {}, blocks, rooms.aside)]
  }

  async #callbacks(operation: JsonObject): Promise<readonly Node[]> {
    const nodes: Node[] = []
    for (const [name, value] of this.#fields.firstOf(
      Object.entries(this.#object(operation['callbacks'])),
      maxCallbacks,
    ))
      for (const [path, item] of Object.entries(this.#object(value)))
        for (const method of ['post', 'put', 'get', 'patch', 'delete'] as const) {
          const callback = this.#object(this.#object(item)[method])
          if (Object.keys(callback).length === 0 || !this.#fields.hasRoomFor(name)) continue
          const description = textOf(callback['description']) ?? textOf(callback['summary'])
          nodes.push(
            component(
              'Accordion',
              { title: `${name}: ${method.toUpperCase()} ${path}` },
              ...(await this.#fields.prose(description)),
              ...(await this.#body(callback, 'response', 3)),
              ...(await this.#responses(callback, true, 3)),
            ),
          )
        }
    return nodes.length === 0 ? [] : [section('Callbacks', 'callbacks'), ...nodes]
  }

  /** An object, or what a reference to one leads to. */
  #object(value: Json | undefined): JsonObject {
    return resolved(value, this.#definitions)
  }
}

/** A server that is a path alone is below the first one that docs.json names. */
function withHosts(listed: Json | undefined, [first]: readonly string[] = []): Json {
  const home = first === undefined ? undefined : parseUrl(first)
  return (isArray(listed) ? listed : []).map((server) => {
    const url = isObject(server) ? textOf(server['url']) : undefined
    const isPath = isObject(server) && url?.startsWith('/') === true && !url.startsWith('//')
    return isPath && home !== undefined ? { ...server, url: home.origin + url } : server
  })
}

const isSomething = (node: Node): boolean => node.type !== 'text' || node.value.trim() !== ''

const parameterSections = [
  ['header', 'Headers', 'headers'],
  ['path', 'Path parameters', 'pathParameters'],
  ['query', 'Query parameters', 'queryParameters'],
  ['cookie', 'Cookies', 'cookies'],
] as const
