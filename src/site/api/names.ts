import { posix } from 'node:path'
import type { Entry } from './form.ts'

const methods: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])
/** A file by its ending, an address, or a file by its name alone. */
const sourcePattern = /^(?:(\S.*?\.(?:json|ya?ml)|\S+)\s+)?(\S.*)$/i
const quotedPattern = /^(["'])([^"']+)\1(?:\s+(\S.*))?$/
const longest = 2_000
/** Of the name of a file that has no ending, and of what is meant in it. */
const maxWords = 8

/** Fields of front matter that name a part of a description. */
export const partFields = ['openapi', 'openapi-schema', 'asyncapi'] as const
export type PartField = (typeof partFields)[number]

/** What a field names: `[file] METHOD /path`, `[file] webhook name`, `[file] Schema`, `[file] channel`. */
export interface PartName {
  /** A path, an address, or the name of a file without folders and ending. */
  readonly source?: string
  /** As entries have it. */
  readonly name: string
}

/** What `[file] METHOD /path` and `[file] webhook name` name. The file may have spaces in its name. */
export function operationName(text: string): PartName | undefined {
  if (text.length > longest) return undefined
  // Each second one is what stands between two words.
  const words = text.trim().split(/(\s+)/)
  const upTo = (end: number): string | undefined => (end < 1 ? undefined : words.slice(0, end).join(''))
  const at = words.length - 3
  const webhook = words.findIndex((word, index) => index <= at && word.toLowerCase() === 'webhook')
  if (methods.has(words[at]?.toLowerCase() ?? '') && (webhook === -1 || words.at(-1)?.startsWith('/') === true))
    return partName(upTo(at - 1), `${words[at]?.toUpperCase()} ${words.at(-1)}`)
  return webhook === -1 ? undefined : partName(upTo(webhook - 1), `WEBHOOK ${words.slice(webhook + 2).join('')}`)
}

/** What a field of front matter names; undefined where it names nothing. */
function nameIn(field: PartField, text: string): PartName | undefined {
  if (field === 'openapi') return operationName(text)
  if (text.length > longest) return undefined
  const [, , quoted, rest] = quotedPattern.exec(text.trim()) ?? []
  const [, source, name] = quoted === undefined ? (sourcePattern.exec(text.trim()) ?? []) : ['', quoted, rest]
  return name === undefined ? undefined : partName(source, name)
}

function partName(source: string | undefined, name: string): PartName {
  return source === undefined ? { name } : { source: sourceName(source), name }
}

/** An operation's name with the slash that its path does not end in, or without the one that it does; undefined for what has no path. */
export function otherName(name: string): string | undefined {
  const isPath = /^[A-Z]+ \/./.test(name) && !name.startsWith('WEBHOOK ')
  return isPath ? (name.endsWith('/') ? name.slice(0, -1) : `${name}/`) : undefined
}

const schemes = { openapi: 'api', 'openapi-schema': 'api-schema', asyncapi: 'api-channel' } as const
const fieldOf = { operation: 'openapi', webhook: 'openapi', schema: 'openapi-schema', channel: 'asyncapi' } as const

/** The field that names entries of a kind. */
export function fieldOfKind(kind: Entry['kind']): PartField {
  return fieldOf[kind]
}

/**
 * Under which a page asks for a part, as it asks for snippets: no file of a project has this path. None for what names
 * nothing; two, the first that is there, where `./file` or `../file` may go from the folder of the page or from the root.
 */
export function partPaths(field: PartField, text: string, page: string): readonly string[] {
  const named = nameIn(field, text)
  if (named === undefined) return []
  const path = pathOfPart(field, named)
  if (named.source === undefined || !/^\s*["']?\.\.?\//.test(text)) return [path]
  return [pathOfPart(field, { ...named, source: posix.join(posix.dirname(page), named.source) }), path]
}

export function pathOfPart(field: PartField, { source, name }: PartName): string {
  return `${schemes[field]}:${source === undefined ? '' : `${source} `}${name}`
}

/** Under which a page that describes an operation itself asks for what docs.json says of such pages. */
export const settingsPath = 'api:settings'

/** Whether it is a path of what descriptions or their settings say. */
export function isPartPath(path: string): boolean {
  return /^api(?:-schema|-channel)?:/.test(path)
}

/**
 * Descriptions that a path of a part may name, as they were written. Where neither an ending nor quotes say how far the
 * file's name goes, names of schemas and channels may have spaces, too: each of its words may be the last one.
 */
export function sourcesOfPart(path: string): readonly string[] {
  const field = partFields.find((each) => path.startsWith(`${schemes[each]}:`))
  if (field === undefined) return []
  const text = path.slice(schemes[field].length + 1)
  const { source } = nameIn(field, text) ?? {}
  if (source === undefined) return []
  if (field === 'openapi' || /\s/.test(source) || isAddress(source) || /\.(?:json|ya?ml)$/i.test(source))
    return [source]
  const words = text.split(' ').slice(0, maxWords)
  return words.slice(0, -1).map((_, index) => words.slice(0, index + 1).join(' '))
}

/** A path as files have it; an address as it is. Either may stand in quotes. */
export function sourceName(written: string): string {
  const text = quotedPattern.exec(written)?.[2] ?? written
  return isAddress(text) ? text : posix.normalize(text.replace(/^\/+/, ''))
}

export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source)
}
