import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A paste that is longer, or names more files, is text. */
const mostCharacters = 32_768
const mostPaths = 100

/** A file of this machine. */
export interface LocalFile {
  readonly path: string
  readonly size: number
}

/**
 * The files of this machine that a pasted text names, as terminals write them when files are dropped on them: with
 * backslashes before spaces, in quotes, as `file://` addresses, one beside the other or one a line. Undefined where the
 * text is anything else.
 */
export async function pastedFiles(text: string): Promise<readonly LocalFile[] | undefined> {
  for (const paths of readingsOf(text)) {
    const files = await Promise.all(paths.map(fileAt))
    const found = files.filter((file) => file !== undefined)
    if (found.length > 0 && found.length === paths.length) return found
  }
  return undefined
}

/** What a pasted text may name, the likeliest first; each reading has absolute paths alone. */
export function readingsOf(text: string): readonly (readonly string[])[] {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > mostCharacters || trimmed.includes('\0')) return []
  const lines = trimmed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const words = lines.map(wordsOf)
  // A path as it is, spaces and backslashes included, is tried last: mostly they mean something.
  const readings = words.includes(undefined) ? [lines] : [words.flatMap((one) => one ?? []), lines]
  return readings
    .map((paths) => paths.map(localPath))
    .filter((paths): paths is string[] => paths.length <= mostPaths && !paths.includes(undefined))
}

async function fileAt(path: string): Promise<LocalFile | undefined> {
  try {
    const info = await stat(path)
    return info.isFile() ? { path, size: info.size } : undefined
  } catch {
    return undefined
  }
}

/** Words as a shell reads them; undefined where a quote is open. */
function wordsOf(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && /["\\$`]/.test(line.charAt(at + 1))) word += line.charAt(++at)
      else word += character
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ''
    } else if (character === '\\' && at + 1 < line.length) word = (word ?? '') + line.charAt(++at)
    else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  return quote === '' ? words : undefined
}

function localPath(word: string): string | undefined {
  if (/^file:\/\//i.test(word)) {
    try {
      const url = new URL(word)
      // Some terminals name the machine: it is this one.
      url.hostname = ''
      return fileURLToPath(url)
    } catch {
      return undefined
    }
  }
  if (word.startsWith('~/')) return homedir() + word.slice(1)
  return isAbsolute(word) ? word : undefined
}
