import { describe, expect, it } from 'vitest'
import { SignIns } from '#cli/tui/views/start/sign-ins.ts'
import { FakeWorkspace } from '#test/support/fake-workspace.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { failingDisk } from '#test/service/cli/tui/data/disk/failing-disk.ts'
import { docsForEachTest, openUi, page, type } from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('sign-ins')

/** A workspace that cannot be made durable as often as is said. */
function refusing(times: number) {
  const workspace = new FakeWorkspace()
  const closes = { tried: 0, done: 0 }
  workspace.keep = async () => {
    closes.tried += 1
    if (closes.tried <= times) throw new Error('the disk is full')
  }
  workspace.close = async () => void (closes.done += 1)
  return { workspace, closes }
}

function nobody(): SignIns {
  return new SignIns({ tell: (message) => expect.fail(message) })
}

describe('who comes after somebody else', () => {
  it('closes what was open before', async () => {
    const signIns = nobody()
    const [first, second] = [refusing(0), refusing(0)]
    await signIns.enter(first.workspace).left
    await signIns.enter(second.workspace).left
    expect([first.closes.done, second.closes.done]).toEqual([1, 0])
    await signIns.settle()
    expect([first.closes.done, second.closes.done]).toEqual([1, 1])
  })

  it('does not leave behind what could not be kept: it is tried again before the end', async () => {
    const signIns = nobody()
    const first = refusing(2)
    await signIns.enter(first.workspace).left
    await expect(signIns.enter(refusing(0).workspace).left).rejects.toThrow('the disk is full')
    await expect(signIns.settle()).rejects.toThrow('the disk is full')
    await signIns.leave()
    expect(first.closes.done).toBe(1)
    expect(signIns.current).toBeUndefined()
  })

  it('keeps what is typed by who stays because something of an earlier sign-in cannot be kept', async () => {
    const home = await temporaryDirectory()
    const signIns = nobody()
    const disk = failingDisk()
    const [before, now] = [await openUi(docs, home, { disk }), await openUi(docs, home)]
    await signIns.enter(before).left
    const older = await before.project('docs').files(docs.branch).create('older.mdx', 'words')
    disk.code = 'EACCES'
    await expect(signIns.enter(now).left).rejects.toThrow('older.mdx cannot be kept')
    const draft = await now.project('docs').files(docs.branch).edit(page)
    type(draft, 'one')
    await expect(signIns.settle()).rejects.toThrow('older.mdx cannot be kept')
    type(draft, 'one two')
    expect(signIns.unkept).toEqual([older.path, draft.path])
    disk.code = undefined
    await signIns.settle()
    expect(signIns.unkept).toEqual([])
    const kept = await openUi(docs, home)
    const texts = (await kept.unsaved()).map(async (file) => [file.path, await file.text?.()])
    expect(Object.fromEntries(await Promise.all(texts))).toEqual({
      'guides/start.mdx': 'one two',
      'older.mdx': 'words',
    })
  })
})
