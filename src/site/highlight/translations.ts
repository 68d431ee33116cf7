import { hash } from 'node:crypto'
import { existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { EmulatedRegExp } from 'oniguruma-to-es'
import { dist } from '../../paths.ts'

/** What a pattern became at build time. */
export interface Translation {
  /** What a line must hold for a match: see scripts/needs.mjs. */
  readonly needs: readonly (readonly string[])[]
  /** Makes the expression; null: JavaScript cannot express it. */
  readonly construct: () => RegExp | null
}

/** Undefined: not translated yet. */
export type Translations = (source: string) => Translation | undefined

type Entry =
  | readonly [needs: Translation['needs'], source: string, flags: string, options?: EmulatedRegExp['rawOptions']]
  | null

const KEY = 8
const ROW = KEY + 8

/**
 * The translations of scripts/patterns.mjs, which describes the file. They are read one by one as they are needed: all
 * have 4 MB, a project needs a tenth. Without a file for this V8 nothing is translated yet.
 */
export function openTranslations(folder: string = join(dist, 'patterns')): Translations {
  const path = join(folder, `${process.versions.v8}.bin`)
  if (!existsSync(path)) return () => undefined
  const file = openSync(path, 'r')
  const table = read(file, 4, ROW * read(file, 0, 4).readUInt32BE())
  return (source) => {
    const row = find(table, hash('sha256', source, 'buffer').subarray(0, KEY))
    if (row === undefined) return undefined
    const text = read(file, table.readUInt32BE(row + KEY), table.readUInt32BE(row + KEY + 4))
    const entry = JSON.parse(text.toString('utf8')) as Entry
    return { needs: entry?.[0] ?? [], construct: () => construct(entry) }
  }
}

/** Where the key’s row begins. */
function find(table: Buffer, key: Buffer): number | undefined {
  let low = 0
  let high = table.length / ROW
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = table.compare(key, 0, KEY, middle * ROW, middle * ROW + KEY)
    if (order === 0) return middle * ROW
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

function construct(entry: Entry): RegExp | null {
  if (entry === null) return null
  const [, source, flags, options] = entry
  return options === undefined ? new RegExp(source, flags) : new EmulatedRegExp(source, flags, options)
}

function read(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  if (readSync(file, buffer, 0, length, offset) !== length)
    throw new Error('dist/patterns is incomplete: build it again')
  return buffer
}
