import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../../src/paths.ts'
import { newRepositories } from './support.ts'

/** Bundled inside the project, so that it finds the packages. */
async function bundledWriter(): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', `quire-crash-writer-${process.pid}`)
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'crash-writer.ts'),
    platform: 'node',
    external: /^[^./]/,
  })
  const file = join(folder, 'writer.mjs')
  await bundle.write({ file, format: 'esm' })
  await bundle.close()
  return file
}

it('loses nothing acknowledged over kill -9 and stays sound', { timeout: 60_000 }, async () => {
  const { repositories, directory } = await newRepositories()
  await repositories.create('docs')
  const script = await bundledWriter()
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < 8; round++) {
    const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise((resolve) => child.once('close', resolve))
    let output = ''
    const first = new Promise((resolve) => child.stdout.once('data', resolve))
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await Promise.race([first, ended])
    await delay(30 + round * 17)
    child.kill('SIGKILL')
    await ended
    for (const [, number = '', oid = ''] of output.matchAll(/^(\d+) ([0-9a-f]{40})$/gm))
      acknowledged.set(`refs/deploys/${number}`, oid)

    await repositories.sweep()
    const repository = await repositories.open('docs')
    const refs = await repository.listRefs('refs/deploys/')
    for (const [ref, oid] of acknowledged) expect(refs.get(ref)).toBe(oid)
    const main = await repository.resolveRef('refs/heads/main')
    expect([...refs.values()]).toContain(main)
    expect((await repository.readTree(main ?? '')).size).toBeGreaterThan(0)
    expect(await repository.fsck()).toEqual([])
  }
  expect(acknowledged.size).toBeGreaterThan(8)
})
