import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../support/endpoints.ts'
import { requestsOf } from './fuzz/requests.ts'
import { faultOf, isRefusal } from './fuzz/verdict.ts'
import { FuzzWorld, type FuzzRequest } from './fuzz/world.ts'

/**
 * Inputs for each endpoint. More of them, and others each time:
 * `FUZZ_RUNS=500 FUZZ_SEED=random npx vitest run test/http/fuzz.test.ts`; it says how many there were, and how many of
 * each status were answered. A failure names its seed, which finds it again.
 */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 8)
const wanted = process.env['FUZZ_SEED'] ?? '1'
const seed = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted)

const statuses = new Map<number, number>()
let world: FuzzWorld

beforeAll(async () => {
  world = await FuzzWorld.open()
})
afterAll(async () => {
  await world.close()
  if (process.env['FUZZ_RUNS'] === undefined) return
  const counts = [...statuses].sort(([a], [b]) => a - b)
  console.log(`seed ${seed}, ${counts.reduce((sum, [, count]) => sum + count, 0)} inputs:`, Object.fromEntries(counts))
})

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

async function check(request: FuzzRequest): Promise<void> {
  const answer = await world.ask(request)
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  const fault = faultOf(request, answer)
  const stays = isRefusal(answer) || reading.has(request.method)
  const changed = stays ? await world.changed() : []
  if (!stays) await world.accept()
  expect({ fault, changed }, `${answer.status} ${answer.text.slice(0, 500)}`).toEqual({ fault: null, changed: [] })
}

describe('whoever sends whatever, a refusal is one of ours and changes nothing:', () => {
  it.each(endpoints.map(([operation, endpoint], index) => [operation, endpoint, seed + index] as const))(
    '%s',
    async (operation, endpoint, own) => {
      await fc.assert(fc.asyncProperty(requestsOf(operation, endpoint), check), { numRuns, seed: own })
    },
    // As many inputs as are asked for.
    Math.max(60_000, numRuns * 1000),
  )
})
