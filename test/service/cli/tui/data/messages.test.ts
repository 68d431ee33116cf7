import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { nodeDisk } from '#cli/tui/data/disk/disk.ts'
import type { UnsentMessage } from '#cli/tui/data/drafts/message.ts'
import type { Workspace } from '#cli/tui/data/workspace.ts'
import { contract } from '#contract/index.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { failingDisk } from './disk/failing-disk.ts'
import { createBranch, docsForEachTest, openUi } from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('talks')

/** The message to the assistant of the branch. */
async function messageOf(workspace: Workspace, branch = docs.branch): Promise<UnsentMessage> {
  const message = await workspace.project('docs').message?.('assistant', branch)
  if (message === undefined) throw new Error('nothing is kept')
  return message
}

/** The texts of the drafts below a folder. */
async function keptIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true })
  const drafts = names.filter((name) => name.endsWith('.draft'))
  const texts = await Promise.all(drafts.map(async (name) => readFile(join(directory, name), 'utf8')))
  return texts.map((text) => text.slice(text.indexOf('\n') + 1)).toSorted()
}

describe('a message that is not sent', () => {
  it('is on the disk within a second, and gone from it when it was sent', async () => {
    const home = await temporaryDirectory()
    const message = await messageOf(await openUi(docs, home))
    message.changed('Raise the\nlimit')
    await vi.waitFor(async () => expect(await keptIn(home)).toEqual(['Raise the\nlimit']), 1_000)
    message.changed('')
    await vi.waitFor(async () => expect(await keptIn(home)).toEqual([]), 1_000)
  })

  it('is found by the next start, and whether it is in doubt; it can be discarded', async () => {
    const home = await temporaryDirectory()
    const first = await openUi(docs, home)
    const message = await messageOf(first)
    message.changed('Raise it', 'mark')
    await first.close()
    const next = await openUi(docs, home)
    const [unsaved] = await next.unsaved()
    expect(unsaved).toMatchObject({ slug: 'docs', path: 'Message to the assistant', message: 'assistant' })
    const found = await messageOf(next)
    expect([found.text, found.sent]).toEqual(['Raise it', 'mark'])
    await unsaved?.discard?.()
    expect(await keptIn(home)).toEqual([])
    expect(found.text).toBe('')
  })

  it('is one for all who open it, and does not come back once it was sent', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const message = await messageOf(workspace)
    message.changed('Raise it')
    await message.flush()
    message.changed('')
    const again = await messageOf(workspace)
    expect(again).toBe(message)
    expect(again.text).toBe('')
  })

  it('is there once, however many look for it at the same time', async () => {
    const home = await temporaryDirectory()
    const first = await openUi(docs, home)
    const left = await messageOf(first)
    left.changed('Raise it')
    await first.close()
    let goOn: () => void = () => undefined
    const others = new Promise<void>((resolve) => (goOn = resolve))
    const read: typeof nodeDisk.read = async (path, length) => {
      // Its text, when it is ours already.
      if (path.endsWith('.draft') && length === undefined) await others
      return nodeDisk.read(path, length)
    }
    const workspace = await openUi(docs, home, { disk: { ...nodeDisk, read } })
    const one = messageOf(workspace)
    await expect.poll(() => keptIn(home)).toEqual(['Raise it'])
    const other = messageOf(workspace)
    await sleep(100)
    goOn()
    await other
    expect((await one).text).toBe('Raise it')
  })

  it('of another terminal stays there, and is told', async () => {
    const home = await temporaryDirectory()
    const [here, there] = [await openUi(docs, home), await openUi(docs, home)]
    const theirs = await messageOf(there)
    theirs.changed('theirs')
    await theirs.flush()
    const ours = await messageOf(here)
    expect([ours.text, ours.notice]).toEqual(['', expect.stringContaining('Another terminal')])
    ours.changed('ours')
    await ours.flush()
    expect(await keptIn(home)).toEqual(['ours', 'theirs'])
  })

  it('of several that were left, one comes after the other was sent', async () => {
    const home = await temporaryDirectory()
    const left = await Promise.all([openUi(docs, home), openUi(docs, home)])
    for (const [index, workspace] of left.entries()) (await messageOf(workspace)).changed(`message ${index}`)
    await Promise.all(left.map(async (workspace) => workspace.close()))
    const workspace = await openUi(docs, home)
    const texts: string[] = []
    for (let message = await messageOf(workspace); message.text !== ''; message = await messageOf(workspace)) {
      texts.push(message.text)
      message.changed('')
    }
    expect(texts.toSorted()).toEqual(['message 0', 'message 1'])
    expect(await keptIn(home)).toEqual([])
  })

  it('goes on in a branch of the same name that was made anew', async () => {
    const home = await temporaryDirectory()
    const before = await openUi(docs, home)
    const message = await messageOf(before)
    message.changed('Raise it')
    await before.close()
    const { id, name } = docs.branch
    await docs.project.client.call(contract.branches.remove, { params: { slug: 'docs' }, query: { id } })
    const branch = await createBranch(docs.service.url, docs.project, name)
    expect((await messageOf(await openUi(docs, home), branch)).text).toBe('Raise it')
  })

  it('that cannot be kept is told, and holds who leaves', async () => {
    const disk = failingDisk()
    const workspace = await openUi(docs, await temporaryDirectory(), { disk })
    const message = await messageOf(workspace)
    disk.code = 'EROFS'
    message.changed('Raise it')
    await expect.poll(() => message.trouble).toContain('the disk is read-only')
    expect(workspace.unkept).toEqual(['Message to the assistant'])
    await expect(workspace.close()).rejects.toThrow('Message to the assistant')
    disk.code = undefined
    await workspace.close()
    expect(workspace.unkept).toEqual([])
  })

  it('can be written where nothing can be read', async () => {
    const home = await temporaryDirectory()
    const disk = {
      ...nodeDisk,
      folders: () => Promise.reject(new Error('EIO')),
      list: () => Promise.reject(new Error('EIO')),
    }
    const message = await messageOf(await openUi(docs, home, { disk }))
    message.changed('Raise it')
    await message.flush()
    expect(await keptIn(home)).toEqual(['Raise it'])
  })
})
