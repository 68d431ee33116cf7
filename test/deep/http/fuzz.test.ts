import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '#test/support/endpoints.ts'
import { ownStalls } from '#test/support/event-loop/stalls.ts'
import { requestsOf, rightRequestsOf } from './fuzz/requests.ts'
import { fuzzSeed } from '#test/support/properties.ts'
import { patience, runs, Tally } from './fuzz/runs.ts'
import { faultOf, isRefusal } from './fuzz/verdict.ts'
import { FuzzWorld, type FuzzRequest } from './fuzz/world.ts'

const tally = new Tally()
let world: FuzzWorld

beforeAll(async () => {
  world = await FuzzWorld.open()
})
afterAll(async () => {
  await world.close()
  tally.print(ownStalls())
})

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Of notes there are none: readers of a site write them, who ask for nothing here. */
const neverAccepted = new Set(['feedback.remove'])

async function check(request: FuzzRequest): Promise<void> {
  const answer = await world.ask(request)
  tally.add(request.operation, answer.status)
  const fault = faultOf(request, answer)
  const stays = reading.has(request.method)
  // What reading changes shows at the end.
  const changed = isRefusal(answer) && !stays ? await world.changed() : []
  if (!isRefusal(answer) && !stays) await world.accept(request.operation, answer)
  expect({ fault, changed }, `${answer.status} ${answer.text.slice(0, 500)}`).toEqual({ fault: null, changed: [] })
}

describe('whoever sends whatever, a refusal is one of ours and changes nothing:', () => {
  it.each(endpoints.map(([operation, endpoint], index) => [operation, endpoint, fuzzSeed + index] as const))(
    '%s',
    async (operation, endpoint, own) => {
      const numRuns = Math.ceil(runs / 2)
      await fc.assert(fc.asyncProperty(rightRequestsOf(operation, endpoint), check), { numRuns, seed: own })
      await fc.assert(fc.asyncProperty(requestsOf(operation, endpoint), check), { numRuns, seed: own })
      expect(await world.changed()).toEqual([])
      if (neverAccepted.has(operation)) expect(tally.accepted(operation)).toBe(0)
      else expect(tally.accepted(operation)).toBeGreaterThan(0)
    },
    patience,
  )
})
