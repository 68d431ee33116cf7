import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())

/** Status and type of what is answered. */
async function ask(path: string, accept: string): Promise<readonly [number, string | null]> {
  const { status, headers } = await fetch(service.url + path, { headers: { accept } })
  return [status, headers.get('content-type')]
}

it('an address of the service that leads nowhere is told to people as a page, to programs as a problem', async () => {
  const page = 'text/html,application/xhtml+xml,*/*;q=0.8'
  expect(await ask('/nope', page)).toEqual([404, 'text/html; charset=utf-8'])
  const problem = [404, 'application/problem+json; charset=utf-8']
  expect(await ask('/nope', '*/*')).toEqual(problem)
  for (const path of ['/api/nope', '/git/nope']) expect(await ask(path, page)).toEqual(problem)
})
