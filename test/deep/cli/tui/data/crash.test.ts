import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '#lib/paths.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { createBranch, openUi, page, startDocs, type StartedDocs } from '#test/support/cli/tui/data/workspaces.ts'

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

/** One typist, from its start until it was killed. */
interface Round {
  /** What it found of the one before it; -1 for nothing. */
  readonly found: number
  /** What it typed, with the time of each. */
  readonly typed: readonly (readonly [count: number, at: number])[]
  readonly killedAt: number
  /** Milliseconds for which the disk was at work. */
  readonly diskMs: number
}

async function typeAndKill(script: string, state: string, id: string): Promise<Round> {
  const words = [docs.service.url, docs.project.session, state, id, page]
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const closed = once(child, 'close')
  await expect.poll(() => output, { interval: 5, timeout: 60_000 }).toContain('typed')
  await sleep(Math.random() * 1_800)
  const killedAt = Date.now()
  child.kill('SIGKILL')
  await closed
  const told = output
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
  const numbersOf = (kind: string): number[] =>
    told.filter(([word]) => word === kind).map((line) => Number(line.at(-1)))
  const [begun, ended] = [numbersOf('disk-begins'), numbersOf('disk-ends')]
  // What it had not done yet it worked on until the end.
  const open = begun.slice(ended.length).map(() => killedAt)
  const total = (times: readonly number[]): number => times.reduce((sum, at) => sum + at, 0)
  return {
    found: numbersOf('found')[0] ?? -1,
    typed: told.filter(([word]) => word === 'typed').map(([, count, at]) => [Number(count), Number(at)]),
    killedAt,
    diskMs: total([...ended, ...open]) - total(begun),
  }
}

/** Milliseconds beyond the typist's own 20 a key for which its machine stood still, until it was killed. */
function pausesMs({ typed, killedAt }: Round): number {
  const times = [...typed.map(([, at]) => at), killedAt]
  return times.slice(1).reduce((sum, at, index) => sum + Math.max(0, at - (times[index] ?? at) - 20), 0)
}

it('kill -9 at any moment of typing loses nothing that is older than a second', { timeout: 600_000 }, async () => {
  const script = await bundled()
  const rounds = Array.from({ length: 3 }, async (_, lane) => {
    const branch = await createBranch(docs.service.url, docs.project, `crash-${lane}`)
    const state = await temporaryDirectory()
    let safe = -1
    for (let round = 0; round < 10; round++) {
      const typist = await typeAndKill(script, state, branch.id)
      const { found, typed, killedAt, diskMs } = typist
      expect(found).toBeGreaterThanOrEqual(safe)
      // A second is for a machine that works: where others have it, whoever types and the disk alike are held up.
      const due = killedAt - 1_000 - pausesMs(typist) - diskMs
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
