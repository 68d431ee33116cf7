import type { HarRequest } from '../../api/languages.ts'
import type { FormBody, FormCredential, FormParameter } from '../../api/request-form.ts'
import { formPairs, headerText, pathText, queryPairs, valueText, type Pair } from '../../api/parameter-values.ts'
import { isRecord, type Held } from './controls.ts'

/** What was filled in. */
export interface Filled {
  readonly method: string
  /** Of the server, its variables put in. */
  readonly base: string
  readonly path: string
  readonly parameters: readonly { readonly parameter: FormParameter; readonly value: Held | undefined }[]
  readonly credentials: readonly { readonly credential: FormCredential; readonly value: string }[]
  readonly body?: FilledBody
}

export interface FilledBody extends Pick<FormBody, 'type' | 'fields'> {
  readonly value: Held | undefined
  readonly text: string
}

/** A request as `fetch` takes it. */
export interface Sent {
  readonly url: string
  readonly headers: readonly Pair[]
  readonly body?: string | FormData | URLSearchParams | File
}

const isMultipart = (type: string): boolean => /^multipart\//i.test(type)
const isUrlEncoded = (type: string): boolean => /^application\/x-www-form-urlencoded/i.test(type)

/** Whether a body is a form, and not a text. */
export function isForm(type: string): boolean {
  return isMultipart(type) || isUrlEncoded(type)
}

export function requestOf(filled: Filled): Sent {
  const { headers, url } = partsOf(filled, (value, credential) =>
    value === '' ? '' : credentialText(credential, value),
  )
  const { body } = filled
  if (body === undefined || /^(?:get|head)$/i.test(filled.method)) return { url, headers }
  // The browser names the boundary itself.
  if (isMultipart(body.type)) return { url, headers, body: multipart(body) }
  const typed: readonly Pair[] = [...headers, ['Content-Type', body.type]]
  if (isUrlEncoded(body.type))
    return {
      url,
      headers: typed,
      body: new URLSearchParams(fieldsOf(body).map(([name, value]) => [name, valueText(value)])),
    }
  if (body.value instanceof File) return { url, headers: typed, body: body.value }
  return body.text === '' ? { url, headers } : { url, headers: typed, body: body.text }
}

/** The same for samples. @param isRevealed keys are shown as they are */
export function harOf(filled: Filled, isRevealed: boolean): HarRequest {
  const { headers, queries, cookies, address } = partsOf(filled, (value, credential) =>
    isRevealed && value !== '' ? credentialText(credential, value) : credential.sample,
  )
  const { body } = filled
  const named = (pairs: readonly Pair[]) => pairs.map(([name, value]) => ({ name, value }))
  return {
    method: filled.method,
    url: address,
    httpVersion: 'HTTP/1.1',
    queryString: named(queries),
    headers: named(body === undefined ? headers : [...headers, ['Content-Type', body.type]]),
    cookies: named(cookies),
    headersSize: -1,
    bodySize: -1,
    ...(body === undefined ? {} : { postData: postDataOf(body) }),
  } as HarRequest
}

function postDataOf(body: FilledBody) {
  const { type, value, text } = body
  if (!isForm(type)) return { mimeType: type, text: value instanceof File ? `<${value.name}>` : text }
  const params = fieldsOf(body).map(([name, each]) =>
    each instanceof File ? { name, fileName: each.name } : { name, value: valueText(each) },
  )
  return { mimeType: type, params }
}

function partsOf(filled: Filled, shown: (value: string, credential: FormCredential) => string) {
  const headers: Pair[] = []
  const queries: Pair[] = []
  const cookies: Pair[] = []
  let { path } = filled
  const known = filled.credentials.flatMap(({ credential, value }) => {
    const text = credential.kind === 'certificate' ? '' : shown(value, credential)
    return text === '' ? [] : [{ credential, text }]
  })
  for (const { credential, text } of known) {
    const pair: Pair = [credential.field, text]
    if (credential.place === 'query') queries.push(pair)
    else if (credential.place === 'cookie') cookies.push(pair)
    else headers.push(pair)
  }
  let search = queries.map(escaped).join('&')
  for (const { parameter, value } of filled.parameters) {
    if (value === undefined) continue
    const { name, place } = parameter
    if (place === 'path') path = path.replaceAll(`{${name}}`, () => pathText(parameter, value))
    else if (place === 'query') {
      const pairs = queryPairs(parameter, value)
      queries.push(...pairs)
      search = [search, ...pairs.map(escaped)].filter((each) => each !== '').join('&')
    } else if (place === 'cookie') cookies.push([name, headerText(parameter, value)])
    else if (!headers.some(([known_]) => known_.toLowerCase() === name.toLowerCase()))
      headers.push([name, headerText(parameter, value)])
  }
  const address = filled.base.replace(/\/$/, '') + path
  const url = search === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${search}`
  return { headers, queries, cookies, address, url }
}

/** Commas divide what a list or an object holds: they stay. */
function escaped([name, value]: Pair): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%2C', ',')}`
}

function credentialText({ kind }: FormCredential, value: string): string {
  if (kind === 'bearer') return /^bearer /i.test(value) ? value : `Bearer ${value}`
  return kind === 'basic' ? `Basic ${base64(value)}` : value
}

/** `btoa` takes no letters beyond Latin-1. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** Lists as several fields of one name, as forms have them. */
function fieldsOf({ value, fields = [] }: FilledBody): readonly (readonly [string, Held])[] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, each]): readonly (readonly [string, Held])[] => {
    const list = Array.isArray(each) ? (each as readonly Held[]) : [each]
    if (list.some((one) => one instanceof File)) return list.map((one): [string, Held] => [name, one])
    const { style, explode } = fields.find((field) => field.name === name) ?? {}
    return formPairs(
      { name, ...(style === undefined ? {} : { style }), ...(explode === undefined ? {} : { explode }) },
      each,
    )
  })
}

function multipart(body: FilledBody): FormData {
  const data = new FormData()
  for (const [name, each] of fieldsOf(body)) data.append(name, each instanceof File ? each : valueText(each))
  return data
}
