import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scopes, type Endpoint } from '#contract/endpoint.ts'
import { outcomeOf } from './access-table/ask.ts'
import { isDeep } from '#test/support/depth.ts'
import { endpoints } from '#test/support/endpoints.ts'
import { beside, pages, routesIn } from './access-table/routes.ts'
import { callers, expectedOf, type CallerName } from '#test/support/http/access-table/rule.ts'
import { sampleOf, samples } from '#test/support/http/access-table/samples.ts'
import { World } from '#test/support/http/access-table/world.ts'

let world: World

beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world.close())

/** In the normal run, a revoked key stands for all that has ended, and a stranger for who was a member. */
const asked = isDeep
  ? callers
  : callers.filter((caller) => !['ended session', 'expired key', 'former writer'].includes(caller))

async function ask(operation: string, endpoint: Endpoint, caller: CallerName): Promise<string> {
  const sample = await sampleOf(operation, world)
  const question = { url: world.service.url, endpoint, sample }
  if (sample.consumes !== true || expectedOf(endpoint)[caller] !== 'answered')
    return outcomeOf({ ...question, slug: world.slug, credential: await world.credentialOf(caller, endpoint.access) })
  const slug = await world.spare()
  const granted = scopes.filter((scope) => scope === endpoint.access)
  const credential = caller === 'owner' ? await world.session('owner') : await world.key(slug, granted)
  return outcomeOf({ ...question, slug, credential })
}

describe('who may call', () => {
  it.each(endpoints)('%s', async (operation, endpoint) => {
    const row: Partial<Record<CallerName, string>> = {}
    for (const caller of asked) row[caller] = await ask(operation, endpoint, caller)
    const expected = expectedOf(endpoint)
    expect(row).toEqual(Object.fromEntries(asked.map((caller) => [caller, expected[caller]])))
  })
})

describe('the table', () => {
  it('has samples of no other endpoints', () => {
    const known = new Set<string>(endpoints.map(([operation]) => operation))
    expect(Object.keys(samples).filter((operation) => !known.has(operation))).toEqual([])
  })

  it('has everything that is served, and everything in it is served', () => {
    const served = routesIn(world.service.service.app.printRoutes({ commonPrefix: false }))
    const listed = endpoints.map(([, { method, path }]) => `${method} ${path.replace(/:[A-Za-z]+\*$/, '*')}`)
    const preflights = endpoints.flatMap(([, { anyOrigin, path }]) => (anyOrigin === true ? [`OPTIONS ${path}`] : []))
    const wanted = [...listed, ...new Set(preflights), ...Object.keys(beside)]
    expect(served.filter((route) => !pages.test(route)).sort()).toEqual(wanted.sort())
  })
})
