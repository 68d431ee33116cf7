/**
 * Where a child begins. It runs the bundle of `child.ts` with the code that V8 compiled of it when it was built, which
 * saves most of what starting costs; every deploy of another project needs a fresh child. V8 refuses that code by itself
 * where it is of another version or other flags, and compiles anew. `--compile` as argument makes the code.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { Script } from 'node:vm'
import { dist } from '../../lib/paths.ts'
import type * as child from './child.ts'

type Child = Pick<typeof child, 'serve' | 'compileAhead'>

const filename = join(dist, 'render-child', 'main.cjs')
const cache = join(dist, 'render-child', 'main.cache')
const compiles = argv[2] === '--compile'
if (compiles) rmSync(cache, { force: true })

const script = new Script(
  // The build leaves only ASCII in it: a byte a character is read and compared fastest.
  `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`,
  { filename, ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}) },
)
const module = { exports: {} as Child }
const run = script.runInThisContext() as (
  exports: Child,
  require: NodeJS.Require,
  module: { readonly exports: Child },
  filename: string,
  dirname: string,
) => void
run(module.exports, createRequire(filename), module, filename, dirname(filename))

if (compiles) void module.exports.compileAhead().then(save)
else void module.exports.serve()

/** Functions that ran are part of it; in one step, since a child may start meanwhile. */
function save(): void {
  writeFileSync(`${cache}.new`, script.createCachedData())
  renameSync(`${cache}.new`, cache)
}
