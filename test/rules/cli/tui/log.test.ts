import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { logTo } from '#cli/tui/log.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

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
