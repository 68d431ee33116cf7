import { parseDocument, stringify } from 'yaml'
import { Failure } from '../src/contract/failure.ts'

/** A changelog entry as a Markdown file with front matter. */
export interface EntryFile {
  title?: string
  version?: string
  tags?: string[]
  /** RFC 3339. */
  published_at?: string
  content: string
}

const frontMatter = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m
const isText = (value: unknown): value is string => typeof value === 'string'

/** What each member takes, and how it is read; a number such as `version: 2.0` is the text that was written. */
const members: ReadonlyMap<string, { readonly wanted: string; readonly fits: (value: unknown) => boolean }> = new Map([
  ['title', { wanted: 'text', fits: isText }],
  ['version', { wanted: 'text', fits: isText }],
  ['tags', { wanted: 'a list of texts', fits: (value: unknown) => Array.isArray(value) && value.every(isText) }],
  [
    'published_at',
    {
      wanted: 'a time such as 2026-11-21T09:00:00Z',
      fits: (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value)),
    },
  ],
])

/**
 * Reads a file: front matter with `title`, `version`, `tags` and `published_at`, then the content. A heading of level
 * one at the top stands for a title that is not there.
 * @param path for messages. @throws Failure invalid_request that names the member.
 */
export function readEntryFile(text: string, path: string): EntryFile {
  const match = text.startsWith('---') ? frontMatter.exec(text) : null
  const content = match === null ? text : text.slice(match.index + match[0].length)
  const head = match === null ? {} : readMembers(match[1] ?? '', path)
  if (head.title !== undefined) return { ...head, content: content.trim() }
  const [heading, title] = /^\s*#[ \t]+(.+?)[ \t]*#*[ \t]*(?:\r?\n|$)/.exec(content) ?? []
  if (heading === undefined || title === undefined) return { ...head, content: content.trim() }
  return { ...head, title, content: content.slice(heading.length).trim() }
}

function readMembers(yaml: string, path: string): Omit<EntryFile, 'content'> {
  // The failsafe schema takes every scalar for text: versions and times stay as they are written.
  const document = parseDocument(yaml, { schema: 'failsafe', prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) throw wrong(path, error.message)
  const value: unknown = document.toJS({ maxAliasCount: 0 }) ?? {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(path, 'the front matter must be `name: value` lines')
  const given = Object.entries(value).filter(([, member]) => member !== '' && member !== null)
  for (const [name, member] of given) {
    const known = members.get(name)
    if (known === undefined) throw wrong(path, `${name} is not known; it takes ${[...members.keys()].join(', ')}`)
    if (!known.fits(member)) throw wrong(path, `${name} must be ${known.wanted}`)
  }
  return Object.fromEntries(given)
}

function wrong(path: string, message: string): Failure {
  return new Failure('invalid_request', `The front matter of ${path} is not valid: ${message}.`, {
    hint: 'Mend it and run the command again.',
    errors: [{ path, message }],
  })
}

/** The inverse of readEntryFile. What an entry lacks has an empty line, to be filled in. */
export function writeEntryFile({ content, ...given }: EntryFile): string {
  const { title, version, tags, ...rest } = given
  const head = Object.entries({ title, version, tags: tags?.length === 0 ? undefined : tags, ...rest })
  const lines = head.map(([name, value]) => `${name}:${value === undefined ? '' : ` ${scalar(value)}`}\n`)
  return `---\n${lines.join('')}---\n\n${content}\n`
}

function scalar(value: string | readonly string[]): string {
  return stringify(value, { schema: 'failsafe', collectionStyle: 'flow', lineWidth: 0 }).trim()
}
