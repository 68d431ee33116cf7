import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { projectDocument } from '#projects/document.ts'
import type { ChangelogDocument } from '#changelog/ports.ts'
import { lockDirectory } from '#storage/lock.ts'
import { openStore } from '#storage/documents/document-files.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { lookAt } from '#test/support/changelog/support.ts'

/** Bundles writer.ts, so that a plain Node process can run it. */
async function buildWriter(): Promise<string> {
  const file = join(await temporaryDirectory(), 'writer.mjs')
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'writer.ts'),
    platform: 'node',
    external: /^satteri/,
  })
  await bundle.write({ file, format: 'esm' })
  await bundle.close()
  return file
}

interface Acknowledged {
  /** Revisions by id. */
  readonly put: Map<string, number>
  /** Ids of those that are never deleted. */
  readonly kept: Set<string>
  readonly gone: Set<string>
}

/** Lets a writer work for a moment and kills it. A line that was cut off counts for nothing. */
async function work(script: string, directory: string, said: Acknowledged): Promise<void> {
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let output = ''
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('gone ') && output.includes(' kept\n')) resolve()
    })
  })
  await Promise.race([begun, ended])
  await sleep(Math.random() * 80)
  child.kill('SIGKILL')
  await ended
  for (const line of output.split('\n').slice(0, -1)) {
    const [what, id = '', revision, fate] = line.split(' ')
    if (what === 'put') said.put.set(id, Number(revision))
    if (fate === 'kept') said.kept.add(id)
    if (what === 'gone') said.gone.add(id)
  }
}

test('kill -9 at any moment loses no entry that was acknowledged, brings none back, and announces each once', async () => {
  const script = await buildWriter()
  const directory = await temporaryDirectory()
  const said: Acknowledged = { put: new Map(), kept: new Set(), gone: new Set() }
  for (let round = 0; round < 12; round++) {
    await work(script, directory, said)
    await lookAt(directory, 'docs', async (entries) => {
      for (const [id, revision] of said.put) {
        const found = await entries.read(id)
        if (said.gone.has(id)) expect(found).toBeUndefined()
        if (said.kept.has(id)) expect(found).toBeDefined()
        // A change or a deletion that nobody was told of may have come to be.
        if (found !== undefined && revision === 1) expect(found.texts.content).toMatch(/^changed /)
      }
    })
  }
  expect(said.gone.size).toBeGreaterThan(10)
  expect(said.kept.size).toBeGreaterThan(10)

  const lock = await lockDirectory(directory)
  const store = await openStore(lock)
  const document = await store.read<ChangelogDocument & { told?: string[] }>(projectDocument('docs'))
  const told = document?.told ?? []
  expect(new Set(told).size).toBe(told.length)
  const announced = new Set(told)
  await lookAt(directory, 'docs', async ({ index }) => {
    // Those of the last round may wait for the next start.
    const waiting = new Set(index.pending().map(({ id }) => id))
    const published = [...said.put].filter(([, revision]) => revision === 1).map(([id]) => id)
    expect(published.filter((id) => !announced.has(id) && !waiting.has(id))).toEqual([])
  })
  await store.close()
  await lock.release()
})
