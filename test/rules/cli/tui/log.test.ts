import { inDepth } from '#test/support/depth.ts'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { logTo } from '#cli/tui/log.ts'
import { root } from '#lib/paths.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

test('lines stand in the log in their order, and a log that is too long is put aside', async () => {
  const file = join(await temporaryDirectory(), 'state', 'ui.log')
  const log = logTo(file)
  for (let at = 0; at < 100; at++) log(`line ${at}`)
  const written = async (): Promise<string[]> =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').map((line) => line.slice(line.indexOf(' ') + 1))
  await expect.poll(written).toEqual([...Array.from({ length: 100 }, (_, at) => `line ${at}`), ''])
  await writeFile(file, 'x'.repeat(1024 * 1024 + 1))
  log('one more')
  await expect.poll(written).toEqual(['one more', ''])
  expect((await readFile(`${file}.old`)).length).toBe(1024 * 1024 + 1)
})

inDepth('a disk that does not answer holds nobody up', async () => {
  const directory = await temporaryDirectory()
  const [script, file] = [join(directory, 'log.mjs'), join(directory, 'ui.log')]
  const input = join(root, 'cli/tui/log.ts')
  const bundle = await rolldown({ input, platform: 'node', onLog: () => undefined })
  await bundle.write({ file: script, format: 'esm' })
  await bundle.close()
  // Nobody reads from it, so that opening it never ends.
  await run('mkfifo', [file])
  const program = `
    import { logTo } from ${JSON.stringify(script)}
    logTo(${JSON.stringify(file)})('a line')
    setTimeout(() => process.stdout.write('goes on', () => process.kill(process.pid, 'SIGKILL')), 50)
  `
  const child = run(process.execPath, ['--input-type=module', '-e', program], { timeout: 10_000 })
  await expect(child).rejects.toMatchObject({ stdout: 'goes on' })
})
