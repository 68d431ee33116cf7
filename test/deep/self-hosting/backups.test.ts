import { execFile } from 'node:child_process'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#lib/paths.ts'
import { quire } from '#test/support/command-line.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)
const script = join(root, 'self-hosting', 'quire-backup')

it('are made with a date, restored, and the oldest go once one has succeeded', async () => {
  const [data, folder, restored] = [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()]
  const service = await startService(data)
  onTestFinished(() => service.stop())
  await createProject(service.url, 'docs')
  const backups = join(folder, 'of the service')
  await mkdir(backups)
  const older = ['quire-2025-01-01T000000Z.tar.gz', 'quire-2025-01-02T000000Z.tar.gz', 'notes.txt']
  // Of one that was killed, and of one that somebody makes at the same time.
  const [killed, other] = ['a', 'b'].map((digit) => `.quire-2025-01-02T000000Z.tar.gz.${digit.repeat(16)}.tmp`)
  for (const name of [...older, killed, other]) await writeFile(join(backups, name ?? ''), 'older')
  await utimes(join(backups, killed ?? ''), new Date(), new Date(Date.now() - 2 * 60 * 60 * 1000))

  // The last argument of a line of cron.
  const env = { PATH: process.env['PATH'], DATA_DIR: data, HOME: folder }
  await run(script, [backups, '2'], { env })
  await service.stop()
  const kept = (await readdir(backups)).sort()
  expect(kept).toEqual([
    other,
    'notes.txt',
    'quire-2025-01-02T000000Z.tar.gz',
    expect.stringMatching(/^quire-2\d{3}-.*Z\.tar\.gz$/),
  ])
  const target = join(restored, 'data')
  expect((await quire(['admin', 'restore', join(backups, kept[3] ?? ''), '--into', target])).code).toBe(0)
  expect((await quire(['admin', 'projects', 'list', '--data', target])).stdout).toContain('docs')

  await expect(run(script, [backups, '1'], { env: { ...env, DATA_DIR: join(folder, 'nowhere') } })).rejects.toThrow(
    'nowhere',
  )
  expect((await readdir(backups)).sort()).toEqual(kept)
})
