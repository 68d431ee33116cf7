import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { dist } from '#lib/paths.ts'

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built `quire` as a user would, without a terminal. @param input what it reads */
export async function quire(
  words: readonly string[],
  environment: Record<string, string> = {},
  directory?: string,
  input = '',
): Promise<Finished> {
  const child = spawn(process.execPath, [join(dist, 'quire.js'), ...words], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(directory === undefined ? {} : { cwd: directory }),
  })
  // Who reads nothing may be gone by then.
  child.stdin.on('error', () => undefined).end(input)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code]: (number | null)[] = await once(child, 'close')
  return { code: code ?? null, stdout, stderr }
}
