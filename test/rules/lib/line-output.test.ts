import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { LineOutput } from '#lib/line-output.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

it('writes all lines, in their order', async () => {
  const path = join(await temporaryDirectory(), 'log')
  const file = await open(path, 'a')
  onTestFinished(() => file.close())
  const output = new LineOutput(file.fd)
  const lines = Array.from({ length: 20_000 }, (_, number) => `line ${number}, ${'é'.repeat(number % 100)}\n`)
  for (const line of lines) output.write(line)
  await expect.poll(() => readFile(path, 'utf8')).toBe(lines.join(''))
})
