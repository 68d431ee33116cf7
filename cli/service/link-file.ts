import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ParseError } from 'jsonc-parser'
import { Failure } from '../../src/contract/failure.ts'
import { slugFault } from '../../src/contract/patterns.ts'
import { homeFolder } from '../environment.ts'
import { Lasting } from '../lasting.ts'

/** Name of the file in which a folder remembers its project. It is hidden, so that no deploy sends it. */
export const linkName = '.quire.json'

/** What a folder remembers. */
export interface Link {
  /** Base URL of the service. */
  readonly service?: string
  /** Slug of the project. */
  readonly project?: string
}

/** The link of a folder, and where it stands. */
export interface FoundLink extends Link {
  /** Absolute path of the file. */
  readonly path: string
}

/** A folder and those above it, up to the home directory or the root. */
export function* foldersFrom(folder: string): Generator<string> {
  const home = homeFolder()
  for (let at = resolve(folder); ; at = dirname(at)) {
    yield at
    if (at === home || at === dirname(at)) return
  }
}

/** The nearest link from a folder upwards. @throws Failure invalid_request that says where a file is wrong */
export async function nearestLink(folder: string): Promise<FoundLink | undefined> {
  for (const at of foldersFrom(folder)) {
    const link = await linkOf(at)
    if (link !== undefined) return link
  }
  return undefined
}

/** The link of this very folder. @throws Failure invalid_request that says where the file is wrong */
export async function linkOf(folder: string): Promise<FoundLink | undefined> {
  const path = join(resolve(folder), linkName)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A folder that is none has no file, and one that nobody may look into none that counts.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new Failure('invalid_request', `${path} cannot be read (${error.code ?? error.message}).`, {
      hint: 'Make it readable, or remove it.',
      cause: error,
    })
  })
  return text === undefined ? undefined : { ...(await parse(text, path)), path }
}

/** Writes the link of a folder over one that it has, whole or not at all. @returns the path. @throws Failure unavailable */
export async function writeLink(folder: string, link: Link): Promise<string> {
  const path = join(resolve(folder), linkName)
  const unfinished = `${path}.${process.pid}`
  try {
    await writeFile(unfinished, `${JSON.stringify(link, null, 2)}\n`)
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined)
    const { code, message } = error as NodeJS.ErrnoException
    throw new Lasting(
      `${path} cannot be written${code === 'ENOSPC' ? ': the disk is full' : ''} (${code ?? message}).`,
      {
        hint: 'Make that possible, or name service and project each time: --url and --project.',
        cause: error,
      },
    )
  }
  return path
}

/** Removes the link of a folder. @throws Failure unavailable */
export async function removeLink({ path }: Pick<FoundLink, 'path'>): Promise<void> {
  await rm(path, { force: true }).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Lasting(`${path} cannot be removed (${code ?? message}).`, { cause: error })
  })
}

const names = ['service', 'project'] as const
type Name = (typeof names)[number]

/** What is wrong with a value; undefined: nothing. */
const faults: Readonly<Record<Name, (value: string) => string | undefined>> = {
  service: (value) =>
    /^https?:\/\//i.test(value) && URL.canParse(value)
      ? undefined
      : 'is not an address such as https://docs.example.com',
  project: slugFault,
}

async function parse(text: string, path: string): Promise<Link> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw await wrong(text, path, ' is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw await wrong(text, path, ' must be an object: {"service": "https://docs.example.com", "project": "docs"}')
  for (const [name, member] of Object.entries(value)) {
    if (name === '$schema') continue
    const known = names.find((one) => one === name)
    if (known === undefined) {
      throw await wrong(text, path, `: “${name}” is not known; a link has service and project`, [name])
    }
    const fault = typeof member === 'string' ? faults[known](member) : 'must be a text'
    if (fault !== undefined) throw await wrong(text, path, `: “${name}” ${fault}`, [name])
  }
  return value
}

/** @param at the member that is wrong; absent: the text is no JSON, or not the right one */
async function wrong(text: string, path: string, what: string, at?: readonly string[]): Promise<Failure> {
  const { findNodeAtLocation, parseTree, printParseErrorCode } = await import('jsonc-parser')
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { disallowComments: true })
  const node = at === undefined || tree === undefined ? undefined : findNodeAtLocation(tree, [...at])
  const [first] = errors
  const offset = node?.offset ?? first?.offset ?? 0
  const before = text.slice(0, offset).split('\n')
  const place = `${path}:${before.length}:${(before.at(-1) ?? '').length + 1}`
  const why = first === undefined ? '' : ` (${printParseErrorCode(first.error)})`
  return new Failure('invalid_request', `${place}${what}${why}.`, {
    hint: 'Mend it, or write it anew with quire link.',
  })
}
