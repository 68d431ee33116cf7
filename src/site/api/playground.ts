import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { serverFamily, serverOrigin } from '../servers.ts'
import { credentialOf, flowsOf, scopesOf } from './credentials.ts'
import type { Examples } from './examples.ts'
import { mediaTypes, written } from './examples.ts'
import { chosenLanguages } from './languages.ts'
import type {
  FormBody,
  FormCredential,
  FormField,
  FormFlow,
  FormParameter,
  FormServer,
  RequestForm,
} from './request-form.ts'
import { literal } from './facts.ts'
import { isCyclic, resolved, schemaOf, typesOf, variantsOf } from './schema.ts'
import { pick, textOf } from './values.ts'

const maxServers = 10
/** Ways to say who asks: as many as the page tells. */
const maxWays = 20
const maxBodies = 6
const maxParameters = 100
const maxFields = 200
const maxDepth = 3
const maxOptions = 100
const maxCombinations = 20
/** UTF-16 units of what is said of a field, and of the whole form. */
const longestAbout = 160
const longestForm = 60_000

/** What docs.json says of forms. */
export interface FormChoice {
  readonly languages?: readonly string[]
  readonly generate: boolean
  readonly prefill: boolean
  readonly credentials: boolean
}

/** A form for requests to an operation, with the origins that it may ask; undefined where there is no server to ask. */
export function requestFormOf(
  part: JsonObject,
  parameters: readonly JsonObject[],
  body: JsonObject,
  examples: Examples,
  choice: FormChoice,
): { readonly json: string; readonly origins: readonly string[] } | undefined {
  const servers = serversOf(part['servers'])
  const origins = [...new Set(servers.flatMap(originsOf))]
  if (origins.length === 0) return undefined
  const writer = new FormWriter(examples, choice)
  const bodies = mediaTypes(body).slice(0, maxBodies)
  const form: RequestForm = {
    method: textOf(part['method']) ?? 'GET',
    path: textOf(part['path']) ?? '/',
    servers,
    security: securityOf(part, examples),
    parameters: parameters
      .filter((parameter) => !isOfBody(parameter, bodies.length > 0))
      .slice(0, maxParameters)
      .flatMap((parameter) => writer.parameter(parameter)),
    bodies: bodies.map(([type, media]) => writer.body(type, media, body['required'] === true)),
    languages: choice.generate ? chosenLanguages(choice.languages) : [],
    ...(choice.credentials ? { credentials: true } : {}),
  }
  const whole = JSON.stringify(form)
  if (whole.length <= longestForm) return { json: whole, origins }
  const plain = form.bodies.map(({ type, required, text }) => ({
    type,
    ...pick('required', required),
    ...pick('text', text !== undefined && text.length > longestForm / 4 ? undefined : text),
  }))
  const short = JSON.stringify({ ...form, bodies: plain })
  return short.length <= longestForm ? { json: short, origins } : undefined
}

/** The chosen body says what its type is. */
export function isOfBody(parameter: JsonObject, hasBody: boolean): boolean {
  return hasBody && parameter['in'] === 'header' && /^content-type$/i.test(textOf(parameter['name']) ?? '')
}

function serversOf(listed: Json | undefined): readonly FormServer[] {
  return (isArray(listed) ? listed : []).slice(0, maxServers).flatMap((server): FormServer[] => {
    const url = isObject(server) ? textOf(server['url']) : undefined
    if (!isObject(server) || url === undefined) return []
    const known = isObject(server['variables']) ? server['variables'] : {}
    const names = [...url.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '')
    const variables = [...new Set(names)].map((name): FormField => {
      const variable = isObject(known[name]) ? known[name] : {}
      return {
        name,
        type: 'string',
        required: true,
        ...pick('options', optionsOf(variable['enum'])),
        value: variable['default'] === undefined ? '' : literal(variable['default']),
        ...pick('about', aboutOf(variable)),
      }
    })
    const about = aboutOf(server)
    const made = { url, variables, ...pick('about', about) }
    return originsOf(made).length === 0 ? [] : [made]
  })
}

/**
 * Origins that a server may have: of each choice of the variables that stand in its host, and all below a name where
 * readers write what stands before it.
 */
