import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { PathSearch, type FoundPath } from '#cli/tui/views/files/path-search.ts'

function search(paths: readonly string[]) {
  const told: (readonly FoundPath[])[] = []
  const one = new PathSearch(paths, (found) => told.push(found))
  const pathsFor = (query: string): string[] => {
    one.search(query)
    one.finish()
    return told.at(-1)?.map(({ path }) => path) ?? []
  }
  return { one, told, pathsFor }
}

function manyPaths(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `guides/part-${index % 100}/page-${index}.mdx`)
}

test('letters of a path find it, the best match first', () => {
  const { pathsFor } = search(['guides/getting-started.mdx', 'guides/start.mdx', 'api/tokens.mdx'])
  expect(pathsFor('start')).toEqual(['guides/start.mdx', 'guides/getting-started.mdx'])
  expect(pathsFor('atok')).toEqual(['api/tokens.mdx'])
  expect(pathsFor('zz')).toEqual([])
})

test('of equally good matches the shorter path goes first', () => {
  const { pathsFor } = search(['map-of-everything.mdx', 'map-of-it.mdx', 'map.mdx'])
  expect(pathsFor('map')).toEqual(['map.mdx', 'map-of-it.mdx', 'map-of-everything.mdx'])
})

test('what begins names and words goes before what stands within them, and what is together before what is apart', () => {
  const { pathsFor } = search(['a/sample.mdx', 'a/big-map.mdx', 'a/map.mdx', 'a/m/a/p.mdx', 'a/camelMap.mdx'])
  expect(pathsFor('map')).toEqual(['a/map.mdx', 'a/big-map.mdx', 'a/camelMap.mdx', 'a/m/a/p.mdx'])
  expect(pathsFor('MAP')[0]).toBe('a/map.mdx')
})

test('words are looked for each by itself', () => {
  const { pathsFor } = search(['guides/start.mdx', 'start/other.mdx', 'guides/end.mdx'])
  expect(pathsFor('start guides')).toEqual(['guides/start.mdx'])
})

test('more letters narrow what was found, and fewer widen it again', () => {
  const { pathsFor } = search(['a/b.mdx', 'a/c.mdx'])
  expect(pathsFor('a')).toHaveLength(2)
  expect(pathsFor('ac')).toEqual(['a/c.mdx'])
  expect(pathsFor('a')).toHaveLength(2)
  expect(pathsFor('ab')).toEqual(['a/b.mdx'])
  expect(pathsFor('')).toEqual(['a/b.mdx', 'a/c.mdx'])
})

test('a query that is typed letter by letter finds what it finds at once', () => {
  const paths = manyPaths(500)
  const query = 'part-7pg 21'
  const { pathsFor } = search(paths)
  for (let length = 1; length < query.length; length++) pathsFor(query.slice(0, length))
  expect(pathsFor(query)).toEqual(search(paths).pathsFor(query))
  expect(pathsFor(query)).not.toEqual([])
})

test('a new query ends the search before it', async () => {
  const { one, told } = search(manyPaths(20_000))
  one.search('page')
  one.search('page-77')
  while (told.length === 0) await nextTurn()
  await nextTurn()
  expect(told).toHaveLength(1)
  expect(told.at(-1)?.[0]?.path).toContain('page-77')
})

test('while many paths are looked through, other work gets its turn', () => {
  const { one, told } = search(manyPaths(50_000))
  one.search('page')
  expect(told).toEqual([])
  one.finish()
  expect(told.at(-1)).toHaveLength(200)
})

test('what is typed is looked for in other paths when there are others', () => {
  const { one, pathsFor } = search(['a/one.mdx'])
  expect(pathsFor('new')).toEqual([])
  one.paths = ['a/new.mdx', 'a/one.mdx']
  expect(pathsFor('new')).toEqual(['a/new.mdx'])
})

test('where a path matches is told', () => {
  const { told, pathsFor } = search(['ab.mdx', 'guides/getting-started.mdx', 'İ/ab.mdx'])
  const marked = (): string[] | undefined =>
    told.at(-1)?.map(({ path, indexes }) => indexes.map((index) => path[index]).join(''))
  pathsFor('am')
  expect(told.at(-1)?.[0]?.indexes).toEqual([0, 3])
  expect(pathsFor('start')).toEqual(['guides/getting-started.mdx'])
  expect(told.at(-1)?.[0]?.indexes).toEqual([15, 16, 17, 18, 19])
  pathsFor('gsm ui')
  expect(marked()).toEqual(['uigsm'])
  pathsFor('ab')
  expect(marked()).toEqual(['ab', 'ab'])
})
