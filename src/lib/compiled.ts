import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { argv, exit } from 'node:process'
import { Script } from 'node:vm'
import { dist } from './paths.ts'

/** The build begins a bundle with a comment that holds its SHA-256, `/*` and 64 digits. */
const digestAt = 2
const digestLength = 64

/** What a program has that is compiled ahead. */
export interface Compilable {
  /** Runs what it commonly runs: the code of that is kept. */
  compileAhead(): Promise<void>
}

/**
 * A bundle of `dist/` that runs with the code which V8 compiled of it when it was built: reading and compiling a program
 * is most of what its start costs. V8 refuses that code by itself where it is of another version or other flags, and
 * compiles anew. With `--compile` as the process’s argument, compiles it and ends the process instead.
 * @param name `serve` for `dist/serve/main.cjs`
 */
export async function openCompiled<T extends Compilable>(name: string): Promise<T> {
  const compiles = argv[2] === '--compile'
  const program = new CompiledProgram<T>(name, { fresh: compiles })
  if (compiles) {
    await program.exports.compileAhead()
    program.save()
    exit()
  }
  return program.exports
}

class CompiledProgram<T extends object> {
  readonly exports: T
  readonly #script: Script
  readonly #cache: string
  readonly #digest: string

  /** @param options `fresh`: without the code that was compiled, to compile it */
  constructor(name: string, { fresh }: { readonly fresh: boolean }) {
    const filename = join(dist, name, 'main.cjs')
    this.#cache = join(dist, name, 'main.cache')
    // The build leaves only ASCII in it: a byte a character is read and compared fastest.
    const text = readFileSync(filename, 'latin1')
    this.#digest = text.slice(digestAt, digestAt + digestLength)
    const cachedData = fresh ? undefined : this.#read()
    const parameters = 'exports, require, module, __filename, __dirname, importModule'
    this.#script = new Script(`(function (${parameters}) {${text}\n})`, {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    })
    const module = { exports: {} as T }
    const run = this.#script.runInThisContext() as (
      exports: T,
      require: NodeJS.Require,
      module: { readonly exports: T },
      filename: string,
      dirname: string,
      importModule: (specifier: string) => Promise<unknown>,
    ) => void
    // Node 20 refuses an `import()` in code that was compiled ahead; the build makes it a call of this.
    const importModule = (specifier: string): Promise<unknown> => import(specifier)
    run(module.exports, createRequire(filename), module, filename, dirname(filename), importModule)
    this.exports = module.exports
  }

  /** Keeps the code of all functions that ran. In one step, since another process may start meanwhile. */
  save(): void {
    const draft = `${this.#cache}.${process.pid}`
    writeFileSync(draft, Buffer.concat([Buffer.from(this.#digest, 'latin1'), this.#script.createCachedData()]))
    // What was run may have closed new files to others, and the service may run as another user than its build.
    chmodSync(draft, 0o644)
    renameSync(draft, this.#cache)
  }

  /** The compiled code, where it is of this very source: of that, V8 compares nothing but the length. */
  #read(): Buffer | undefined {
    if (!existsSync(this.#cache)) return undefined
    const bytes = readFileSync(this.#cache)
    return bytes.toString('latin1', 0, digestLength) === this.#digest ? bytes.subarray(digestLength) : undefined
  }
}
