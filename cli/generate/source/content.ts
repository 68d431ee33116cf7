import { isUtf8 } from 'node:buffer'
import { languageOf } from './file-names.ts'
import type { SkipReason } from './source-file.ts'

/** Longest line that a person writes. */
const lineCharacters = 20_000
const denseLine = 1_000

/** The comment that generators put on top, which linters and forges know, too. */
const generatedMark =
  /^[ \t]*(?:\/\/|#|\/?\*|--|<!--|;)[^\n]{0,200}?(?:@generated\b|\bgenerated\b[^\n]{0,100}\bdo not (?:edit|modify)|\bdo not (?:edit|modify)\b[^\n]{0,100}\bgenerated\b)/im
/** Where it stands. */
const headCharacters = 2_000

/** Why the content of a file is of no use for documentation. */
export function uselessness(name: string, content: Buffer): { reason: SkipReason; detail: string } | undefined {
  if (content.includes(0) || !isUtf8(content)) return { reason: 'binary', detail: 'is not text in UTF-8' }
  const text = content.toString('utf8')
  if (generatedMark.test(text.slice(0, headCharacters)))
    return { reason: 'generated', detail: 'says that it is generated' }
  if (languageOf(name) === undefined && !/\.css$/i.test(name)) return undefined
  const lines = text.split('\n')
  const longest = lines.reduce((most, { length }) => Math.max(most, length), 0)
  const isDense = longest > denseLine && text.length / lines.length > denseLine / 3
  if (longest > lineCharacters || isDense) return { reason: 'minified', detail: 'has lines that nobody reads' }
  return undefined
}
