import { execFileSync, spawn } from 'node:child_process'
import { chmod, chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { lockDirectory } from '#storage/lock.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

test('makes the directory, for its user only, and locks it until it is released, also against this process', async () => {
  const directory = join(await temporaryDirectory(), 'new', 'data')
  const lock = await lockDirectory(directory)
  expect(lock.directory).toBe(directory)
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
  await expect(lockDirectory(directory)).rejects.toThrow(`in use by process ${process.pid}`)
  await lock.release()
  await (await lockDirectory(directory)).release()
})

test('closes a directory that others could look into, and all that is written from then on', async () => {
  const directory = await temporaryDirectory()
  await chmod(directory, 0o755)
  const before = process.umask(0o022)
  onTestFinished(() => void process.umask(before))
  const lock = await lockDirectory(directory)
  await writeFile(join(directory, 'ours'), '')
  execFileSync('mkdir', [join(directory, 'of a child')])
  const modes = await Promise.all(
    ['', 'ours', 'of a child'].map(async (name) => (await stat(join(directory, name))).mode),
  )
  expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o700])
  await lock.release()
})

test.runIf(process.getuid?.() === 0)('closes a directory of another user, as root', async () => {
  const directory = await temporaryDirectory()
  await chown(directory, 1000, 1000)
  await chmod(directory, 0o755)
  const before = process.umask()
  onTestFinished(() => void process.umask(before))
  const lock = await lockDirectory(directory)
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
  await lock.release()
})

test('processes that we start afterwards do not keep the lock', async () => {
  const directory = await temporaryDirectory()
  const lock = await lockDirectory(directory)
  const child = spawn('sleep', ['30'])
  await lock.release()
  const again = await lockDirectory(directory)
  expect(again.directory).toBe(directory)
  await again.release()
  await lock.release()
  child.kill()
})

test('says what to install where the program flock is missing', async () => {
  vi.stubEnv('PATH', await temporaryDirectory())
  await expect(lockDirectory(await temporaryDirectory())).rejects.toMatchObject({
    code: 'unavailable',
    hint: expect.stringContaining('util-linux') as string,
  })
  vi.unstubAllEnvs()
})

test('says that a file is where the directory should be', async () => {
  const file = join(await temporaryDirectory(), 'data')
  await writeFile(file, '')
  for (const directory of [file, join(file, 'below')])
    await expect(lockDirectory(directory)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('a file is in its place') as string,
      hint: expect.stringContaining('DATA_DIR') as string,
    })
})
