import { isArray, isObject, type JsonObject } from '../../lib/json-reader.ts'
import type { Node } from '../mdx/nodes.ts'
import { credentialOf } from './credentials.ts'
import type { SampleChoice } from './form.ts'
import { chosenLanguages, codeOf, languages, type HarRequest } from './languages.ts'
import { mediaTypes, written, type Examples } from './examples.ts'
import { resolved, schemaOf } from './schema.ts'
import { code } from './tree.ts'
import { textOf } from './values.ts'

const maxWritten = 12

/** Requests in several languages: those that the description has, then those that are made. */
export async function requestSamples(
  part: JsonObject,
  parameters: readonly JsonObject[],
  examples: Examples,
  choice: SampleChoice,
): Promise<readonly Node[]> {
  const operation = isObject(part['operation']) ? part['operation'] : {}
  const own = writtenSamples(operation)
  if (!choice.generate) return own
  const request = requestOf(part, operation, parameters, examples, choice)
  const nodes: Node[] = []
  for (const name of chosenLanguages(choice.languages)) {
    const [title, colours] = languages[name] ?? [name, 'text']
    const snippet = await codeOf(request, name)
    if (snippet !== undefined) nodes.push(code(colours, snippet, title))
  }
  return [...own, ...nodes]
}

/** A request with a body of a media type, in the first of the languages; undefined where none are made. */
export async function requestWith(
  type: string,
  part: JsonObject,
  parameters: readonly JsonObject[],
  examples: Examples,
  choice: SampleChoice,
): Promise<Node | undefined> {
  const [name] = choice.generate ? chosenLanguages(choice.languages) : []
  if (name === undefined) return undefined
  const operation = isObject(part['operation']) ? part['operation'] : {}
  const snippet = await codeOf(requestOf(part, operation, parameters, examples, choice, type), name)
  return snippet === undefined ? undefined : code(languages[name]?.[1] ?? 'text', snippet, type)
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
  const valued = (place: string) =>
    wanted
      .filter((parameter) => parameter['in'] === place)
      .map((parameter) => ({ name: textOf(parameter['name']) ?? '', value: examples.ofParameter(parameter) }))
  const query = valued('query')
  const headers = valued('header')
  const cookies = valued('cookie')
  const schemes = isObject(part['schemes']) ? part['schemes'] : {}
  const [first] = isArray(part['security']) ? part['security'].filter(isObject) : []
  for (const name of Object.keys(first ?? {})) {
    const scheme = resolved(schemes[name], examples.definitions)
    const { place, field, value } = credentialOf(scheme, name)
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
      ? encodeURIComponent(examples.ofParameter(parameter))
      : whole
  })
  const origin = base.startsWith('/') ? `https://api.example.com${base}` : base
  return origin.replace(/\/$/, '') + path
}

function hasExample(parameter: JsonObject): boolean {
  const schema = isObject(parameter['schema']) ? parameter['schema'] : {}
  return [parameter['example'], parameter['examples'], schema['example'], schema['examples'], schema['default']].some(
    (each) => each !== undefined,
  )
}

interface Body {
  readonly mimeType: string
  readonly text?: string
  readonly params?: readonly { readonly name: string; readonly value?: string; readonly fileName?: string }[]
}

function bodyOf(body: JsonObject, examples: Examples, requiredOnly: boolean, wanted?: string): Body | undefined {
  const all = mediaTypes(body)
  const [type, media] = all.find(([name]) => name === wanted) ?? all[0] ?? []
  if (type === undefined || media === undefined) return undefined
  const value = examples.ofMedia(media, { skipReadOnly: true, skipNonRequired: requiredOnly }, type)[0]?.[1]
  if (!/form-data|x-www-form-urlencoded/i.test(type)) return { mimeType: type, text: written(value) }
  const fields = isObject(value) ? Object.entries(value) : []
  const { properties } = schemaOf(media['schema'], examples.definitions).value
  return {
    mimeType: type,
    params: fields.map(([name, each]) => {
      const schema = isObject(properties) ? schemaOf(properties[name], examples.definitions).value : {}
      const isFile = schema['format'] === 'binary' || schema['contentMediaType'] !== undefined
      if (isFile) return { name, fileName: 'file' }
      return { name, value: typeof each === 'string' ? each : JSON.stringify(each) }
    }),
  }
}
