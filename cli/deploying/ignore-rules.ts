import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { Failure } from '../../src/contract/failure.ts'

/** Their rules hold for their folder and below, as Git's do. With `.mintignore` a project of Mintlify needs no change. */
export const ignoreFiles = ['.gitignore', '.quireignore', '.mintignore']

export interface Rules {
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
      hint: 'Nothing was sent: it may name files that must not be. Make it readable and run the command again.',
      cause: error,
    })
  }
}

export async function rulesIn(directory: string, names: readonly string[] = ignoreFiles): Promise<readonly Rules[]> {
  const texts = await Promise.all(names.map((name) => readRules(join(directory, name))))
  return texts.every((text) => text === '') ? [] : [{ directory, matcher: ignore().add(texts.join('\n')) }]
}

/**
 * The rules of the folders above, up to the root of the checkout. They do not count for a folder that they exclude
 * whole: who names a folder of generated files means it.
 */
export async function rulesAbove(directory: string): Promise<readonly Rules[]> {
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
export function isIgnored(absolute: string, isDirectory: boolean, rules: readonly Rules[]): boolean {
  for (const { directory, matcher } of rules.toReversed()) {
    const path = relative(directory, absolute).split(sep).join('/')
    if (path === '') continue
    const verdict = matcher.test(path + (isDirectory ? '/' : ''))
    if (verdict.ignored) return true
    if (verdict.unignored) return false
  }
  return false
}
