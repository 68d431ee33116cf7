import { mkdtemp, readFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GenerationRequest } from '#contract/generation.ts'
import { contract } from '#contract/index.ts'
import { createGenerator, generate, type Generator, type Seen } from '#test/support/generate.ts'
import { startModelServer, type ModelServer } from '#test/support/model-server.ts'
import { startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'
import { Random } from '#scripts/tools/soak/random.ts'

/** `KILLS=30 npx vitest run --project deep test/deep/journeys/generation-crash.test.ts` tries more: a start takes up to three seconds. */
const kills = Number(process.env['KILLS'] ?? 6)
/** Of a round, each with a key of its own; some have begun, some end, and some are over when the kill comes. */
const atOnce = 12
const tenants = 3
/** What every answer tells that it used. */
const used = { inputTokens: 11, outputTokens: 7, costUsd: 0.003 }

let directory: string
let router: ModelServer
let service: ServiceProcess
let owners: Generator[]
const random = new Random(11)

beforeAll(async () => {
  router = await startModelServer(({ body }) => ({
    chunks: ['One, ', 'two, ', body.messages[0]?.content ?? ''],
    chunkDelayMs: 8,
    usage: { prompt_tokens: used.inputTokens, completion_tokens: used.outputTokens, cost: used.costUsd },
  }))
  directory = await mkdtemp(join(tmpdir(), 'quire-generation-crash-'))
  service = await start()
  owners = await Promise.all(
    Array.from({ length: tenants }, (_, index) => createGenerator(service.url, `crash-${index}`)),
  )
})
afterAll(async () => {
  await service.stop()
  await router.close()
  await removeDirectory(directory)
})

const start = (port?: number): Promise<ServiceProcess> =>
  startService(directory, { ...unlimited, ...router.settings, LOG_LEVEL: 'info' }, port)

const ownerOf = (index: number): Generator => owners[index % tenants] as Generator
const callsOf = (name: string): number => router.calls.filter(({ body }) => body.messages[0]?.content === name).length

function send(name: string, index: number): Promise<Seen> {
  const body: GenerationRequest = { prompt: name, stream: index % 2 === 0 }
  return generate(ownerOf(index), body, { key: `key of ${name}` })
}

/** Reservations on disk. */
async function heldOnDisk(): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => name.startsWith('_usage.') && name.endsWith('.json'))
  const files = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  return files.flatMap((file) => Object.keys((JSON.parse(file) as { held?: object }).held ?? {}))
}

it(
  `${kills} kill -9 amid generations: each key is charged once, and nothing is held`,
  { timeout: 600_000 },
  async () => {
    const ends = { told: 0, charged: 0, lost: 0 }
    for (let round = 0; round < kills; round++) {
      const names = Array.from({ length: atOnce }, (_, index) => `round ${round}, request ${index}`)
      // Some rounds end before anybody is told, others amid the ends.
      let untilKill = round % (atOnce - 1)
      let due = (): void => undefined
      const dueAt = new Promise<void>((resolve) => (due = resolve))
      const flying = names.map(async (name, index) => {
        await sleep(index * 3)
        const seen = await send(name, index)
        untilKill -= 1
        if (untilKill === 0) due()
        return seen
      })
      await (untilKill === 0 ? sleep(random.between(10, 60)) : dueAt)
      await sleep(random.between(0, 6))
      await service.kill()
      const before = await Promise.all(flying)
      service = await start(service.port)
      expect(await heldOnDisk()).toEqual([])
      const asked = names.map(callsOf)
      const after: Seen[] = []
      for (const [index, name] of names.entries()) after.push(await send(name, index))
      for (const [index, name] of names.entries()) {
        const [first, second] = [before[index] as Seen, after[index] as Seen]
        expect(second.generation).toMatchObject({ content: `One, two, ${name}`, usage: used })
        const again = callsOf(name) - (asked[index] ?? 0)
        if (first.generation !== undefined) {
          // Who was told the end gets the same once more, and nobody asks the model.
          expect([again, second.generation]).toEqual([0, first.generation])
          ends.told += 1
        } else if (again === 0) ends.charged += 1
        else ends.lost += 1
      }
    }
    for (const [tenant, { owner, slug }] of owners.entries()) {
      const keys = (kills * atOnce) / tenants
      const usage = await owner.call(contract.usage.read, { params: { slug } })
      expect(usage.generations.used, `owner ${tenant}`).toBe(keys)
      expect(usage.models).toMatchObject({
        inputTokens: keys * used.inputTokens,
        outputTokens: keys * used.outputTokens,
      })
      expect(usage.models.costUsd).toBeCloseTo(keys * used.costUsd, 9)
    }
    expect(await heldOnDisk()).toEqual([])
    // The kills came before and after the ends.
    expect(ends.told).toBeGreaterThan(0)
    expect(ends.lost).toBeGreaterThan(0)
    expect(service.log()).not.toMatch(/round \d+, request|One, two/)
    if (process.env['KILLS'] !== undefined) console.log(`${kills} kills: ${JSON.stringify(ends)}`)
  },
)
