import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/storage/journal.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Runs the writer until something is acknowledged and a moment longer, then kills it. Gives what it acknowledged. */
async function writeAndKill(script: string, directory: string, first: number): Promise<number[]> {
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
  await sleep(Math.random() * 60)
  child.kill('SIGKILL')
  await ended
  return output.split('\n').slice(0, -1).map(Number)
}

test('kill -9 at any moment loses no record that was acknowledged, and every record is whole', async () => {
  const home = await temporaryDirectory()
  const script = join(home, 'writer.mjs')
  const bundle = await rolldown({ input: join(import.meta.dirname, 'journal-writer.ts'), platform: 'node' })
  await bundle.write({ file: script, format: 'esm' })
  await bundle.close()
  const directory = join(home, 'journal')
  const acknowledged: number[] = []
  for (let round = 0; round < 8; round++) {
    const told = await writeAndKill(script, directory, round * 1_000_000)
    expect(told.length).toBeGreaterThan(0)
    acknowledged.push(...told)

    const journal = await openJournal<{ n: number; text: string }>(directory, {
      maxSegmentBytes: 20_000,
      maxSegments: 1000,
    })
    const { records } = await journal.readBackwards({ limit: Number.MAX_SAFE_INTEGER })
    await journal.close()
    const stored = new Set(records.map(({ n }) => n))
    expect(stored.size).toBe(records.length)
    expect(acknowledged.filter((n) => !stored.has(n))).toEqual([])
    expect(records.filter(({ n, text }) => text !== 'é'.repeat(n % 300))).toEqual([])
  }
})
