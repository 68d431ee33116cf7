/**
 * Where a child begins: every deploy of another project needs a fresh child, so its code is compiled when it is built.
 * `--compile` as argument compiles it.
 */
import { argv } from 'node:process'
import { CompiledProgram } from '../../lib/compiled.ts'
import type * as child from './child.ts'

const compiles = argv[2] === '--compile'
const program = new CompiledProgram<Pick<typeof child, 'serve' | 'compileAhead'>>('render-child', { fresh: compiles })
if (compiles) void program.exports.compileAhead().then(() => program.save())
else void program.exports.serve()
