import { describe, expect, it } from 'vitest'
import { limits } from '#contract/limits.ts'
import type { Json, JsonObject } from '#lib/json-reader.ts'
import { wholly } from '#lib/slices.ts'
import type { DescriptionIndex } from '#site/api/form.ts'
import { apiSettings } from '#site/config/descriptions.ts'
import { withOperations } from '#site/config/operations.ts'
import { Problems } from '#site/config/problems.ts'

/** A description of so many operations, all of one title. */
function description(count: number): DescriptionIndex {
  const entries = Array.from({ length: count }, (_, at) => ({
    kind: 'operation' as const,
    name: `GET /thing/${at}`,
    title: 'Get a thing',
    part: at,
    hash: String(at),
  }))
  return { title: 'Things', entries, tags: [], parts: [], warnings: [] }
}

function expand(navigation: Json, index: DescriptionIndex) {
  const problems = new Problems()
  const descriptions = new Map([['openapi.json', index]])
  const document: JsonObject = { navigation }
  const made = wholly(withOperations(document, { descriptions, isTaken: () => false, problems }))
  return { ...made, warnings: problems.warnings }
}

describe('pages of operations', () => {
  it('are as many as a site may have, however many folders docs.json wants them in', { timeout: 30_000 }, () => {
    const groups = Array.from({ length: 3000 }, (_, at) => ({
      group: `Part ${at}`,
      openapi: { source: 'openapi.json', directory: `api${at}` },
    }))
    const { pages, warnings } = expand({ groups }, description(1000))
    expect(pages).toHaveLength(limits.files)
    expect(warnings).toMatchObject([{ rule: 'api-description', message: expect.stringContaining('are left out') }])
  })

  it('are listed only so often, however often docs.json wants the same ones', { timeout: 30_000 }, () => {
    const groups = Array.from({ length: 3000 }, (_, at) => ({ group: `Part ${at}`, openapi: 'openapi.json' }))
    const { navigation, warnings } = expand({ groups }, description(1000))
    const parts = (navigation as unknown as { readonly groups: readonly { readonly pages: readonly unknown[] }[] })
      .groups
    expect(parts.reduce((sum, { pages }) => sum + pages.length, 0)).toBe(limits.configValues)
    expect(warnings).toHaveLength(1)
  })

  it('are found and named in one pass where all have one title and each is named by itself', () => {
    const count = 10_000
    const pages = Array.from({ length: count }, (_, at) => `GET /thing/${count - 1 - at}/`)
    const made = expand({ groups: [{ group: 'API', pages, openapi: 'openapi.json' }] }, description(count))
    expect(made.pages).toHaveLength(count)
    expect(made.pages.at(-1)?.path).toBe('api-reference/get-a-thing-9999.mdx')
    expect(made.warnings).toEqual([])
  })
})

describe('what docs.json chooses for pages of operations', () => {
  it('is bounded, as each of them is told it', () => {
    const long = Array.from({ length: 1000 }, () => 'x'.repeat(90))
    const { languages = [], pills } = apiSettings({
      api: { examples: { languages: long }, params: { post: ['y'.repeat(5000)] } },
    })
    expect(languages.length).toBeLessThan(100)
    expect(pills).toEqual([])
  })
})
