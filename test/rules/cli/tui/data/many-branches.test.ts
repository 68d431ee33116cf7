import { expect, test } from 'vitest'
import { openWorkspace } from '#cli/tui/data/service/open-workspace.ts'
import type { Branch } from '#cli/tui/data/workspace.ts'
import { aBranch } from '#test/support/fake-workspace.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const pages = new Map([
  [null, { items: [aBranch({ name: 'newest' })], nextCursor: 'second' }],
  ['second', { items: [aBranch({ name: 'older' })], nextCursor: 'third' }],
  ['third', { items: [aBranch({ name: 'oldest' })] }],
])

test('The newest branches are told once, before the others are read', async () => {
  const asked: (string | null)[] = []
  const workspace = await openWorkspace({
    environment: { stateDirectory: await temporaryDirectory() },
    url: 'http://localhost:1',
    credential: { kind: 'key', token: 'key' },
    fetch: async (input) => {
      const cursor = new URL(input instanceof Request ? input.url : input).searchParams.get('cursor')
      asked.push(cursor)
      return Response.json(pages.get(cursor))
    },
  })
  const told: string[][] = []
  const names = (branches: readonly Branch[]): string[] => branches.map(({ name }) => name)
  const all = await workspace.project('docs').branches((newest) => {
    told.push(names(newest))
    expect(asked).toEqual([null])
  })
  expect(told).toEqual([['newest']])
  expect(names(all.value)).toEqual(['newest', 'older', 'oldest'])
  await workspace.close()
})
