import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { openFileRecords } from '#test/support/file-records.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { crashLog, crashTable } from '#test/support/storage/records-crash-streams.ts'

/** Runs the writer until something is acknowledged and a moment longer, then kills it. Gives what it acknowledged. */
async function writeAndKill(script: string, directory: string, first: number): Promise<[kind: string, n: number][]> {
  const child = spawn(process.execPath, [script, directory, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let output = ''
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      resolve()
    })
  })
  await Promise.race([begun, ended])
  await sleep(20 + Math.random() * 100)
  child.kill('SIGKILL')
  await ended
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [kind = '', n] = line.split(' ')
      return [kind, Number(n)]
    })
}

test('kill -9 at any moment loses nothing that was acknowledged, and leaves nothing of what was deleted', async () => {
  const home = await temporaryDirectory()
  const script = join(home, 'writer.mjs')
  const bundle = await rolldown({ input: join(import.meta.dirname, 'records-writer.ts'), platform: 'node' })
  await bundle.write({ file: script, format: 'esm' })
  await bundle.close()
  const directory = join(home, 'data')
  const acknowledged: [kind: string, n: number][] = []
  const numbersOf = (kind: string): number[] => acknowledged.filter(([one]) => one === kind).map(([, n]) => n)
  for (let round = 0; round < 8; round++) {
    const told = await writeAndKill(script, directory, round * 1_000_000)
    expect(told.length).toBeGreaterThan(0)
    acknowledged.push(...told)

    const records = openFileRecords(directory)
    const { records: logged } = await records.use('leaves', crashLog, (log) =>
      log.page({ limit: Number.MAX_SAFE_INTEGER }),
    )
    const stored = new Set(logged.map(({ n }) => n))
    expect(stored.size).toBe(logged.length)
    expect(numbersOf('log').filter((n) => !stored.has(n))).toEqual([])
    expect(logged.filter(({ n, text }) => text !== 'é'.repeat(n % 300))).toEqual([])

    await records.use('leaves', crashTable, async (table) => {
      expect(table.damaged).toBe(0)
      // A write is there as a whole: both of its records, or none.
      for (const [key] of table.heads()) if (!key.endsWith('-twin')) expect(table.head(`${key}-twin`)).toBeDefined()
      for (const n of numbersOf('kept')) {
        const text = `secret-${n}-`.repeat(100)
        expect(await table.read(`k${n}`)).toEqual({ head: { step: 2 }, body: { text } })
      }
    })
    await records.close()
    const folder = join(directory, 'leaves', 'changelog')
    const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    expect(numbersOf('gone').filter((n) => texts.some((text) => text.includes(`secret-${n}-`)))).toEqual([])
  }
})
