import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '#test/support/endpoints.ts'
import { removeDirectory } from '#test/support/temporary.ts'
import { worstRequests } from './worst-case/requests.ts'
import { heldBy } from './worst-case/states.ts'
import { WatchedService } from './worst-case/watched.ts'

/** Milliseconds for the bodies of one endpoint, dozens of 10 MB, on a machine that others use, too. */
const patienceMs = 300_000

let directory: string
let service: WatchedService

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-worst-'))
  service = await WatchedService.start(directory)
})
afterAll(async () => {
  await service.stop()
  await removeDirectory(directory)
})

// What an endpoint's schemas and limits allow, made of them: a new endpoint is among these by itself.
describe('nobody waits for the worst that can be sent to', () => {
  it.each(endpoints)(
    '%s',
    async (operation, endpoint) => {
      await service.restore()
      expect(await service.faultsOf(worstRequests(operation, endpoint, service.slug))).toEqual([])
    },
    patienceMs,
  )
})

// What it costs depends on what is there: a project as large as one may be.
describe('nobody waits for a project of', () => {
  it.each(Object.entries(heldBy))(
    '%s',
    async (_what, steps) => {
      await service.restore()
      const faults: string[] = []
      for await (const step of steps(service)) faults.push(...(await service.faultsOfOne(step)))
      expect(faults).toEqual([])
    },
    patienceMs,
  )
})
