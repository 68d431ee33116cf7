import { expect, test, vi } from 'vitest'
import type { FileLocation } from '#cli/tui/views/shared/problems.ts'
import { SearchView } from '#cli/tui/views/files/search.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { FakeBranchFiles, FileWorkspace } from '#test/support/fake-branch-files.ts'
import { aBranch } from '#test/support/fake-workspace.ts'

const texts = { 'a.mdx': 'one\nTwo tokens\n', 'b/c.mdx': 'many tokens\n', 'd.png': 'tokens' }

function open() {
  const app = new FakeApp()
  const files = new FakeBranchFiles(texts, aBranch())
  const workspace = new FileWorkspace(files)
  const places: FileLocation[] = []
  app.push(
    new SearchView({ app, workspace, files, paths: () => Object.keys(texts), onOpen: (place) => places.push(place) }),
  )
  return { app, workspace, places }
}

test('what was found is shown by file and line, and Enter goes there', async () => {
  const { app, workspace, places } = open()
  workspace.service.on(contract.branches.search, ({ query }) => ({
    items: [{ path: 'a.mdx', line: 2, column: 5, text: `Two ${query.q}`, start: 4, end: 10 }],
    truncated: true,
    searched: 3,
  }))
  await app.type('tokens')
  await vi.waitFor(() => expect(app.screen()).toContain('1 line in 3 files; there may be more'))
  expect(app.screen()).toContain('a.mdx:2')
  expect(app.screen()).toContain('Two tokens')
  await app.press('enter')
  expect(places).toEqual([{ path: 'a.mdx', line: 2, column: 5 }])
  expect(workspace.service.count(contract.branches.search)).toBe(1)
})

test('an answer that comes after other letters were typed is not shown', async () => {
  const { app, workspace } = open()
  let answer: (() => void) | undefined
  workspace.service.on(contract.branches.search, async ({ query }) => {
    if (query.q === 'to') await new Promise<void>((resolve) => (answer = resolve))
    return { items: [], truncated: false, searched: query.q === 'to' ? 99 : 3 }
  })
  await app.type('to')
  await vi.waitFor(() => expect(answer).toBeDefined())
  await app.type('k')
  answer?.()
  await vi.waitFor(() => expect(app.screen()).toContain('Nothing found in 3 files.'))
})

test('while the service cannot be reached the pages that are kept here are looked through', async () => {
  const { app, workspace } = open()
  workspace.connection = 'offline'
  workspace.service.on(contract.branches.search, () => {
    throw new Failure('unavailable', 'It cannot be reached.')
  })
  await app.type('tokens')
  await vi.waitFor(() => expect(app.screen()).toContain('2 lines in 2 pages that this machine keeps'))
  await app.press('ctrl+u')
  await app.type('two')
  await vi.waitFor(() => expect(app.screen()).toContain('1 line in 2 pages'))
  await app.press('ctrl+u')
  await app.type('TWO')
  await vi.waitFor(() => expect(app.screen()).toContain('Nothing found'))
})

test('a search that is refused is told', async () => {
  const { app, workspace } = open()
  workspace.service.on(contract.branches.search, () => {
    throw new Failure('rate_limited', 'Too many searches.', { hint: 'Wait a minute.' })
  })
  await app.type('tokens')
  await vi.waitFor(() => expect(app.notes).toEqual(['error: Too many searches. Wait a minute.']))
})

test('an empty field finds nothing, and asks nobody', async () => {
  const { app, workspace } = open()
  await app.type('t')
  await app.press('backspace')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(workspace.service.asked).toEqual([])
})
