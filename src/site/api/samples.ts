import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Code, Node } from '../mdx/nodes.ts'
import { credentialOf } from './credentials.ts'
import type { SampleChoice } from './form.ts'
import { chosenLanguages, codeOf, languages, type FormParam, type HarRequest } from './languages.ts'
import { mediaTypes, written, type Examples } from './examples.ts'
import { formPairs, headerText, pathText, queryPairs, type Pair, type ParameterStyle } from './parameter-values.ts'
import { isOfBody, isWrittenAsJson, styleOf } from './playground.ts'
import { resolved, schemaOf } from './schema.ts'
import { code } from './tree.ts'
import { pick, textOf } from './values.ts'

const maxWritten = 12
/** Media types of a body of which requests are made, and UTF-16 units of these together. */
const maxTypes = 6
const maxText = 120_000

/** Requests with a body of a media type, in several languages. */
export interface Samples {
  /** Undefined where nothing is sent. */
  readonly type?: string
  readonly blocks: readonly Node[]
}

/** Requests that the description has itself, and those that are made, by what they send: JSON first. */
export async function requestSamples(
  part: JsonObject,
  parameters: readonly JsonObject[],
  examples: Examples,
  choice: SampleChoice,
): Promise<{ readonly own: readonly Node[]; readonly made: readonly Samples[] }> {
  const operation = isObject(part['operation']) ? part['operation'] : {}
  const own = writtenSamples(operation)
  if (!choice.generate) return { own, made: [] }
  const types = mediaTypes(resolved(operation['requestBody'], examples.definitions)).slice(0, maxTypes)
  const made: Samples[] = []
  let left = maxText
  for (const type of types.length === 0 ? [undefined] : types.map(([each]) => each)) {
    const request = requestOf(part, operation, parameters, examples, choice, type)
    const blocks: Code[] = []
    for (const name of chosenLanguages(choice.languages)) {
      const [title, colours] = languages[name] ?? [name, 'text']
      const snippet = await codeOf(request, name)
      if (snippet !== undefined) blocks.push(code(colours, snippet, title))
    }
    left -= blocks.reduce((sum, { value }) => sum + value.length, 0)
    if (blocks.length > 0 && (made.length === 0 || left > 0)) made.push({ ...pick('type', type), blocks })
  }
  return { own, made }
}

function writtenSamples(operation: JsonObject): readonly Node[] {
  const listed = operation['x-codeSamples'] ?? operation['x-code-samples']
  return (isArray(listed) ? listed : []).slice(0, maxWritten).flatMap((each): readonly Node[] => {
    const source = isObject(each) ? textOf(each['source']) : undefined
    if (!isObject(each) || source === undefined) return []
    const language = textOf(each['lang']) ?? 'text'
    return [code(language.toLowerCase(), written(source), textOf(each['label']) ?? language)]
  })
}

function requestOf(
  part: JsonObject,
  operation: JsonObject,
  parameters: readonly JsonObject[],
  examples: Examples,
  { requiredOnly }: SampleChoice,
  type?: string,
): HarRequest {
  const wanted = parameters.filter(
    (parameter) => parameter['required'] === true || (!requiredOnly && hasExample(parameter)),
  )
  const listed = mediaTypes(resolved(operation['requestBody'], examples.definitions))
  const valued = (place: string, pairsOf: (style: ParameterStyle, value: Json) => readonly Pair[]) =>
    wanted
      .filter((parameter) => parameter['in'] === place && !isOfBody(parameter, listed.length > 0))
      .flatMap((parameter) => pairsOf(parameterStyle(parameter), examples.ofParameter(parameter)))
      .map(([name, value]) => ({ name, value }))
  const named = (style: ParameterStyle, value: Json): readonly Pair[] => [[style.name, headerText(style, value)]]
  const query = valued('query', queryPairs)
  const headers = valued('header', named)
  const cookies = valued('cookie', named)
  const schemes = isObject(part['schemes']) ? part['schemes'] : {}
  const [first] = isArray(part['security']) ? part['security'].filter(isObject) : []
  for (const name of Object.keys(first ?? {})) {
    const scheme = resolved(schemes[name], examples.definitions)
    const { kind, place, field, value } = credentialOf(scheme, name)
    if (kind === 'certificate') continue
    if (place === 'query') query.push({ name: field, value })
    else if (place === 'cookie') cookies.push({ name: field, value })
    else if (!headers.some((header) => header.name.toLowerCase() === field.toLowerCase()))
      headers.unshift({ name: field, value })
  }
  const body = bodyOf(resolved(operation['requestBody'], examples.definitions), examples, requiredOnly, type)
  if (body !== undefined) headers.push({ name: 'Content-Type', value: body.mimeType })
  return {
    method: textOf(part['method']) ?? 'GET',
    url: urlOf(part, parameters, examples),
    httpVersion: 'HTTP/1.1',
    queryString: query,
    headers,
    cookies,
    headersSize: -1,
    bodySize: -1,
    ...(body === undefined ? {} : { postData: body }),
  } as HarRequest
}