function originsOf({ url, variables }: FormServer): readonly string[] {
  let addresses = [url]
  for (const { name, options } of variables) if (options !== undefined) addresses = chosen(addresses, name, options)
  const families = addresses.flatMap((address) => serverFamily(address) ?? [])
  for (const { name, options, value } of variables)
    if (options === undefined && value !== undefined) addresses = chosen(addresses, name, [value])
  return [...new Set([...addresses.flatMap((address) => serverOrigin(address) ?? []), ...families])]
}

function chosen(addresses: readonly string[], name: string, values: readonly string[]): string[] {
  return addresses
    .flatMap((address) => values.map((each) => address.replaceAll(`{${name}}`, () => each)))
    .slice(0, maxCombinations)
}

function securityOf(part: JsonObject, examples: Examples): readonly (readonly FormCredential[])[] {
  const schemes = resolved(part['schemes'], examples.definitions)
  const listed = isArray(part['security']) ? part['security'].filter(isObject) : []
  return listed.slice(0, maxWays).map((required) =>
    Object.entries(required).map(([name, asked]): FormCredential => {
      const scheme = resolved(schemes[name], examples.definitions)
      const { kind, place, field, value } = credentialOf(scheme, name)
      const flows = flowsOf(scheme)
      const scopes = scopesOf(asked)
      return {
        name,
        kind,
        place,
        field,
        sample: value,
        ...pick('flows', flows.length === 0 ? undefined : flows.map((flow) => shortened(flow, scopes))),
        ...pick('scopes', scopes.length === 0 ? undefined : scopes),
      }
    }),
  )
}

/** The page says what all scopes are: the form tells those that the operation asks for. */
function shortened(flow: FormFlow, scopes: readonly string[]): FormFlow {
  return { ...flow, scopes: flow.scopes.filter(([scope]) => scopes.includes(scope)) }
}

class FormWriter {
  readonly #examples: Examples
  readonly #choice: FormChoice
  #left = maxFields

  constructor(examples: Examples, choice: FormChoice) {
    this.#examples = examples
    this.#choice = choice
  }

