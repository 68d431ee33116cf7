import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#lib/paths.ts'
import { Forker } from '#site/render/forker.ts'
import { Budget, newBuild } from '#site/render/task.ts'
import { Worker, type Ending } from '#site/render/worker.ts'

/** Says what its argument names, in the place of what renders. */
const talking = join(root, 'test/support/site/render/talking.cjs')

/** Gives a page to a child that has been taken over. @returns how that ended, and how many files it was given */
async function listenTo(
  saying: string,
  kind?: 'description',
): Promise<{ readonly ending: Ending; readonly loads: number }> {
  const forker = new Forker(() =>
    spawn(process.execPath, [talking, saying], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] }),
  )
  onTestFinished(() => forker.close())
  await forker.start()
  let loads = 0
  const file = { oid: 'a', source: Buffer.alloc(100_000, 'a') }
  const load = async () => {
    loads++
    return Promise.resolve(file)
  }
  const build = newBuild(1, 'project', load, new Budget())
  const ending = await new Promise<Ending>((resolve) => {
    const worker: Worker = new Worker('project', (events) => forker.fork(events), {
      ready: () =>
        worker.give({
          id: 1,
          build,
          job: { path: 'a.mdx', oid: 'a', source: Buffer.from('a'), ...(kind === undefined ? {} : { kind }) },
          languages: [],
          resolve: () => undefined,
          reject: () => undefined,
          retries: 0,
          preemptions: 0,
        }),
      outcome: () => undefined,
      ended: (_, how) => resolve(how),
    })
  })
  return { ending, loads }
}

it('a child that asks for files without end, and reads none, is ended at the second', async () => {
  const { ending, loads } = await listenTo('loads')
  expect(ending.broke).toBe('made the renderer answer nonsense')
  expect(loads).toBe(1)
})

it('a child that asks for one file after another is ended at a thousand', async () => {
  const { ending, loads } = await listenTo('loads in order')
  expect(ending.broke).toBe('asked for more than 1000 files')
  expect(loads).toBe(1000)
})

it.each(['a long frame', 'a long path', 'another outcome'])('a child that says %s is ended', async (saying) => {
  const { ending, loads } = await listenTo(saying)
  expect(ending.broke).toBe('made the renderer answer nonsense')
  expect(loads).toBe(0)
})

it.each(['long pieces', 'a long index'])('a child that has %s to say of a description is ended', async (saying) => {
  const { ending } = await listenTo(saying, 'description')
  expect(ending.broke).toBe('made the renderer answer nonsense')
})

it('a child that writes errors without end is ended, and little of it is kept', async () => {
  const { ending } = await listenTo('errors')
  expect(ending.signal).toBe('SIGKILL')
  expect(ending.stderr.length).toBeLessThanOrEqual(4096)
})
