import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { dist } from '../../src/lib/paths.ts'

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built `quire` as a user would, without a terminal. */
export async function quire(
  words: readonly string[],
  environment: Record<string, string> = {},
  directory?: string,
): Promise<Finished> {
  const child = spawn(process.execPath, [join(dist, 'quire.js'), ...words], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(directory === undefined ? {} : { cwd: directory }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code]: (number | null)[] = await once(child, 'close')
  return { code: code ?? null, stdout, stderr }
}
