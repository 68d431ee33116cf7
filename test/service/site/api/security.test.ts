import { beforeAll, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import { builtBy, one } from '#test/support/site/api/hostile.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

const securitySchemes = Object.fromEntries(
  ['key', 'id', 'secret'].map((name) => [name, { type: 'apiKey', in: 'header', name: `X-${name}` }]),
)

test('several ways to say who asks stand apart by “or”, each with all that it takes', async () => {
  const security = [{ key: [] }, { id: [], secret: ['read'] }]
  const { html } = await builtBy(pool, one({ security }, { components: { securitySchemes } }))
  const [first = '', second = '', ...others] = html.split('data-word="or"')
  expect(others).toEqual([])
  expect(first).toContain('<code>X-key<')
  expect(second).toMatch(/<code>X-id<.*<code>X-secret<.*<code>read</s)
})

test('one way that nobody needs is no “or”', async () => {
  const { html } = await builtBy(pool, one({ security: [{ key: [] }, {}] }, { components: { securitySchemes } }))
  expect(html).toContain('<code>X-key<')
  expect(html).not.toMatch(/data-word="(?:or|required)"/)
})
