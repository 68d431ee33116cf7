/**
 * Where the process begins that forks children: its code is compiled when it is built. `--compile` as argument compiles
 * it.
 */
import { openCompiled } from '../../lib/compiled.ts'
import type * as forkServer from './fork-server.ts'

void openCompiled<Pick<typeof forkServer, 'serve' | 'compileAhead'>>('render-child').then(({ serve }) => serve())
