import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { dist } from '#lib/paths.ts'
import { launchBrowser } from './browser.ts'
import { temporaryDirectory, writeFiles } from './temporary.ts'

export interface Preview {
  readonly url: string
  readonly child: ChildProcess
  /** Everything that it said to people. */
  readonly said: () => string
  /** What its result tells. */
  readonly told: { readonly pages: number; readonly errors: number }
}

/** `quire dev` of a folder, on a port of its own, until the test ends. */
export async function startDev(
  folder: string,
  {
    program = join(dist, 'quire.js'),
    patienceMs = 30_000,
  }: { readonly program?: string; readonly patienceMs?: number } = {},
): Promise<Preview> {
  const child = spawn(process.execPath, [program, 'dev', folder, '--port', '0', '--json'], {
    env: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: await temporaryDirectory() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => (child.exitCode === null ? out : said), { timeout: patienceMs }).toMatch(/\n/)
  const told = JSON.parse(out) as Preview['told'] & { readonly url: string }
  return { url: told.url, told, child, said: () => said }
}

/** `quire dev` of these files, and a browser for its pages, until the test ends. */
export async function browseDev(files: Parameters<typeof writeFiles>[1]) {
  const folder = await temporaryDirectory()
  await writeFiles(folder, files)
  const { url } = await startDev(folder, { patienceMs: 60_000 })
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  return { url, browser }
}
