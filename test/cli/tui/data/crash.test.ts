import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../../../src/lib/paths.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { createBranch, openUi, page, startDocs, type StartedDocs } from './workspaces.ts'

let docs: StartedDocs
beforeAll(async () => {
  docs = await startDocs()
})
afterAll(() => docs.close())

/** Bundles the typist, so that a plain Node process can run it. */
async function bundled(): Promise<string> {
  const file = join(await temporaryDirectory(), 'typist.mjs')
  const bundle = await rolldown({
    cwd: root,
    input: join(import.meta.dirname, 'typist.ts'),
    platform: 'node',
    external: /\.node$|^@napi-rs\//,
    onLog: () => undefined,
  })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
  return file
}

/** What a typist typed until it was killed, with the time of each. */
async function typeAndKill(
  script: string,
  state: string,
  id: string,
): Promise<{ found: number; typed: [number, number][]; killedAt: number }> {
  const words = [docs.service.url, docs.project.session, state, id, page]
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const closed = once(child, 'close')
  await expect.poll(() => output, { interval: 5 }).toContain('typed')
  await sleep(Math.random() * 1_800)
  const killedAt = Date.now()
  child.kill('SIGKILL')
  await closed
  const lines = output.split('\n').slice(0, -1)
  const typed = lines
    .filter((line) => line.startsWith('typed'))
    .map((line): [number, number] => {
      const [, count, at] = line.split(' ')
      return [Number(count), Number(at)]
    })
  return { found: Number(lines[0]?.split(' ')[1]), typed, killedAt }
}

/** Milliseconds beyond the typist's own 20: a machine that stands still holds up whoever types and the disk alike. */
function longestPause(typed: readonly [number, number][]): number {
  const pauses = typed.slice(1).map(([, at], index) => at - (typed[index]?.[1] ?? at))
  return Math.max(0, Math.max(0, ...pauses) - 20)
}

it('kill -9 at any moment of typing loses nothing that is older than a second', { timeout: 180_000 }, async () => {
  const script = await bundled()
  const rounds = Array.from({ length: 3 }, async (_, lane) => {
    const branch = await createBranch(docs.service.url, docs.project, `crash-${lane}`)
    const state = await temporaryDirectory()
    let safe = -1
    for (let round = 0; round < 10; round++) {
      const { found, typed, killedAt } = await typeAndKill(script, state, branch.id)
      expect(found).toBeGreaterThanOrEqual(safe)
      const due = killedAt - 1_000 - longestPause(typed)
      safe = Math.max(found, ...typed.filter(([, at]) => at < due).map(([count]) => count))
    }
    // What is left is one draft, whole.
    const workspace = await openUi(docs, state)
    const [unsaved, ...more] = await workspace.unsaved()
    expect([unsaved?.path, unsaved?.elsewhere, more.length]).toEqual([page, false, 0])
    const draft = await workspace.project('docs').files(branch).edit(page)
    expect(draft.text).toMatch(/^(words ){5000}\d+$/)
    expect([draft.state, draft.recovered, draft.others]).toEqual(['changed', true, []])
  })
  await Promise.all(rounds)
})
