import { upgrade } from '@scalar/openapi-upgrader'
import { isArray, isObject, pointerTo, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { closureHashes } from './closures.ts'
import { channelsOf } from './channels.ts'
import { DescriptionProblem, readDocument } from './document.ts'
import { mostIndex, type Entry } from './form.ts'
import { isAddress } from './names.ts'
import { Parts, type Found, type LoadText, type NewEntry } from './parts.ts'
import { writeIndex } from './stored-index.ts'
import { objectAt, pick, textOf } from './values.ts'

const maxEntries = 10_000
const maxTags = 2000
/** UTF-16 units of what a list of pages says of one. */
const longestTitle = 300
const longestDescription = 300
/** UTF-16 units of a path. */
const longestPath = 2000

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

export interface Described {
  /** As `stored-index.ts` writes it. */
  readonly index: string
  /** What the places of the index mean. */
  readonly text: string
}

/**
 * Takes a description apart, so that a page is made of what it shows, and made again only when that changes.
 * @param path in the project, for references to other files.
 * @throws DescriptionProblem
 */
export async function describe(path: string, text: string, load: LoadText): Promise<Described> {
  const document = upgraded(readDocument(text))
  if (!isObject(document)) throw new DescriptionProblem('is no description of an API: it must be an object.')
  const parts = new Parts(path, document, load)
  const entries = await (isAsync(document) ? channelsOf(document, parts) : operationsOf(document, parts, path))
  schemasOf(document, parts, entries)
  if (entries.length > maxEntries)
    throw new DescriptionProblem(`has ${entries.length} operations and schemas; at most ${maxEntries} are allowed.`)
  await parts.resolve()
  const hashes = closureHashes(
    parts.texts,
    parts.places.map(([, , , references]) => references),
  )
  const index = writeIndex({
    title: (textOf(objectAt(document, 'info')?.['title']) ?? '').slice(0, longestTitle),
    entries: entries.map((entry) => ({ ...entry, hash: hashes[entry.part] ?? '' })),
    tags: tagsOf(document),
    parts: [...parts.places],
    warnings: parts.warnings,
  })
  if (index.length > mostIndex)
    throw new DescriptionProblem(
      `has names and paths of ${(index.length / 1024 / 1024).toFixed(1)} MB; at most ${mostIndex / 1024 / 1024} MB are allowed: split it into several, or shorten them.`,
    )
  return { index, text: parts.text }
}

function isAsync(document: JsonObject): boolean {
  return typeof document['asyncapi'] === 'string'
}

/** Swagger 2 becomes OpenAPI 3.0, which what follows reads as it reads 3.1. */
function upgraded(document: Json): Json {
  if (!isObject(document)) return document
  if (document['swagger'] !== undefined) return fromSwagger(document)
  if (isAsync(document) || (typeof document['openapi'] === 'string' && document['openapi'].startsWith('3.')))
    return document
  throw new DescriptionProblem(
    'is no description of an API: its first lines must say openapi: 3.x, swagger: "2.0" or asyncapi: 3.x.',
  )
}

/** The converter takes for granted that all is what it should be. */
function fromSwagger(document: JsonObject): Json {
  try {
    return upgrade(document, '3.0')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new DescriptionProblem(
      `cannot be read as Swagger 2.0: ${error.message.split('\n', 1)[0]?.slice(0, 200) ?? ''}.`,
    )
  }
}

/** Paths, then webhooks, as the description lists them. */
async function operationsOf(document: JsonObject, parts: Parts, source: string): Promise<NewEntry[]> {
  const entries: NewEntry[] = []
  const kinds = [
    ['operation', objectAt(document, 'paths')],
    ['webhook', objectAt(document, 'webhooks') ?? objectAt(document, 'x-webhooks')],
  ] as const
  for (const [kind, paths] of kinds)
    for (const [path, item] of Object.entries(paths ?? {})) {
      const shared = await parts.follow(item)
      if (path.startsWith('x-') || !isObject(shared.value)) continue
      if ((kind === 'operation' && /\s/.test(path)) || /\p{Cc}/u.test(path) || path.length > longestPath) {
        parts.warn(
          `${JSON.stringify(path.slice(0, 100))} is left out: such a path has no spaces, no control characters and at most ${longestPath} characters`,
        )
        continue
      }
      for (const method of methods) {
        const { value, file } = await parts.follow(shared.value[method], shared.file)
        if (!isObject(value) || value['x-excluded'] === true) continue
        const name = kind === 'webhook' ? `WEBHOOK ${path}` : `${method.toUpperCase()} ${path}`
        entries.push(addOperation({ kind, name, method: method.toUpperCase(), path, operation: value, file }, shared))
      }
    }
  return entries

  function addOperation(
    {
      operation,
      file,
      ...about
    }: {
      readonly kind: 'operation' | 'webhook'
      readonly name: string
      readonly method: string
      readonly path: string
      readonly operation: JsonObject
      readonly file: string
    },
    item: Found,
  ): NewEntry {
    const security = isArray(operation['security']) ? operation['security'] : (document['security'] ?? [])
    const shared = isObject(item.value) ? item.value : {}
    const own = {
      ...about,
      operation,
      servers: serversOf([operation['servers'], shared['servers'], document['servers']], source),
      security,
    }
    // Each is from the file that says it.
    const others: Found[] = [
      { value: { parameters: shared['parameters'] ?? [] }, file: item.file },
      { value: { schemes: schemesOf(document, security) }, file: '' },
    ]
    return entryOf({ ...about, operation, part: parts.add(`${about.kind} ${about.name}`, own, file, others) })
  }
}

/** The first list that has some. Relative ones are below the address that a description is read from. */
function serversOf(lists: readonly (Json | undefined)[], source: string): Json {
  const listed = lists.filter(isArray).find((list) => list.length > 0) ?? []
  if (!isAddress(source)) return listed
  const base = new URL(source)
  const some = listed.length === 0 ? [{ url: '/' }] : listed
  return some.map((server) => {
    const url = isObject(server) ? textOf(server['url']) : undefined
    if (!isObject(server) || url === undefined || /^(?:[a-z][a-z\d+.-]*:|\{|\/\/)/i.test(url)) return server
    // Not by its parser, which would escape what stands in braces.
    const path = url.startsWith('/') ? url : `${base.pathname.replace(/[^/]*$/, '')}${url}`
    return { ...server, url: base.origin + path.replace(/\/$/, '') }
  })
}

function entryOf({
  kind,
  name,
  operation,
  part,
  method,
  path,
}: {
  readonly kind: Entry['kind']
  readonly name: string
  readonly operation: JsonObject
  readonly part: number
  readonly method?: string
  readonly path?: string
}): NewEntry {
  const own = objectAt(operation, 'x-mint') ?? {}
  const metadata = objectAt(own, 'metadata') ?? objectAt(operation, 'x-mint-metadata')
  const [tag] = isArray(operation['tags']) ? operation['tags'] : []
  return {
    kind,
    name,
    ...pick('method', kind === 'operation' ? method : undefined),
    ...pick('path', path),
    title: (textOf(operation['summary']) ?? textOf(operation['title']) ?? titled(method, path ?? name)).slice(
      0,
      longestTitle,
    ),
    ...pick('description', textOf(operation['description'])?.slice(0, longestDescription)),
    ...pick('tag', textOf(tag)?.slice(0, longestTitle)),
    ...pick('deprecated', operation['deprecated'] === true || undefined),
    ...pick('hidden', operation['x-hidden'] === true || undefined),
    ...pick('href', textOf(own['href']) ?? textOf(operation['x-href'])),
    ...pick('metadata', metadata === undefined ? undefined : JSON.stringify(metadata, withoutPrototype)),
    ...pick('content', textOf(own['content'])),
    part,
  }
}

/** Front matter has no such keys. */
const withoutPrototype = (key: string, value: Json): Json | undefined =>
  key === '__proto__' || key === 'constructor' || key === 'prototype' ? undefined : value

/** `GET /users/{id}` → `Get users id`: as its readers know an operation that nobody has named. */
function titled(method: string | undefined, path: string): string {
  const words = `${method?.toLowerCase() ?? ''} ${path}`.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What the names in `security` mean. */
function schemesOf(document: JsonObject, security: Json): JsonObject {
  const all = objectAt(objectAt(document, 'components'), 'securitySchemes') ?? {}
  const names = isArray(security) ? security.filter(isObject).flatMap((each) => Object.keys(each)) : []
  return Object.fromEntries(
    names.flatMap((name) => {
      const scheme = Object.hasOwn(all, name) ? all[name] : undefined
      return scheme === undefined ? [] : [[name, scheme]]
    }),
  )
}

/** Each schema by its name, for pages of their own. */
function schemasOf(document: JsonObject, parts: Parts, entries: NewEntry[]): void {
  for (const [name, schema] of Object.entries(objectAt(objectAt(document, 'components'), 'schemas') ?? {})) {
    if (!isObject(schema)) continue
    const part = parts.want(pointerTo('#/components/schemas', name))
    entries.push({ kind: 'schema', name, title: (textOf(schema['title']) ?? name).slice(0, longestTitle), part })
  }
}

function tagsOf(document: JsonObject): [string, string][] {
  const tags = isArray(document['tags']) ? document['tags'].slice(0, maxTags) : []
  return tags.flatMap((tag): [string, string][] => {
    const name = isObject(tag) ? textOf(tag['name']) : undefined
    if (!isObject(tag) || name === undefined) return []
    return [[name, textOf(tag['x-group']) ?? textOf(tag['x-displayName']) ?? name]]
  })
}
