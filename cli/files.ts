import { readFile, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import pLimit from 'p-limit'
import { blobOid } from '../src/contract/blob-oid.ts'
import type { ErrorDetail } from '../src/contract/common.ts'
import { Failure } from '../src/contract/failure.ts'
import { limits } from '../src/contract/limits.ts'
import { fileSize } from './output.ts'

export interface LocalFile {
  /** Path in the project, `/`-separated. */
  readonly path: string
  readonly absolute: string
  readonly size: number
  /** Git blob id of the content. */
  readonly oid: string
  /** Of a file that is on no disk. */
  readonly content?: Buffer
}

export interface Skipped {
  readonly path: string
  readonly reason: string
}

/** Their rules hold for their folder and below, as Git's do. With `.mintignore` a project of Mintlify needs no change. */
const ignoreFiles = ['.gitignore', '.quireignore', '.mintignore']
const neverSent = new Set(['node_modules', '__pycache__'])

interface Rules {
  /** Folder that they count for, with all below it. */
  readonly directory: string
  readonly matcher: Ignore
}

/** @throws Failure invalid_request for an ignore file that cannot be read: without its rules secrets might be sent. */
async function readRules(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return ''
    throw new Failure('invalid_request', `${file} cannot be read (${String(code)}).`, {
      hint: 'Nothing was sent: it may name files that must not be. Make it readable and deploy again.',
      cause: error,
    })
  }
}

async function rulesIn(directory: string, names: readonly string[] = ignoreFiles): Promise<readonly Rules[]> {
  const texts = await Promise.all(names.map((name) => readRules(join(directory, name))))
  return texts.every((text) => text === '') ? [] : [{ directory, matcher: ignore().add(texts.join('\n')) }]
}

/**
 * The rules of the folders above, up to the root of the checkout. They do not count for a folder that they exclude
 * whole: who deploys generated docs by name means it.
 */
async function rulesAbove(directory: string): Promise<readonly Rules[]> {
  let rules: readonly Rules[] = []
  for (let at = directory; ; at = dirname(at)) {
    const isRoot = await stat(join(at, '.git')).then(
      () => true,
      () => false,
    )
    if (at !== directory) rules = [...(await rulesIn(at)), ...rules]
    if (isRoot) {
      rules = [...(await rulesIn(at, ['.git/info/exclude'])), ...rules]
      return isIgnored(directory, true, rules) ? [] : rules
    }
    if (dirname(at) === at) return []
  }
}

/** Of several ignore files with a matching rule, the deepest decides (gitignore(5)). */
function isIgnored(absolute: string, isDirectory: boolean, rules: readonly Rules[]): boolean {
  for (const { directory, matcher } of rules.toReversed()) {
    const path = relative(directory, absolute).split(sep).join('/')
    if (path === '') continue
    const verdict = matcher.test(path + (isDirectory ? '/' : ''))
    if (verdict.ignored) return true
    if (verdict.unignored) return false
  }
  return false
}

/** What `walk` collects. */
interface WalkResult {
  readonly files: { path: string; absolute: string }[]
  readonly skipped: Skipped[]
}

async function walk(directory: string, base: string, above: readonly Rules[], result: WalkResult): Promise<void> {
  const rules = [...above, ...(await rulesIn(directory))]
  const entries = await readdir(directory, { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = base + entry.name
    // Dotfiles hold settings and secrets, never pages; the service refuses them.
    if (entry.name.startsWith('.') || neverSent.has(entry.name)) continue
    const absolute = join(directory, entry.name)
    if (isIgnored(absolute, entry.isDirectory(), rules)) continue
    if (entry.isDirectory()) await walk(absolute, `${path}/`, rules, result)
    else if (entry.isFile()) result.files.push({ path, absolute })
    else
      result.skipped.push({
        path,
        reason: entry.isSymbolicLink() ? 'symbolic links are not sent' : 'not a regular file',
      })
  }
}

/**
 * The documentation files below a folder, sorted by path, with their Git ids.
 * @throws Failure invalid_request (no such folder, nothing in it, too many files), file_too_large (names every one).
 */
export async function collectFiles(
  directory: string,
  options: { readonly mayBeEmpty?: boolean } = {},
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
  const result: WalkResult = { files: [], skipped: [] }
  const root = resolve(directory)
  await walk(root, '', await rulesAbove(root), result)
  if (result.files.length === 0 && options.mayBeEmpty !== true) {
    throw new Failure('invalid_request', `${directory} holds no files to deploy.`, {
      hint: 'Hidden files and those that .gitignore or .quireignore names are left out.',
    })
  }
  if (result.files.length > limits.files) {
    throw new Failure(
      'invalid_request',
      `${directory} holds ${result.files.length} files; a deploy takes at most ${limits.files}.`,
      {
        hint: 'Name the folder with the docs, or leave files out with a .quireignore.',
      },
    )
  }
  const tooLarge: ErrorDetail[] = []
  const limit = pLimit(16)
  const files = await Promise.all(
    result.files.map(({ path, absolute }) =>
      limit(async () => {
        const content = await readFile(absolute)
        if (content.byteLength > limits.fileBytes)
          tooLarge.push({
            path,
            message: `${fileSize(content.byteLength)}; a file may have ${fileSize(limits.fileBytes)}`,
          })
        return { path, absolute, size: content.byteLength, oid: blobOid(content) }
      }),
    ),
  )
  if (tooLarge.length > 0) {
    throw new Failure(
      'file_too_large',
      tooLarge.length === 1 ? 'A file is too large to deploy.' : `${tooLarge.length} files are too large to deploy.`,
      {
        errors: tooLarge.toSorted((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1)),
        hint: 'Make them smaller, link to them elsewhere, or leave them out with a .quireignore.',
      },
    )
  }
  return { files, skipped: result.skipped }
}
