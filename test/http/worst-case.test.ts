import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { breachMs } from '../support/event-loop/stalls.ts'
import { endpoints } from '../support/endpoints.ts'
import { removeDirectory } from '../support/temporary.ts'
import { worstRequests } from './worst-case/requests.ts'
import { heldBy } from './worst-case/states.ts'
import { WatchedService } from './worst-case/watched.ts'

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
      const worst: string[] = []
      for (const request of worstRequests(operation, endpoint, service.slug)) {
        const { status, ms } = await service.measure(request)
        // Code that runs for the first time is slow: once more.
        const held = ms > breachMs ? (await service.measure(request)).ms : ms
        if (process.env['STALLS'] !== undefined && held > 25)
          console.log(`${operation}: ${request.what}: ${held} ms, ${status}`)
        if (held > breachMs || status >= 500) worst.push(`${request.what}: ${held} ms, ${status}`)
      }
      expect(worst).toEqual([])
    },
    300_000,
  )
})

// What it costs depends on what is there: a project as large as one may be.
describe('nobody waits for a project of', () => {
  it.each(Object.entries(heldBy))(
    '%s',
    async (what, steps) => {
      await service.restore()
      const worst: string[] = []
      for await (const { request, label } of steps(service)) {
        const { status, ms } = await service.measure(request)
        if (process.env['STALLS'] !== undefined) console.log(`${what}: ${label}: ${ms} ms, ${status}`)
        if (ms > breachMs || status >= 500) worst.push(`${label}: ${ms} ms, ${status}`)
      }
      expect(worst).toEqual([])
    },
    300_000,
  )
})
