import { describe, expect, test } from 'vitest'
import type { BuildResult } from '#site/builder.ts'
import { TestProject } from '#test/support/site/support/project.ts'

const navigation = (...pages: string[]) => JSON.stringify({ name: 'Docs', navigation: { pages } })
const broken = '# Two\n\nBROKEN\n'

/** Builds each of these after the other, as deploys that keep old pages. */
async function deployed(...deploys: readonly Record<string, string>[]): Promise<readonly BuildResult[]> {
  const project = new TestProject()
  const results: BuildResult[] = []
  for (const files of deploys) {
    const before = results.findLast(({ site }) => site !== undefined)?.site ?? null
    results.push(await project.build(files, { fallback: async () => [before] }))
  }
  return results
}

describe('a page that cannot be compiled, where old pages are kept', () => {
  test('is as it was, for as many deploys as it takes, and everything else goes live', async () => {
    const files = { 'docs.json': navigation('one', 'two'), 'one.mdx': '# One', 'two.mdx': '# Two' }
    const [first, second, third, mended] = await deployed(
      files,
      { ...files, 'one.mdx': '# One, new', 'two.mdx': broken },
      { ...files, 'one.mdx': '# One, newer', 'two.mdx': `${broken}\nmore` },
      { ...files, 'two.mdx': '# Two, mended' },
    )
    for (const result of [second, third]) {
      expect(result?.errors).toEqual([])
      expect(result?.site?.pages['two.mdx']).toEqual(first?.site?.pages['two.mdx'])
      expect(result?.site?.pages['one.mdx']?.oid).not.toBe(first?.site?.pages['one.mdx']?.oid)
      expect(result?.kept?.map(({ path, line, rule }) => [path, line, rule])).toEqual([
        ['two.mdx', undefined, 'page-kept'],
        ['two.mdx', 3, undefined],
      ])
      expect(result?.site?.routes['/two']).toBeDefined()
    }
    expect(mended?.kept).toBeUndefined()
    expect(mended?.site?.pages['two.mdx']?.oid).not.toBe(first?.site?.pages['two.mdx']?.oid)
  })

  test('is left out where it was never live, and its place in the navigation with it', async () => {
    const [result, mended] = await deployed(
      { 'docs.json': navigation('one', 'two'), 'one.mdx': '# One\n\n[two](/two)', 'two.mdx': broken },
      { 'docs.json': navigation('one', 'two'), 'one.mdx': '# One\n\n[two](/two)', 'two.mdx': '# Two' },
    )
    expect(result?.kept?.map(({ rule }) => rule)).toEqual(['page-left-out', undefined])
    expect(result?.pages.total).toBe(1)
    expect(Object.keys(result?.site?.routes ?? {})).not.toContain('/two')
    // The entry is not called missing; the link of a reader who follows it is.
    expect(result?.warnings.map(({ rule }) => rule)).toEqual(['link-broken'])
    expect(Object.keys(mended?.site?.routes ?? {})).toContain('/two')
    expect(mended?.warnings).toEqual([])
  })

  test('is as it was when a snippet breaks that it includes, and is new when that is mended', async () => {
    const page = '---\ninclude: snippets/s.mdx\n---\na'
    const files = { 'index.mdx': '# Home', 'a.mdx': page, 'b.mdx': `${page}\n\nb` }
    const [first, second, third] = await deployed(
      { ...files, 'snippets/s.mdx': 'one' },
      { ...files, 'snippets/s.mdx': 'BROKEN' },
      { ...files, 'snippets/s.mdx': 'two' },
    )
    expect(second?.site?.pages['a.mdx']).toEqual(first?.site?.pages['a.mdx'])
    // The snippet is named once, each page that has it beside.
    expect(second?.kept?.map(({ path, rule }) => [path, rule])).toEqual([
      ['a.mdx', 'page-kept'],
      ['b.mdx', 'page-kept'],
      ['snippets/s.mdx', undefined],
    ])
    expect(third?.kept).toBeUndefined()
    expect(third?.site?.pages['a.mdx']?.artifact).not.toBe(first?.site?.pages['a.mdx']?.artifact)
  })

  test('ends the build with what is wrong in docs.json, and where no page is left', async () => {
    const [, settings, nothing] = await deployed(
      { 'one.mdx': '# One' },
      { 'docs.json': '{', 'one.mdx': broken },
      { 'other.mdx': broken },
    )
    expect(settings?.site).toBeUndefined()
    expect(settings?.errors.map(({ rule }) => rule)).toContain('settings-syntax')
    expect(settings?.errors.map(({ message }) => message)).toContain('It is broken.')
    expect(nothing?.site).toBeUndefined()
    expect(nothing?.errors.map(({ rule }) => rule)).toEqual([undefined])
  })

  test('ends the build where they are not', async () => {
    const { errors, kept, site } = await new TestProject().build({ 'one.mdx': '# One', 'two.mdx': broken })
    expect([errors.length, kept, site]).toEqual([1, undefined, undefined])
  })
})
