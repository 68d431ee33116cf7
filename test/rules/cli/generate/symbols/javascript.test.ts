import { describe, expect, it } from 'vitest'
import { shown, symbolsOf } from './shown.ts'

describe('symbols of TypeScript', () => {
  it('are what is exported, with signatures and comments, without bodies', async () => {
    const text = `import { readFile } from 'node:fs/promises'

/** Settings of a site. */
export interface Settings {
  /** Shown in the head. */
  readonly title: string
  load(path: string): Promise<void>
}

export type Result = { ok: true } | { ok: false }
export const limit = 10
export enum Colour { Red = 'red', Blue = 'blue' }

/**
 * Reads settings.
 * @param path Where they stand.
 */
export async function load<T extends Settings>(
  path: string, // relative
  options: { strict?: boolean } = {},
): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8'))
}

export const parse = (text: string): Settings => JSON.parse(text)
function hidden() {}
`
    expect(await shown('a.ts', text)).toEqual([
      '4-8 interface Settings = export interface Settings — Settings of a site.',
      '  6-6 property title = readonly title: string — Shown in the head.',
      '  7-7 method load = load(path: string): Promise<void>',
      '10-10 type Result = export type Result = { ok: true } | { ok: false }',
      '11-11 constant limit = export const limit = 10',
      '12-12 enum Colour = export enum Colour',
      "  12-12 constant Red = Red = 'red'",
      "  12-12 constant Blue = Blue = 'blue'",
      '18-23 function load = export async function load<T extends Settings>(path: string, options: { strict?: boolean } = {}): Promise<T> — Reads settings.\n@param path Where they stand.',
      '25-25 function parse = export const parse = (text: string): Settings',
    ])
  })

  it('of a class are its members that others can reach', async () => {
    const text = `@sealed()
export default abstract class Store<T> extends Base implements Sized {
  private secret = 1
  #count = 0
  static readonly kind: string = 'store'
  constructor(readonly root: string) { super() }
  /** Puts one. */
  put(item: T): void
  put(items: T[]): void
  put(items: T | T[]): void {}
  protected abstract find(id: string): T | undefined
  @logged get size(): number { return this.#count }
  on = (event: string): void => {}
  /** @internal */
  reset(): void {}
}`
    expect(await shown('a.ts', text)).toEqual([
      '1-16 class Store as default = @sealed() export default abstract class Store<T> extends Base implements Sized',
      "  5-5 property kind = static readonly kind: string = 'store'",
      '  6-6 method constructor = constructor(readonly root: string)',
      '  8-9 method put = put(item: T): void; put(items: T[]): void — Puts one.',
      '  11-11 method find = protected abstract find(id: string): T | undefined',
      '  12-12 method size = @logged get size(): number',
      '  13-13 method on = on = (event: string): void',
    ])
  })

  it('have the names that importers use, and say what comes from elsewhere', async () => {
    const file = await symbolsOf(
      'src/index.ts',
      `import helper, { other } from './helper.js'
import type { Shape } from '../shapes'
class Inner {}
export { Inner as Outer, other, type Shape }
export * from './all.ts'
export * as tools from './tools'
export { default as chalk } from 'chalk'
export default Inner
`,
      new Set(['src/helper.ts', 'shapes/index.ts', 'src/all.ts', 'src/tools/index.js', 'src/index.ts']),
    )
    expect(file.symbols.map(({ name, exportedAs }) => [name, exportedAs])).toEqual([
      ['Inner', 'Outer'],
      ['Inner', 'default'],
    ])
    expect(file.reexports).toEqual([
      "{ other } from './helper.js'",
      "{ Shape } from '../shapes'",
      "* from './all.ts'",
      "* as tools from './tools'",
      "{ default as chalk } from 'chalk'",
    ])
    expect(file.imports).toEqual(['src/helper.ts', 'shapes/index.ts', 'src/all.ts', 'src/tools/index.js'])
  })

  it('of declaration files are overloads, namespaces, ambient modules and `export =`', async () => {
    const text = `declare function open(path: string): open.Handle
declare function open(path: string, mode: number): open.Handle
declare namespace open {
  /** An open file. */
  interface Handle { close(): void }
}
export = open
declare module 'disk' { export const size: number }
declare global { interface Window { disk: string } }
`
    expect(await shown('a.d.ts', text)).toEqual([
      '1-2 function open as export = = declare function open(path: string): open.Handle; declare function open(path: string, mode: number): open.Handle',
      '3-6 module open as export = = declare namespace open',
      '  5-5 interface Handle = interface Handle — An open file.',
      '    5-5 method close = close(): void',
      "8-8 module disk = declare module 'disk'",
      '  8-8 constant size = const size: number',
      '9-9 module global = declare global',
      '  9-9 interface Window = interface Window',
      '    9-9 property disk = disk: string',
    ])
  })

  it('are found with a byte order mark, CRLF, names beyond ASCII, and in TSX', async () => {
    const text = '\uFEFF/** Über. */\r\nexport function grüße(wer: string) {\r\n  return <b>{wer}</b>\r\n}\r\n'
    expect(await shown('a.tsx', text)).toEqual(['2-4 function grüße = export function grüße(wer: string) — Über.'])
  })

  it('are told around what is no TypeScript', async () => {
    const file = await symbolsOf('a.ts', 'export const a = 1\nexport function ( {\n\nexport const b = 2\n')
    expect(file.symbols.map(({ name }) => name)).toContain('a')
    expect(file.syntaxErrors).toBeGreaterThan(0)
  })

  it('know the comment of a file from that of its first declaration', async () => {
    expect((await symbolsOf('a.ts', "/** The file. */\nimport 'a'\nexport const b = 1")).doc).toBe('The file.')
    const attached = await symbolsOf('a.ts', '/** The constant. */\nexport const b = 1')
    expect([attached.doc, attached.symbols[0]?.doc]).toEqual([undefined, 'The constant.'])
  })
})

