import { argv } from 'node:process'
import type * as program from './administer.ts'
import { CompiledProgram } from './lib/compiled.ts'

/** What `quire admin` loads. `--compile` as argument compiles the code ahead. */
const compiles = argv[2] === '--compile'
const compiled = new CompiledProgram<typeof program>('administer', { fresh: compiles, imports: true })
if (compiles) {
  await compiled.exports.compileAhead()
  compiled.save()
}

export const { administer } = compiled.exports