/** The first server’s address with the path; values for what stands in braces, where there are any. */
function urlOf(part: JsonObject, parameters: readonly JsonObject[], examples: Examples): string {
  const [server] = isArray(part['servers']) ? part['servers'].filter(isObject) : []
  const variables = isObject(server?.['variables']) ? server['variables'] : {}
  const base = (textOf(server?.['url']) ?? 'https://api.example.com').replaceAll(
    /\{([^}]*)\}/g,
    (whole, name: string) => {
      const variable = variables[name]
      return (isObject(variable) ? textOf(variable['default']) : undefined) ?? whole
    },
  )
  const path = (textOf(part['path']) ?? '/').replaceAll(/\{([^}]*)\}/g, (whole, name: string) => {
    const parameter = parameters.find((each) => each['in'] === 'path' && each['name'] === name)
    return parameter !== undefined && hasExample(parameter)
      ? pathText(parameterStyle(parameter), examples.ofParameter(parameter))
      : whole
  })
  const origin = base.startsWith('/') ? `https://api.example.com${base}` : base
  return origin.replace(/\/$/, '') + path
}

function parameterStyle(parameter: JsonObject): ParameterStyle {
  return {
    name: textOf(parameter['name']) ?? '',
    ...styleOf(parameter),
    ...pick('json', isWrittenAsJson(parameter) || undefined),
  }
}

function hasExample(parameter: JsonObject): boolean {
  const media = mediaTypes(parameter)[0]?.[1]
  if (media !== undefined) return hasExample(media)
  const schema = isObject(parameter['schema']) ? parameter['schema'] : {}
  return [parameter['example'], parameter['examples'], schema['example'], schema['examples'], schema['default']].some(
    (each) => each !== undefined,
  )
}

interface Body {
  readonly mimeType: string
  readonly text?: string
  readonly params?: readonly FormParam[]
}

function bodyOf(body: JsonObject, examples: Examples, requiredOnly: boolean, wanted?: string): Body | undefined {
  const all = mediaTypes(body)
  const [type, media] = all.find(([name]) => name === wanted) ?? all[0] ?? []
  if (type === undefined || media === undefined) return undefined
  const value = examples.ofMedia(media, { skipReadOnly: true, skipNonRequired: requiredOnly }, type)[0]?.[1]
  if (!/form-data|x-www-form-urlencoded/i.test(type)) return { mimeType: type, text: written(value) }
  const fields = isObject(value) ? Object.entries(value) : []
  const { properties } = schemaOf(media['schema'], examples.definitions).value
  const { encoding } = media
  return {
    mimeType: type,
    params: fields.flatMap(([name, each]): readonly FormParam[] => {
      const schema = isObject(properties) ? schemaOf(properties[name], examples.definitions).value : {}
      const isFile = schema['format'] === 'binary' || schema['contentMediaType'] !== undefined
      if (isFile) return [{ name, fileName: 'file' }]
      const own = isObject(encoding) ? styleOf(resolved(encoding[name], examples.definitions)) : {}
      return formPairs({ name, ...own }, each).map(([key, text]) => ({ name: key, value: text }))
    }),
  }
}
