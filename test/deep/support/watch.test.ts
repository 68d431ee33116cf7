import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { heldHeap } from '#test/support/held-memory.ts'
import type { Stall } from '#test/support/event-loop/stalls.ts'
import { processorClock, watchEventLoop } from '#test/support/event-loop/watch.mjs'

const processor = processorClock()

/** Works for so many milliseconds of the main thread's processor time: other threads of the process have theirs beside it. */
function work(milliseconds: number): void {
  for (const before = processor(); processor() - before < milliseconds;);
}

it('is told of the request that held a service in the process of its test, and not of what the test does', async () => {
  const told: Stall[] = []
  const tellRest = watchEventLoop((stall) => told.push(stall), { onlyRequests: true })
  const server = createServer((request, response) => {
    if (request.url === '/long') work(60)
    // As a test does that measures memory while it waits.
    if (request.url === '/measured')
      for (const before = performance.now(); performance.now() - before < 100;) heldHeap()
    response.end()
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const ask = async (path: string): Promise<void> => {
    work(60)
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).text()
    work(60)
    // Ticks of the watch.
    await new Promise((resolve) => {
      setTimeout(resolve, 30)
    })
  }
  await ask('/short')
  await ask('/short')
  await ask('/measured')
  expect(told).toEqual([])
  await ask('/long')
  tellRest()
  expect(told.map(({ requests }) => requests)).toEqual([['GET /long']])
  expect(told[0]?.ms).toBeGreaterThan(40)
})
