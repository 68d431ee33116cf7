import { type BigIntStats, existsSync, lstatSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { blobOid } from '../../src/contract/blob-oid.ts'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { Failure } from '../../src/contract/failure.ts'
import { limits } from '../../src/contract/limits.ts'
import type { HashCache } from './hash-cache.ts'
import { overLimit } from '../output.ts'
import { type WalkEntry, walk } from './walk.ts'

export interface LocalFile {
  /** Path in the project, `/`-separated. */
  readonly path: string
  readonly absolute: string
  readonly size: number
  /** Git blob id of the content. */
  readonly oid: string
  /** Where it really is, of what is reached through symbolic links. */
  readonly target?: string
  /** Of a file that is on no disk. */
  readonly content?: Buffer
}

export interface Skipped {
  readonly path: string
  readonly reason: string
}

const neverSent = new Set(['node_modules', '__pycache__'])

export interface CollectOptions {
  readonly mayBeEmpty?: boolean
  /** Spares the reading of files that are as they were. Absent: all are read. */
  readonly hashes?: () => HashCache
  /** Told of each folder that is looked into, before it is. */
  readonly enters?: (directory: string) => void
}

/**
 * The documentation files below a folder, sorted by path, with their Git ids.
 * @throws Failure invalid_request (no such folder, nothing in it, too many files), file_too_large (names every one).
 */
export async function collectFiles(
  directory: string,
  options: CollectOptions = {},
): Promise<{ files: LocalFile[]; skipped: Skipped[] }> {
  const isDirectory = await stat(directory).then(
    (info) => info.isDirectory(),
    () => false,
  )
  if (!isDirectory) {
    throw new Failure('invalid_request', `There is no folder ${directory}.`, {
      hint: 'Name the folder that holds your docs: quire deploy docs',
    })
  }
  const found: WalkEntry[] = []
  const skipped: Skipped[] = []
  const walking = { followsLinks: true, ...(options.enters === undefined ? {} : { enters: options.enters }) }
  for await (const entry of walk(directory, ({ name }) => !neverSent.has(name), walking)) {
    // Of a name that is no UTF-8 we have another one, by which nothing is found.
    if (entry.path.includes('\uFFFD') && !existsSync(entry.absolute))
      skipped.push({ path: entry.path, reason: 'its name is not UTF-8' })
    else if (entry.type === 'file') found.push(entry)
    else
      skipped.push({
        path: entry.path,
        reason: entry.refusal ?? 'not a regular file',
      })
  }
  if (found.length === 0 && options.mayBeEmpty !== true) {
    throw new Failure('invalid_request', `${directory} holds no files to deploy.`, {
      hint: 'Hidden files and those that .gitignore or .quireignore names are left out.',
    })
  }
  if (found.length > limits.files) {
    throw new Failure(
      'invalid_request',
      `${directory} holds ${found.length} files; a deploy takes at most ${limits.files}.`,
      {
        hint: 'Name the folder with the docs, or leave files out with a .quireignore.',
      },
    )
  }
  const hashes = options.hashes?.()
  const hashed = await withOids(found, hashes)
  hashes?.save()
  return { files: hashed, skipped }
}

/** @throws Failure file_too_large that names every one. */
async function withOids(found: readonly WalkEntry[], hashes: HashCache | undefined): Promise<LocalFile[]> {
  const looked = found.map(({ path, absolute, target }) => ({
    path,
    absolute,
    stats: lstatSync(target ?? absolute, { bigint: true }),
    linked: target === undefined ? {} : { target },
  }))
  assertSizes(looked)
  const limit = pLimit(16)
  const hash = async (absolute: string): Promise<string> => blobOid(await readFile(absolute))
  return Promise.all(
    looked.map(async ({ path, absolute, stats, linked }) => {
      const size = Number(stats.size)
      const known = hashes?.oidOf(path, stats)
      if (known !== undefined) return { path, absolute, size, oid: known, ...linked }
      const oid = await limit(hash, absolute)
      hashes?.add(path, stats, oid)
      return { path, absolute, size, oid, ...linked }
    }),
  )
}

function assertSizes(files: readonly { readonly path: string; readonly stats: BigIntStats }[]): void {
  const tooLarge: ErrorDetail[] = []
  for (const { path, stats } of files) {
    const size = Number(stats.size)
    if (size <= limits.fileBytes) continue
    const { size: is, limit } = overLimit(size, limits.fileBytes)
    tooLarge.push({ path, message: `${is}; a file may have ${limit}` })
  }
  if (tooLarge.length === 0) return
  throw new Failure(
    'file_too_large',
    tooLarge.length === 1 ? 'A file is too large to deploy.' : `${tooLarge.length} files are too large to deploy.`,
    {
      errors: tooLarge.toSorted((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1)),
      hint: 'Make them smaller, link to them elsewhere, or leave them out with a .quireignore.',
    },
  )
}
