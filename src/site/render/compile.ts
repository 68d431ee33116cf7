/** Run by the build: compiles the child’s code ahead, with the flags that children have. */
import { execFileSync } from 'node:child_process'
import { childArguments } from './process.ts'

execFileSync(process.execPath, [...childArguments, '--compile'], {
  cwd: '/',
  env: { NODE_ENV: 'production' },
  stdio: 'inherit',
})
