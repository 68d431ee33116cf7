import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import { dist } from '#lib/paths.ts'
import type { Finished } from './command-line.ts'

/** A `quire login` that waits for somebody to decide. */
export interface LoginProcess {
  readonly code: string
  /** The page that it asks the person to open. */
  readonly page: string
  interrupt(): void
  readonly finished: Promise<Finished>
}

/** Starts the built `quire login`, without a terminal, and waits until it shows its code. */
export async function startLogin(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<LoginProcess> {
  const child = spawn(process.execPath, [join(dist, 'quire.js'), 'login', ...words], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  const finished = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, ...said }))
  const shown = /code {2}(\S+)\nopen {2}(\S+)\n/
  await expect.poll(() => said.stderr).toMatch(shown)
  const [, code = '', page = ''] = shown.exec(said.stderr) ?? []
  return { code, page, interrupt: () => void child.kill('SIGINT'), finished }
}
