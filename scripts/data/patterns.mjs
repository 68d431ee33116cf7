// Translates the patterns of all grammars from Oniguruma’s language to JavaScript’s, which is most of what a child
// would spend on a language it meets. Writes `dist/patterns/<version of V8>.bin`, since the translation depends on what
// V8 can do; src/site/highlight/translations.ts reads it: the number of patterns (4 bytes, big-endian), their table by
// ascending key (8 bytes of SHA-256 of the source; offset and length, 4 bytes each), then what they are in JSON.
import { hash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultJavaScriptRegexConstructor } from 'shiki/engine/javascript'
import { bundledLanguagesInfo } from 'shiki/langs'
import { narrowed, withGroups } from './narrow.mjs'
import { needsOf } from './needs.mjs'

/** Not what the Node at hand can do: needs.mjs and narrow.mjs know no groups with flags of their own, as of ES2025. */
const target = 'ES2024'
const patternKeys = new Set(['match', 'begin', 'end', 'while'])
/** What the tokeniser takes for an `end` that is not there. */
const never = '\uFFFF'

/**
 * Adds every pattern of a grammar to `found`, wherever it stands: rules nest in captures, injections, repositories.
 * @param found by pattern, the numbers of its groups that a rule asks for
 */
function collect(value, found) {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') collect(inner, found)
    else if (patternKeys.has(key))
      for (const source of prepared(inner)) {
        const used = found.get(source) ?? new Set()
        for (const group of groupsUsed(value)) used.add(group)
        found.set(source, used)
      }
  }
}

/**
 * Numbers of the groups that a rule may ask for, in any of its patterns: it names what they hold, puts their text in a
 * name (`$1`, `${1:/downcase}`), or looks for it again at its end (`\1`).
 */
function groupsUsed(rule) {
  const captures = ['captures', 'beginCaptures', 'endCaptures', 'whileCaptures'].map((key) => rule[key] ?? {})
  const named = [rule, ...captures.flatMap((capture) => Object.values(capture))]
  const names = named.flatMap((one) => [one?.name, one?.contentName])
  const inNames = names.join(' ').matchAll(/\$\{?(\d+)/g)
  const inEnds = `${rule.end} ${rule.while}`.matchAll(/\\(\d+)/g)
  return [
    ...captures.flatMap((capture) => Object.keys(capture)),
    ...[...inNames, ...inEnds].map(([, group]) => group),
  ].map(Number)
}

/** What the tokeniser makes of a pattern: `\z` for lines, and `\A` and `\G` switched off where they cannot match. */
function prepared(pattern) {
  const source = pattern.replace(/\\([\s\S])/g, (escape, letter) => (letter === 'z' ? '$(?!\\n)(?<!\\n)' : escape))
  const without = (letters) =>
    source.replace(/\\([\s\S])/g, (escape, letter) => (letters.includes(letter) ? `\\${never}` : escape))
  return [source, without('A'), without('G'), without('AG')]
}

/**
 * `[needs, flags, groups, source, narrow, narrowGroups, options]` of the expression; null for what JavaScript cannot
 * express. `groups` are the numbers in the pattern of the expression’s groups, 0 for those that the translation added, or
 * null where all are the pattern’s; `narrow` is the source for text in Latin-1 or null, `options` those of an
 * EmulatedRegExp or null where a RegExp will do.
 * @param used numbers of the groups that rules ask for
 */
function translated(pattern, used) {
  let regexp
  try {
    regexp = defaultJavaScriptRegexConstructor(pattern, { target: target })
  } catch {
    return null
  }
  const { source, flags, rawOptions } = regexp
  const { hiddenCaptures: hidden = [], strategy = null, transfers = [] } = rawOptions ?? {}
  const isPlain = strategy === null && transfers.length === 0
  const latin1 = narrowed(source, flags)
  const count = groupsOf(latin1 ?? source, flags)
  const slim = isPlain && hidden.length === 0 ? withGroups(latin1 ?? source, used) : undefined
  const groups = isPlain && hidden.length > 0 ? numbered(count, hidden) : null
  const hasGroups = !isPlain || count > hidden.length
  return [
    needsOf(source, flags),
    hasGroups ? flags : flags.replace('d', ''),
    groups,
    source,
    slim?.source ?? latin1 ?? null,
    slim?.groups ?? groups,
    isPlain ? null : rawOptions,
  ]
}

function numbered(count, hidden) {
  let number = 0
  return Array.from({ length: count }, (_, at) => (hidden.includes(at + 1) ? 0 : ++number))
}

function groupsOf(source, flags) {
  return new RegExp(`${source}|`, flags).exec('').length - 1
}

/**
 * @param folder where the file goes
 * @param languages canonical names; all unless given
 */
export async function buildPatterns(folder = 'dist/patterns', languages) {
  const used = new Map([[never, new Set()]])
  for (const info of bundledLanguagesInfo)
    if (languages?.includes(info.id) ?? true) collect((await info.import()).default, used)
  const patterns = [...used.keys()].map((source) => ({ source, key: hash('sha256', source, 'buffer').subarray(0, 8) }))
  patterns.sort((a, b) => a.key.compare(b.key))
  const head = Buffer.alloc(4 + 16 * patterns.length)
  head.writeUInt32BE(patterns.length)
  const texts = []
  let offset = head.length
  for (const [position, { source, key }] of patterns.entries()) {
    if (position > 0 && key.equals(patterns[position - 1].key)) throw new Error(`Two patterns have one key: ${source}`)
    const text = Buffer.from(JSON.stringify(translated(source, used.get(source))))
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
