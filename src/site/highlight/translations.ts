import { hash } from 'node:crypto'
import { existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { EmulatedRegExp } from 'oniguruma-to-es'
import { dist } from '../../lib/paths.ts'
import type { Expression } from './expression.ts'
import { expressionOf } from './expression.ts'

/** What a pattern became at build time. */
export interface Translation {
  /** What a line must hold for a match: see scripts/needs.mjs. */
  readonly needs: readonly (readonly string[])[]
  /** Makes the expression for all text; null: JavaScript cannot express it. */
  readonly wide: () => Expression | null
  /** The one for text in Latin-1 where that is another, quicker one: see scripts/narrow.mjs. */
  readonly narrow?: () => Expression
}

/** Undefined: not translated yet. */
export type Translations = (source: string) => Translation | undefined

type Entry =
  | readonly [
      needs: Translation['needs'],
      flags: string,
      hidden: readonly number[],
      source: string,
      narrow: string | null,
      options: EmulatedRegExp['rawOptions'] | null,
    ]
  | null

const keyBytes = 8
const rowBytes = keyBytes + 8

/**
 * The translations of scripts/patterns.mjs, which describes the file. They are read one by one as they are needed: all
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
  const [needs, flags, hidden, source, narrow, options] = entry
  const construct = (text: string): Expression =>
    expressionOf(options === null ? new RegExp(text, flags) : new EmulatedRegExp(text, flags, options), hidden)
  const wide = (): Expression => construct(source)
  return narrow === null ? { needs, wide } : { needs, wide, narrow: () => construct(narrow) }
}

function read(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  if (readSync(file, buffer, 0, length, offset) !== length)
    throw new Error('dist/patterns is incomplete: build it again')
  return buffer
}
