import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { dist } from '#lib/paths.ts'
import { freePort } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

it('a service whose log lies on a full disk goes on, and ends when it is told to', async () => {
  const full = await open('/dev/full', 'w')
  onTestFinished(() => full.close())
  const port = await freePort()
  const child = spawn(process.execPath, [join(dist, 'server.js')], {
    env: { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: await temporaryDirectory() },
    stdio: ['ignore', full.fd, full.fd],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const answers = async (): Promise<number | undefined> =>
    (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.status
  await expect.poll(answers, { timeout: 60_000 }).toBe(200)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
