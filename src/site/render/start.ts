/**
 * Where the process begins that forks children: its code is compiled when it is built. `--compile` as argument compiles
 * it.
 */
import { argv } from 'node:process'
import { CompiledProgram } from '../../lib/compiled.ts'
import type * as forkServer from './fork-server.ts'

const compiles = argv[2] === '--compile'
const program = new CompiledProgram<Pick<typeof forkServer, 'serve' | 'compileAhead'>>('render-child', {
  fresh: compiles,
})
if (compiles) void program.exports.compileAhead().then(() => program.save())
else void program.exports.serve()
