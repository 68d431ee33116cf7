import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { constants, Script } from 'node:vm'
import { dist } from './paths.ts'

/**
 * A bundle of `dist/` that runs with the code which V8 compiled of it when it was built: reading and compiling a program
 * is most of what its start costs. V8 refuses that code by itself where it is of another version or other flags, and
 * compiles anew.
 */
export class CompiledProgram<T extends object> {
  readonly exports: T
  readonly #script: Script
  readonly #cache: string

  /**
   * @param name `serve` for `dist/serve/main.cjs`
   * @param options `fresh`: without the code that was compiled, to compile it
   */
  constructor(name: string, { fresh = false }: { readonly fresh?: boolean } = {}) {
    const filename = join(dist, name, 'main.cjs')
    this.#cache = join(dist, name, 'main.cache')
    if (fresh) rmSync(this.#cache, { force: true })
    // The build leaves only ASCII in it: a byte a character is read and compared fastest.
    const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`
    this.#script = new Script(source, {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(existsSync(this.#cache) ? { cachedData: readFileSync(this.#cache) } : {}),
    })
    const module = { exports: {} as T }
    const run = this.#script.runInThisContext() as (
      exports: T,
      require: NodeJS.Require,
      module: { readonly exports: T },
      filename: string,
      dirname: string,
    ) => void
    run(module.exports, createRequire(filename), module, filename, dirname(filename))
    this.exports = module.exports
  }

  /** Keeps the code of all functions that ran. In one step, since another process may start meanwhile. */
  save(): void {
    writeFileSync(`${this.#cache}.new`, this.#script.createCachedData())
    renameSync(`${this.#cache}.new`, this.#cache)
  }
}
