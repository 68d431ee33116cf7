// Translates the patterns of all grammars from Oniguruma’s language to JavaScript’s, which is most of what a child
// would spend on a language it meets. Writes `dist/patterns/<version of V8>.bin`, since the translation depends on what
// V8 can do; src/site/highlight/translations.ts reads it: the number of patterns (4 bytes, big-endian), their table by
// ascending key (8 bytes of SHA-256 of the source; offset and length, 4 bytes each), then what they are in JSON.
import { hash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultJavaScriptRegexConstructor } from 'shiki/engine/javascript'
import { bundledLanguagesInfo } from 'shiki/langs'
import { narrowed } from './narrow.mjs'
import { needsOf } from './needs.mjs'

/** Not what the Node at hand can do: needs.mjs and narrow.mjs know no groups with flags of their own, as of ES2025. */
const target = 'ES2024'
const patternKeys = new Set(['match', 'begin', 'end', 'while'])
/** What the tokeniser takes for an `end` that is not there. */
const never = '\uFFFF'

/** Adds every pattern of a grammar to `found`, wherever it stands: rules nest in captures, injections, repositories. */
function collect(value, found) {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') collect(inner, found)
    else if (patternKeys.has(key)) for (const source of prepared(inner)) found.add(source)
  }
}

/** What the tokeniser makes of a pattern: `\z` for lines, and `\A` and `\G` switched off where they cannot match. */
function prepared(pattern) {
  const source = pattern.replace(/\\([\s\S])/g, (escape, letter) => (letter === 'z' ? '$(?!\\n)(?<!\\n)' : escape))
  const without = (letters) =>
    source.replace(/\\([\s\S])/g, (escape, letter) => (letters.includes(letter) ? `\\${never}` : escape))
  return [source, without('A'), without('G'), without('AG')]
}

/**
 * `[needs, flags, hidden, source, narrow, options]` of the expression; null for what JavaScript cannot express.
 * `hidden` are numbers of groups that are not the pattern’s, `narrow` the source for text in Latin-1 or null, `options`
 * those of an EmulatedRegExp or null where a RegExp will do.
 */
function translated(pattern) {
  let regexp
  try {
    regexp = defaultJavaScriptRegexConstructor(pattern, { target: target })
  } catch {
    return null
  }
  const { source, flags, rawOptions } = regexp
  const { hiddenCaptures: hidden = [], strategy = null, transfers = [] } = rawOptions ?? {}
  const narrow = narrowed(source, flags)
  const isPlain = strategy === null && transfers.length === 0
  const hasGroups = !isPlain || groupsOf(narrow ?? source, flags) > hidden.length
  return [
    needsOf(source, flags),
    hasGroups ? flags : flags.replace('d', ''),
    isPlain ? hidden : [],
    source,
    narrow ?? null,
    isPlain ? null : rawOptions,
  ]
}

function groupsOf(source, flags) {
  return new RegExp(`${source}|`, flags).exec('').length - 1
}

/**
 * @param folder where the file goes
 * @param languages canonical names; all unless given
 */
export async function buildPatterns(folder = 'dist/patterns', languages) {
  const sources = new Set([never])
  for (const info of bundledLanguagesInfo)
    if (languages?.includes(info.id) ?? true) collect((await info.import()).default, sources)
  const patterns = [...sources].map((source) => ({ source, key: hash('sha256', source, 'buffer').subarray(0, 8) }))
  patterns.sort((a, b) => a.key.compare(b.key))
  const head = Buffer.alloc(4 + 16 * patterns.length)
  head.writeUInt32BE(patterns.length)
  const texts = []
  let offset = head.length
  for (const [position, { source, key }] of patterns.entries()) {
    if (position > 0 && key.equals(patterns[position - 1].key)) throw new Error(`Two patterns have one key: ${source}`)
    const text = Buffer.from(JSON.stringify(translated(source)))
    const at = 4 + 16 * position
    key.copy(head, at)
    head.writeUInt32BE(offset, at + 8)
    head.writeUInt32BE(text.length, at + 12)
    texts.push(text)
    offset += text.length
  }
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  // In one step: a child may start meanwhile.
  const file = join(folder, `${process.versions.v8}.bin`)
  await writeFile(`${file}.new`, Buffer.concat([head, ...texts]))
  await rename(`${file}.new`, file)
}