describe('symbols of JavaScript', () => {
  it('are what CommonJS exports, in its ways', async () => {
    const text = `'use strict'
const { join } = require('node:path')
const inner = require('./inner')
/** Reads. */
function read(path) {}
class Box { open() {} }
module.exports = { read, Box, join: join, write(path, text) {}, size: 3, again: read, ...require('./more') }
module.exports.inner = inner
exports.late = async (a) => a
`
    const file = await symbolsOf('lib/a.cjs', text, new Set(['lib/inner.js', 'lib/more/index.cjs']))
    expect(file.symbols.map(({ name, kind, signature }) => `${kind} ${name}: ${signature}`)).toEqual([
      'function read: function read(path)',
      'class Box: class Box',
      'constant join: exports.join = join',
      'function write: write(path, text)',
      'constant size: exports.size = 3',
      "constant inner: const inner = require('./inner')",
      'function late: exports.late = async (a)',
    ])
    expect(file.symbols[0]?.doc).toBe('Reads.')
    expect(file.reexports).toEqual(["* from './more'"])
    expect(file.imports).toEqual(['lib/inner.js', 'lib/more/index.cjs'])
  })

  it('are what a module exports whole, as a function, a class or what it is called by', async () => {
    expect(await shown('a.js', 'function make(a) {}\nmodule.exports = make\nmodule.exports.default = make')).toEqual([
      '1-1 function make as module.exports = function make(a)',
    ])
    expect(await shown('a.js', 'exports = module.exports = class Tree { grow(n) {} }')).toEqual([
      '1-1 class Tree as module.exports = module.exports = class Tree',
      '  1-1 method grow = grow(n)',
    ])
  })

  it('are those of ES modules in .mjs and .js', async () => {
    expect(await shown('a.mjs', 'export default (a, b = 2) => a + b')).toEqual([
      '1-1 function default = export default (a, b = 2)',
    ])
  })
})
