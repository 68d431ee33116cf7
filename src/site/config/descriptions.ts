import { isArray, isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { Steps } from '../../lib/slices.ts'
import { withoutEndSlashes } from '../../lib/url-path.ts'
import { playgroundOf, type ApiSettings } from '../api/form.ts'
import { operationName, sourceName } from '../api/names.ts'
import { navigationLists } from './navigation-keys.ts'

/** A description of an API that docs.json names, and where pages of it stand. */
export interface DescriptionSource {
  /** Path in the project, or an address. */
  readonly source: string
  /** Folder of the pages that are made. */
  readonly directory: string
}

export const defaultDirectory = 'api-reference'
/** Descriptions that one place names: each operation below is looked for in all of them. */
const mostSources = 100
/** Texts of docs.json that each page of an operation is told, and how long one is. */
const mostChosen = 50
const longestChosen = 100
/** Names of files that a project without settings for it has. */
export const usualSources = [
  'openapi.json',
  'openapi.yaml',
  'openapi.yml',
  'api-reference/openapi.json',
  'api-reference/openapi.yaml',
]

/** `openapi` and `asyncapi` of docs.json: a text, a list, or an object with `source` and `directory`. */
export function sourcesOf(value: Json | undefined): readonly DescriptionSource[] {
  if (typeof value === 'string' && value.trim() !== '')
    return [{ source: sourceName(value.trim()), directory: defaultDirectory }]
  if (isArray(value)) return value.slice(0, mostSources).flatMap(sourcesOf).slice(0, mostSources)
  if (!isObject(value) || typeof value['source'] !== 'string') return []
  const { directory } = value
  const folder = typeof directory === 'string' ? withoutEndSlashes(directory).replace(/^\/+/, '') : ''
  const isInside = folder !== '' && !folder.split('/').includes('..')
  return [{ source: sourceName(value['source'].trim()), directory: isInside ? folder : defaultDirectory }]
}

/** Every description that docs.json names, once. */
export function* namedSources(document: JsonObject): Steps<ReadonlySet<string>> {
  const found = new Set<string>()
  const add = (value: Json | undefined): void => {
    for (const { source } of sourcesOf(value)) found.add(source)
  }
  const api = isObject(document['api']) ? document['api'] : {}
  add(api['openapi'])
  add(api['asyncapi'])
  const visit = function* (value: Json | undefined): Steps<void> {
    yield
    if (typeof value === 'string') {
      const source = operationName(value)?.source
      if (source !== undefined) found.add(source)
    } else if (isArray(value)) for (const each of value) yield* visit(each)
    else if (isObject(value)) {
      add(value['openapi'])
      add(value['asyncapi'])
      for (const key of navigationLists) if (value[key] !== undefined) yield* visit(value[key])
      if (isObject(value['global'])) yield* visit(value['global'])
    }
  }
  yield* visit(document['navigation'])
  return found
}

/** What docs.json says of pages that are made of descriptions: `api`. */
export function apiSettings(document: JsonObject | null): ApiSettings {
  const api = isObject(document?.['api']) ? document['api'] : {}
  const playground = isObject(api['playground']) ? api['playground'] : {}
  const examples = isObject(api['examples']) ? api['examples'] : {}
  const params = isObject(api['params']) ? api['params'] : {}
  const texts = (value: Json | undefined): readonly string[] | undefined =>
    isArray(value)
      ? value
          .filter((each): each is string => typeof each === 'string' && each.length <= longestChosen)
          .slice(0, mostChosen)
      : undefined
  const languages = texts(examples['languages'])
  const mdx = isObject(api['mdx']) ? api['mdx'] : {}
  const { method: authMethod, name } = isObject(mdx['auth']) ? mdx['auth'] : {}
  const method = (['bearer', 'basic', 'key'] as const).find((each) => each === authMethod)
  return {
    playground: playgroundOf(playground['display']),
    prefill: examples['prefill'] === true,
    credentials: playground['credentials'] === true,
    expanded: params['expanded'] === 'all',
    fullUrl: api['url'] === 'full',
    pills: texts(params['post']) ?? [],
    ...(languages === undefined ? {} : { languages }),
    requiredOnly: examples['defaults'] === 'required',
    generate: examples['autogenerate'] !== false,
    servers: typeof mdx['server'] === 'string' ? [mdx['server']] : (texts(mdx['server']) ?? []),
    ...(method === undefined ? {} : { auth: { method, ...(typeof name === 'string' ? { name } : {}) } }),
  }
}
