import type { HarRequest } from '../../api/languages.ts'
import type { FormCredential, FormParameter } from '../../api/request-form.ts'
import { isRecord, type Held } from './controls.ts'

/** What was filled in. */
export interface Filled {
  readonly method: string
  /** Of the server, its variables put in. */
  readonly base: string
  readonly path: string
  readonly parameters: readonly { readonly parameter: FormParameter; readonly value: Held | undefined }[]
  readonly credentials: readonly { readonly credential: FormCredential; readonly value: string }[]
  readonly body?: { readonly type: string; readonly value: Held | undefined; readonly text: string }
}

/** A request as `fetch` takes it. */
export interface Sent {
  readonly url: string
  readonly headers: readonly Pair[]
  readonly body?: string | FormData | URLSearchParams | File
}

type Pair = readonly [name: string, value: string]

const isMultipart = (type: string): boolean => /^multipart\//i.test(type)
const isUrlEncoded = (type: string): boolean => /^application\/x-www-form-urlencoded/i.test(type)

/** Whether a body is a form, and not a text. */
export function isForm(type: string): boolean {
  return isMultipart(type) || isUrlEncoded(type)
}

export function requestOf(filled: Filled): Sent {
  const { headers, url } = partsOf(filled, (value) => value)
  const { body } = filled
  if (body === undefined || /^(?:get|head)$/i.test(filled.method)) return { url, headers }
  // The browser names the boundary itself.
  if (isMultipart(body.type)) return { url, headers, body: multipart(body.value) }
  const typed: readonly Pair[] = [...headers, ['Content-Type', body.type]]
  if (isUrlEncoded(body.type))
    return {
      url,
      headers: typed,
      body: new URLSearchParams(fieldsOf(body.value).map(([name, value]) => [name, textOf(value)])),
    }
  if (body.value instanceof File) return { url, headers: typed, body: body.value }
  return body.text === '' ? { url, headers } : { url, headers: typed, body: body.text }
}

/** The same for samples. @param isRevealed keys are shown as they are */
export function harOf(filled: Filled, isRevealed: boolean): HarRequest {
  const { headers, queries, cookies, address } = partsOf(filled, (value, credential) =>
    isRevealed && value !== '' ? value : placeholderOf(credential),
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

function postDataOf({ type, value, text }: NonNullable<Filled['body']>) {
  if (!isForm(type)) return { mimeType: type, text: value instanceof File ? `<${value.name}>` : text }
  const params = fieldsOf(value).map(([name, each]) =>
    each instanceof File ? { name, fileName: each.name } : { name, value: textOf(each) },
  )
  return { mimeType: type, params }
}

function partsOf(filled: Filled, shown: (value: string, credential: FormCredential) => string) {
  const headers: Pair[] = []
  const queries: Pair[] = []
  const cookies: Pair[] = []
  let { path } = filled
  const known = filled.credentials.flatMap(({ credential, value }) => {
    const text = shown(value, credential)
    return text === '' ? [] : [{ credential, text }]
  })
  for (const { credential, text } of known) {
    const pair: Pair = [credential.field, credentialText(credential, text)]
    if (credential.place === 'query') queries.push(pair)
    else if (credential.place === 'cookie') cookies.push(pair)
    else headers.push(pair)
  }
  for (const { parameter, value } of filled.parameters) {
    if (value === undefined) continue
    const { name, place } = parameter
    if (place === 'path')
      path = path.replaceAll(`{${name}}`, () => plain(value).split(',').map(encodeURIComponent).join(','))
    else if (place === 'query') queries.push(...queryPairs(parameter, value))
    else if (place === 'header') headers.push([name, plain(value)])
    else cookies.push([name, plain(value)])
  }
  const address = filled.base.replace(/\/$/, '') + path
  const search = new URLSearchParams(queries.map(([name, value]) => [name, value])).toString()
  const url = search === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${search}`
  return { headers, queries, cookies, address, url }
}

function credentialText({ kind }: FormCredential, value: string): string {
  if (kind === 'key') return value
  if (kind === 'bearer') return /^bearer /i.test(value) ? value : `Bearer ${value}`
  return value.startsWith('<') ? `Basic ${value}` : `Basic ${base64(value)}`
}

/** `btoa` takes no letters beyond Latin-1. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

function placeholderOf({ kind, name }: FormCredential): string {
  return kind === 'key' ? `<${name}>` : kind === 'basic' ? '<user:password in base64>' : '<token>'
}

/** OpenAPI’s `form` with `explode`, unless the parameter says otherwise. */
function queryPairs({ name, style = 'form', explode = style === 'form' }: FormParameter, value: Held): readonly Pair[] {
  if (Array.isArray(value)) {
    const texts = (value as readonly Held[]).map(textOf)
    if (explode) return texts.map((text) => [name, text])
    return [[name, texts.join(style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ',')]]
  }
  if (!isRecord(value)) return [[name, textOf(value)]]
  const entries = Object.entries(value)
  if (style === 'deepObject') return entries.map(([key, each]) => [`${name}[${key}]`, textOf(each)])
  if (explode) return entries.map(([key, each]) => [key, textOf(each)])
  return [[name, entries.flatMap(([key, each]) => [key, textOf(each)]).join(',')]]
}

function plain(value: Held): string {
  if (Array.isArray(value)) return (value as readonly Held[]).map(textOf).join(',')
  return isRecord(value)
    ? Object.entries(value)
        .flatMap(([key, each]) => [key, textOf(each)])
        .join(',')
    : textOf(value)
}

function textOf(value: Held): string {
  if (value === null) return ''
  if (value instanceof File) return value.name
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Lists as several fields of one name, as forms have them. */
function fieldsOf(value: Held | undefined): readonly (readonly [string, Held])[] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, each]) =>
    Array.isArray(each) ? (each as readonly Held[]).map((one): [string, Held] => [name, one]) : [[name, each] as const],
  )
}

function multipart(value: Held | undefined): FormData {
  const data = new FormData()
  for (const [name, each] of fieldsOf(value)) data.append(name, each instanceof File ? each : textOf(each))
  return data
}
