import { expect, test, vi } from 'vitest'
import { PathSearch, type FoundPath } from '../../../../cli/tui/panes/path-search.ts'

function search(paths: readonly string[]) {
  const told: { readonly found: readonly FoundPath[]; readonly done: boolean }[] = []
  const one = new PathSearch(paths, (found, done) => told.push({ found, done }))
  const pathsFor = async (query: string): Promise<string[]> => {
    told.length = 0
    one.search(query)
    await vi.waitFor(() => expect(told.at(-1)?.done).toBe(true))
    return told.at(-1)?.found.map(({ path }) => path) ?? []
  }
  return { one, told, pathsFor }
}

test('letters of a path find it, the best match first', async () => {
  const { pathsFor } = search(['guides/getting-started.mdx', 'guides/start.mdx', 'api/tokens.mdx'])
  expect(await pathsFor('start')).toEqual(['guides/start.mdx', 'guides/getting-started.mdx'])
  expect(await pathsFor('atok')).toEqual(['api/tokens.mdx'])
  expect(await pathsFor('zz')).toEqual([])
})

test('more letters narrow what was found, and fewer widen it again', async () => {
  const { pathsFor } = search(['a/b.mdx', 'a/c.mdx'])
  expect(await pathsFor('a')).toHaveLength(2)
  expect(await pathsFor('ac')).toEqual(['a/c.mdx'])
  expect(await pathsFor('a')).toHaveLength(2)
  expect(await pathsFor('')).toEqual(['a/b.mdx', 'a/c.mdx'])
})

test('a new query ends the search before it', async () => {
  const paths = Array.from({ length: 20_000 }, (_, index) => `guides/part-${index % 100}/page-${index}.mdx`)
  const { one, told } = search(paths)
  one.search('page')
  one.search('page-77')
  await vi.waitFor(() => expect(told.at(-1)?.done).toBe(true))
  expect(told.filter(({ done }) => done)).toHaveLength(1)
  expect(told.at(-1)?.found[0]?.path).toContain('page-77')
})

test('many paths are looked through in several slices', async () => {
  const paths = Array.from({ length: 30_000 }, (_, index) => `guides/part-${index % 100}/page-${index}.mdx`)
  const { pathsFor, told } = search(paths)
  expect(await pathsFor('page')).toHaveLength(200)
  expect(told.length).toBeGreaterThan(1)
})

test('where a path matches is told', async () => {
  const { told, pathsFor } = search(['ab.mdx'])
  await pathsFor('am')
  expect(told.at(-1)?.found[0]?.indexes).toEqual([0, 3])
})
