import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import type { Entry } from '../src/contract/changelog.ts'
import { Failure } from '../src/contract/failure.ts'
import { openEditor } from './terminal.ts'
import { readEntryFile, writeEntryFile, type EntryFile } from './entry-file.ts'
import type { Output } from './output.ts'

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
