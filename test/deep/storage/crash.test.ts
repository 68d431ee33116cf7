import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { lockDirectory } from '#storage/lock.ts'
import { openStore } from '#storage/documents/document-files.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** Bundles writer.ts, so that a plain Node process can run it. */
async function buildWriter(): Promise<string> {
  const file = join(await temporaryDirectory(), 'writer.mjs')
  const bundle = await rolldown({ input: join(import.meta.dirname, 'writer.ts'), platform: 'node' })
  await bundle.write({ file, format: 'esm' })
  await bundle.close()
  return file
}

interface Writer {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  output(): string
}

/** Resolves when the writer holds the directory and has something acknowledged. */
async function startWriter(script: string, directory: string): Promise<Writer> {
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const ended = once(child, 'close')
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('project/a ')) resolve()
    })
  })
  await Promise.race([begun, ended])
  return { child, ended, output: () => output }
}

/** The last count of each document that was acknowledged. A line that was cut off counts for nothing. */
function acknowledged(output: string): Map<string, number> {
  const lines = output.split('\n').slice(0, -1)
  const pairs = lines.map((line) => line.split(' ')).filter((words) => words.length === 2)
  return new Map(pairs.map(([document = '', count]) => [document, Number(count)]))
}

test('kill -9 at any moment loses nothing that was acknowledged, and frees the directory at once', async () => {
  const script = await buildWriter()
  const directory = await temporaryDirectory()
  for (let round = 0; round < 10; round++) {
    const writer = await startWriter(script, directory)
    await sleep(Math.random() * 60)
    writer.child.kill('SIGKILL')
    await writer.ended
    const last = acknowledged(writer.output())
    expect(last.size).toBeGreaterThan(0)

    const lock = await lockDirectory(directory)
    const store = await openStore(lock)
    for (const [document, count] of last) {
      const stored = await store.read<{ count: number; history: number[] }>(document)
      expect(stored?.count).toBeGreaterThanOrEqual(count)
      expect(stored?.history.at(-1)).toBe(stored?.count)
    }
    expect((await readdir(directory)).filter((file) => file.endsWith('.tmp'))).toEqual([])
    await store.close()
    await lock.release()
  }
})

test('a second process is refused, told which directory and which process', async () => {
  const script = await buildWriter()
  const directory = await temporaryDirectory()
  const writer = await startWriter(script, directory)
  await expect(lockDirectory(directory)).rejects.toMatchObject({
    code: 'unavailable',
    message: `The data directory ${directory} is in use by process ${writer.child.pid}.`,
  })
  writer.child.kill('SIGKILL')
  await writer.ended
  const lock = await lockDirectory(directory)
  await lock.release()
})
