import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseDocument, stringify } from 'yaml'
import type { Entry } from '../src/contract/changelog.ts'
import { Failure } from '../src/contract/failure.ts'
import type { Output } from './output.ts'
import { openEditor } from './terminal.ts'

/** What flags say of an entry; they win over the file. */
export interface EntryFields {
  readonly title?: string
  readonly version?: string
  readonly tags?: string[]
  /** When it is published, in any form that Date reads. */
  readonly at?: string
}

type Send = (entry: EntryFile) => Promise<void>

/**
 * Reads an entry from a file, from standard input (`-`), or from the editor where there is no file, and sends it.
 * @throws Failure invalid_request where nobody can open an editor.
 */
export async function entryOf(
  from: { readonly file: string | undefined; readonly fields: EntryFields },
  output: Output,
  send: Send,
): Promise<void> {
  const { file, fields } = from
  if (file !== undefined) {
    const path = file === '-' ? 'standard input' : file
    return send({ ...readEntryFile(await textOf(file), path), ...fields })
  }
  if (!output.environment.interactive) {
    throw new Failure('invalid_request', 'There is no entry.', {
      hint: 'Name a Markdown file, or - for standard input.',
    })
  }
  return edited({ ...fields, content: '' }, output, send)
}

/** Opens the editor on an entry, and sends what it has become. */
export function editEntry(entry: Entry, output: Output, send: Send): Promise<void> {
  if (!output.environment.interactive) {
    throw new Failure('invalid_request', 'Nothing is given that should change.', {
      hint: 'Name a Markdown file (- for standard input), or use --title, --version-tag, --tag or --at.',
    })
  }
  const { title, version, tags, content } = entry
  return edited({ title, ...(version === undefined ? {} : { version }), tags, content }, output, send)
}

/** What was written stays in its file when it could not be sent: nothing is lost. */
async function edited(entry: EntryFile, output: Output, send: Send): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-entry-'))
  const file = join(directory, 'entry.md')
  const before = writeEntryFile(entry)
  await writeFile(file, before)
  try {
    await openEditor(file, output.environment.editor)
    const text = await readFile(file, 'utf8')
    if (text === before) throw new Failure('invalid_request', 'Nothing was written, so nothing was sent.')
    await send(readEntryFile(text, file))
  } catch (error) {
    const kept = (await readFile(file, 'utf8')) !== before
    if (kept) output.note(`What you wrote is in ${file}`)
    else await rm(directory, { recursive: true })
    throw error
  }
  await rm(directory, { recursive: true })
}

async function textOf(file: string): Promise<string> {
  if (file === '-') return readAll(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new Failure('invalid_request', `${file} cannot be read.`, { hint: 'Name a Markdown file.', cause })
  }
}

/** A changelog entry as a Markdown file with front matter. */
export interface EntryFile {
  title?: string
  version?: string
  tags?: string[]
  /** RFC 3339. */
  published_at?: string
  content: string
}

type EntryHead = Omit<EntryFile, 'content'>

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

/** Front matter as it says, and what stands behind it, to the letter. @throws Failure invalid_request */
export function entryParts(text: string, path: string): { readonly head: EntryHead; readonly content: string } {
  const match = text.startsWith('---') ? frontMatter.exec(text) : null
  if (match === null) return { head: {}, content: text }
  return { head: readMembers(match[1] ?? '', path), content: text.slice(match.index + match[0].length) }
}

/**
 * Reads a file: front matter with `title`, `version`, `tags` and `published_at`, then the content. A heading of level
 * one at the top stands for a title that is not there.
 * @param path for messages. @throws Failure invalid_request that names the member.
 */
export function readEntryFile(text: string, path: string): EntryFile {
  const { head, content } = entryParts(text, path)
  if (head.title !== undefined) return { ...head, content: content.trim() }
  const [heading, title] = /^\s*#[ \t]+(.+?)[ \t]*#*[ \t]*(?:\r?\n|$)/.exec(content) ?? []
  if (heading === undefined || title === undefined) return { ...head, content: content.trim() }
  return { ...head, title, content: content.slice(heading.length).trim() }
}

function readMembers(yaml: string, path: string): EntryHead {
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
