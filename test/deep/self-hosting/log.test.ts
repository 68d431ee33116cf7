import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { root } from '#lib/paths.ts'
import { startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)
const shown = (file: string): Promise<string> => readFile(join(root, 'self-hosting', file), 'utf8')

it('logrotate begins a new log while the service goes on writing', async () => {
  const [data, directory] = [await temporaryDirectory(), await temporaryDirectory()]
  const log = join(directory, 'quire.log')
  const service = await startService(data, { LOG_LEVEL: 'info', LOG_FILE: log }, undefined, {
    through: ['sh', '-c', 'exec "$@" >>"$LOG_FILE"', 'sh'],
  })
  onTestFinished(() => service.stop())
  const messages = async (file: string): Promise<string[]> => {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    return lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
  }
  await expect.poll(() => messages(log)).toContain('started')

  const file = join(directory, 'quire.conf')
  const text = await shown('quire.logrotate')
  expect(text).toContain('su quire quire')
  await writeFile(file, text.replace('su quire quire', '').replaceAll('/var/log/quire', directory), { mode: 0o600 })
  const env = { PATH: `${process.env['PATH']}:/usr/sbin` }
  await run('logrotate', ['--force', '--state', join(directory, 'state'), file], { env })
  expect(await messages(`${log}.1`)).toContain('started')
  expect(await messages(log)).toEqual([])
  await fetch(`${service.url}/api/nothing`)
  await expect.poll(() => messages(log)).toEqual(['request'])
})

it('containers of compose keep no more of their logs than there is room for', async () => {
  const { services } = parse(await shown('compose.yml'), { merge: true }) as {
    services: Record<string, { logging?: { options: Record<string, string> } }>
  }
  expect(Object.keys(services)).toEqual(['quire', 'caddy'])
  for (const { logging } of Object.values(services))
    expect(logging?.options).toEqual({ 'max-size': '100m', 'max-file': '5' })
})
