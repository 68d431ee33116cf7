import { hash } from 'node:crypto'
import { existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { EmulatedRegExp } from 'oniguruma-to-es'
import { defaultJavaScriptRegexConstructor } from 'shiki/engine/javascript'
import { dist } from '../../lib/paths.ts'

/** A pattern as JavaScript has it. */
export interface Expression {
  /** Without the flag `d` where the pattern has no groups: telling where they are costs more than most searches. */
  readonly regexp: RegExp
  /** The number in the pattern of each group, 0 where it is not the pattern’s; null: as they come. */
  readonly groups: readonly number[] | null
  /** Whether a match depends on where the search began. */
  readonly dependsOnStart: boolean
}

function expressionOf(regexp: RegExp, groups: readonly number[] | null): Expression {
  const clips = regexp instanceof EmulatedRegExp && regexp.rawOptions.strategy != null
  return { regexp, groups, dependsOnStart: regexp.sticky || clips }
}

/** As scripts/data/patterns.mjs translates: what every Node can do that Quire runs on, so that each gives the same colours. */
const target = 'ES2024'

/** Translates a pattern now; null when JavaScript cannot express it. */
export function translate(source: string): Expression | null {
  try {
    return expressionOf(defaultJavaScriptRegexConstructor(source, { target }), null)
  } catch {
    // A few patterns of rare grammars cannot be written in JavaScript: less colour.
    return null
  }
}

/** What a pattern became at build time. */
export interface Translation {
  /** What a line must hold for a match: see scripts/data/needs.mjs. */
  readonly needs: readonly (readonly string[])[]
  /** Makes the expression for all text; null: JavaScript cannot express it. */
  readonly wide: () => Expression | null
  /** The one for text in Latin-1 where that is another, quicker one: see scripts/data/narrow.mjs. */
  readonly narrow?: () => Expression
}

/** Undefined: not translated yet. */
export type Translations = (source: string) => Translation | undefined

type Entry =
  | readonly [
      needs: Translation['needs'],
      flags: string,
      groups: Expression['groups'],
      source: string,
      narrow: string | null,
      narrowGroups: Expression['groups'],
      options: EmulatedRegExp['rawOptions'] | null,
    ]
  | null

const keyBytes = 8
const rowBytes = keyBytes + 8

/**
 * The translations of scripts/data/patterns.mjs, which describes the file. They are read one by one as they are needed: all
 * have 8 MB, a project needs a tenth. Without a file for this V8 nothing is translated yet.
 */
export function openTranslations(folder: string = join(dist, 'patterns')): Translations {
  const path = join(folder, `${process.versions.v8}.bin`)
  if (!existsSync(path)) return () => undefined
  const file = openSync(path, 'r')
  const table = read(file, 4, rowBytes * read(file, 0, 4).readUInt32BE())
  return (source) => {
    const row = find(table, hash('sha256', source, 'buffer').subarray(0, keyBytes))
    if (row === undefined) return undefined
    const text = read(file, table.readUInt32BE(row + keyBytes), table.readUInt32BE(row + keyBytes + 4))
    return translation(JSON.parse(text.toString('utf8')) as Entry)
  }
}

/** Where the key’s row begins. */
function find(table: Buffer, key: Buffer): number | undefined {
  let low = 0
  let high = table.length / rowBytes
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = table.compare(key, 0, keyBytes, middle * rowBytes, middle * rowBytes + keyBytes)
    if (order === 0) return middle * rowBytes
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

function translation(entry: Entry): Translation {
  if (entry === null) return { needs: [], wide: () => null }
  const [needs, flags, groups, source, narrow, narrowGroups, options] = entry
  const construct = (text: string, numbers: readonly number[] | null): Expression =>
    expressionOf(options === null ? new RegExp(text, flags) : new EmulatedRegExp(text, flags, options), numbers)
  const wide = (): Expression => construct(source, groups)
  return narrow === null ? { needs, wide } : { needs, wide, narrow: () => construct(narrow, narrowGroups) }
}

function read(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  if (readSync(file, buffer, 0, length, offset) !== length)
    throw new Error('dist/patterns is incomplete: build it again')
  return buffer
}