  parameter(parameter: JsonObject): readonly FormParameter[] {
    const [name, place] = [textOf(parameter['name']), textOf(parameter['in'])]
    if (name === undefined) return []
    if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') return []
    const isRequired = parameter['required'] === true || place === 'path'
    const schema = parameter['schema'] ?? mediaTypes(parameter)[0]?.[1]['schema']
    const field = this.#field(name, schema, isRequired, [], 1)
    const given = parameter['example'] ?? firstOf(parameter['examples'])
    const example = given === undefined ? field.example : literal(given)
    return [
      {
        ...field,
        place,
        ...pick('about', aboutOf(parameter) ?? field.about),
        ...pick('example', example),
        ...pick('value', this.#choice.prefill ? (field.value ?? example) : undefined),
        ...pick('json', isWrittenAsJson(parameter) || undefined),
        ...styleOf(parameter),
      },
    ]
  }

  body(type: string, media: JsonObject, isRequired: boolean): FormBody {
    const omitted = { skipReadOnly: true, skipNonRequired: !this.#choice.prefill }
    const [first] = this.#examples.ofMedia(media, omitted, type)
    const schema = schemaOf(media['schema'], this.#examples.definitions)
    const plain = isObject(schema.value['properties']) ? this.#fields(schema.value, schema.via, 1) : undefined
    const encoding = isObject(media['encoding']) ? media['encoding'] : {}
    const fields = plain?.map((field) => ({
      ...field,
      ...styleOf(resolved(encoding[field.name], this.#examples.definitions)),
    }))
    return {
      type,
      ...(isRequired ? { required: true } : {}),
      ...pick('fields', fields),
      ...pick('text', first === undefined ? undefined : written(first[1])),
    }
  }

  #fields(value: JsonObject, via: readonly string[], depth: number): readonly FormField[] | undefined {
    const properties = isObject(value['properties']) ? value['properties'] : {}
    const required = new Set(isArray(value['required']) ? value['required'] : [])
    const fields: FormField[] = []
    const entries = Object.entries(properties)
    if (entries.length > maxFields) return undefined
    for (const [name, property] of entries) {
      if (schemaOf(property, this.#examples.definitions, via).value['readOnly'] === true) continue
      fields.push(this.#field(name, property, required.has(name), via, depth))
    }
    return fields
  }

  #field(
    name: string,
    schema: Json | undefined,
    isRequired: boolean,
    via: readonly string[],
    depth: number,
  ): FormField {
    this.#left--
    const isLoop = isCyclic(schema, via)
    const { value, via: nested } = schemaOf(schema, this.#examples.definitions, via)
    const types = typesOf(value)
    const [type = 'string'] = types
    const example = value['example'] ?? (isArray(value['examples']) ? value['examples'][0] : undefined)
    const about = {
      name,
      ...(isRequired ? { required: true as const } : {}),
      ...pick('example', example === undefined ? undefined : literal(example)),
      ...pick('value', value['default'] === undefined || !this.#choice.prefill ? undefined : literal(value['default'])),
      ...pick('about', aboutOf(value)),
    }
    if (isFile(value)) return { ...about, type: 'file' }
    const variants = variantsOf(value)
    const constants = variants
      .slice(0, maxOptions)
      .map((variant) => schemaOf(variant, this.#examples.definitions, nested).value['const'])
    if (variants.length > 0 && constants.every((each) => each !== undefined))
      return { ...about, type: scalarOf(typeof constants[0]), ...pick('options', optionsOf(constants)) }
    const [only] = variants
    // One of it and nothing.
    if (variants.length === 1 && types.length === 0 && !isLoop && depth <= maxDepth)
      return { ...this.#field(name, only, isRequired, nested, depth + 1), ...about }
    const isFull = this.#left <= 0 && (type === 'array' || type === 'object')
    if (isLoop || isFull || types.length > 1 || variants.length > 0 || depth > maxDepth)
      return { ...about, type: 'json' }
    if (type === 'array') {
      const item = this.#field('', value['items'], false, nested, depth + 1)
      return item.type === 'json' ? { ...about, type: 'json' } : { ...about, type: 'list', item }
    }
    if (type === 'object') {
      const fields = isObject(value['properties']) ? this.#fields(value, nested, depth + 1) : undefined
      return fields === undefined ? { ...about, type: 'json' } : { ...about, type: 'object', fields }
    }
    const options = optionsOf(value['enum'] ?? (value['const'] === undefined ? undefined : [value['const']]))
    return { ...about, type: scalarOf(type), ...pick('options', options) }
  }
}

/** How lists and objects are written. */
export function styleOf(value: JsonObject): { readonly style?: string; readonly explode?: boolean } {
  const { style, explode } = value
  return { ...pick('style', textOf(style)), ...pick('explode', typeof explode === 'boolean' ? explode : undefined) }
}

/** Whether a parameter has a media type instead of a style. */
export function isWrittenAsJson({ content }: JsonObject): boolean {
  return isObject(content) && Object.keys(content).some((type) => /json/i.test(type))
}

function scalarOf(type: string): 'string' | 'integer' | 'number' | 'boolean' {
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'string'
}

function isFile(value: JsonObject): boolean {
  return (
    value['format'] === 'binary' || (value['contentMediaType'] !== undefined && value['contentEncoding'] === undefined)
  )
}

function optionsOf(value: Json | undefined): readonly string[] | undefined {
  const options = isArray(value) ? value.filter((each) => each !== null).slice(0, maxOptions) : []
  return options.length === 0 ? undefined : options.map(literal)
}

function firstOf(value: Json | undefined): Json | undefined {
  const [first] = Object.values(isObject(value) ? value : {})
  return isObject(first) ? first['value'] : undefined
}

/** The beginning of a description, without the signs of Markdown. */
function aboutOf(value: JsonObject): string | undefined {
  const plain = textOf(value['description'])
    ?.slice(0, 4 * longestAbout)
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]|<[^>]*>/g, '')
    .split(/\n\s*\n/, 1)[0]
    ?.replaceAll(/\s+/g, ' ')
    .trim()
  if (plain === undefined || plain === '') return undefined
  return plain.length > longestAbout ? `${plain.slice(0, longestAbout)}…` : plain
}
