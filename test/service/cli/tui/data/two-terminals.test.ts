import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { BranchFiles } from '#cli/tui/data/branch-files.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { docsForEachTest, openUi, page, pageText, type } from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('two')

describe('two UIs on one file', () => {
  it('keep a draft each, and the second is told of the first', async () => {
    const state = await temporaryDirectory()
    const first = await openUi(docs, state)
    const one = await first.project('docs').files(docs.branch).edit(page)
    type(one, 'of the first')
    await expect.poll(async () => (await first.unsaved()).length).toBe(1)

    const second = await openUi(docs, state)
    const other = await second.project('docs').files(docs.branch).edit(page)
    expect([other.text, other.recovered]).toEqual([pageText, false])
    expect(other.notice).toContain('is open in another terminal too')
    expect(await other.others?.[0]?.text()).toBe('of the first')
    type(other, 'of the second')
    await other.close()
    expect((await readdir(state, { recursive: true })).filter((file) => file.endsWith('.draft'))).toHaveLength(2)

    await one.save()
    await other.save()
    expect([one.state, other.state, other.theirs?.text]).toEqual(['saved', 'conflict', 'of the first'])
  })

  it('that both ended leave the newest text first, and the other beside it', async () => {
    const state = await temporaryDirectory()
    for (const text of ['older', 'newer']) {
      const keeper = await openUi(docs, state)
      const before = await openUi(docs, state)
      // Two that run at the same time: neither takes the other’s.
      const draft = await before.project('docs').files(docs.branch).edit(page)
      type(draft, text)
      await draft.close()
      if (text === 'newer') await before.close()
      await keeper.close()
      if (text === 'older') endings.push(() => before.close())
    }
    for (const end of endings.splice(0)) await end()
    const next = await openUi(docs, state)
    const draft = await next.project('docs').files(docs.branch).edit(page)
    expect([draft.text, draft.recovered, draft.others?.length]).toEqual(['newer', true, 1])
    expect(await draft.others?.[0]?.text()).toBe('older')
    await draft.save()
    // The other text is still there for who wants it.
    expect(await next.unsaved()).toHaveLength(1)
  })
  const endings: (() => Promise<void>)[] = []

  it('of which one has ended do not take away what the other has kept', async () => {
    const state = await temporaryDirectory()
    const files = (await openUi(docs, state)).project('docs').files(docs.branch)
    const kept = await typeElsewhere(state, files)
    const again = await files.edit(page)
    expect([again.text, await again.others?.[0]?.text()]).toEqual(kept)
  })

  it('keep both texts of a file that is renamed', async () => {
    const state = await temporaryDirectory()
    const files = (await openUi(docs, state)).project('docs').files(docs.branch)
    const kept = await typeElsewhere(state, files)
    const file = (await files.list()).value.find(({ path }) => path === page)
    if (file === undefined) throw new Error('not listed')
    await files.move([{ file, to: 'moved.mdx' }], [], 'Rename it')
    const moved = await files.edit('moved.mdx')
    expect([moved.text, await moved.others?.[0]?.text()]).toEqual(kept)
  })

  /** A text that is kept of a UI that runs, and a later one of a UI that has ended. */
  async function typeElsewhere(state: string, files: BranchFiles): Promise<readonly string[]> {
    const one = await files.edit(page)
    type(one, 'of the first')
    await one.close()
    const second = await openUi(docs, state)
    const other = await second.project('docs').files(docs.branch).edit(page)
    type(other, 'of the second, later')
    await other.close()
    await second.close()
    return ['of the first', 'of the second, later']
  }
})
