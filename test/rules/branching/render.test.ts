import { expect, it } from 'vitest'
import type { OnePageOutcome } from '#site/one-page.ts'
import { author, projectId, Rooms } from '#test/support/rooms.ts'

const outcome: OnePageOutcome = { ok: true, html: '', title: '', headings: [], warnings: [] }

it('renders the pages of an owner a few at a time, refuses what is too much, and goes on when nobody waits for one', async () => {
  const rooms = await Rooms.open()
  await rooms.branches.create(projectId, { name: 'draft', author })
  const [branch] = (await rooms.branches.list(projectId, {})).items
  const begun: string[] = []
  rooms.renderPage = ({ path, signal }) => {
    begun.push(path)
    if (path === 'next.md') return Promise.resolve(outcome)
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is what the test gives it
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
  const render = (path: string, signal: AbortSignal) =>
    rooms.branches.render(projectId, branch?.id ?? '', { path, content: Buffer.from('x') }, signal)

  const writer = new AbortController()
  const stays = new AbortController().signal
  const slow = render('slow.md', writer.signal)
  await expect.poll(() => begun).toEqual(['slow.md'])
  const next = render('next.md', stays)
  await expect.poll(() => rooms.renders.isFull('owner')).toBe(true)
  await expect(render('third.md', stays)).rejects.toMatchObject({ code: 'rate_limited' })
  expect(begun).toEqual(['slow.md'])
  writer.abort(new Error('a newer text'))
  await expect(slow).rejects.toThrow('a newer text')
  expect(await next).toMatchObject({ errors: [] })
  expect(begun).toEqual(['slow.md', 'next.md'])
})
