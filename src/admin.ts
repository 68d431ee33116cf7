import type * as program from './administer.ts'
import { openCompiled } from './lib/compiled.ts'

/** What `quire admin` loads. `--compile` as argument compiles the code ahead. */
export const { administer } = await openCompiled<typeof program>('administer')
