import { rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { BranchFiles } from '#cli/tui/data/branch-files.ts'
import type { Workspace } from '#cli/tui/data/workspace.ts'
import { contract } from '#contract/index.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { docsForEachTest, openUi, page, textOf, type } from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('taken')

/** What is kept here and not saved, by path. */
async function unsavedIn(workspace: Workspace): Promise<Record<string, string | undefined>> {
  const texts = (await workspace.unsaved()).map(async (file) => [file.path, await file.text?.()] as const)
  return Object.fromEntries(await Promise.all(texts))
}

async function rename(files: BranchFiles, path: string, to: string): Promise<void> {
  const file = (await files.list()).value.find((one) => one.path === path)
  if (file === undefined) throw new Error(`there is no ${path}`)
  await files.move([{ file, to }], [], `Rename ${path}`)
}

describe('where somebody takes away the folder of what is kept', () => {
  it.each(['typed on', 'done'])('the words of who is %s are there again after the end', async (who) => {
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    const message = await workspace.project('docs').message?.('assistant', docs.branch)
    type(draft, 'one')
    message?.changed('Raise it')
    await workspace.keep()
    await rm(home, { recursive: true })
    if (who === 'typed on') type(draft, 'one two')
    await workspace.close()
    const kept = { [page]: who === 'done' ? 'one' : 'one two', 'Message to the assistant': 'Raise it' }
    expect(await unsavedIn(await openUi(docs, home))).toEqual(kept)
  })
})

describe('a page that is renamed', () => {
  it('takes along what is typed meanwhile', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const files = workspace.project('docs').files(docs.branch)
    const draft = await files.edit(page)
    type(draft, 'one')
    const renaming = rename(files, page, 'other.mdx')
    for (let turn = 0; turn < 200; turn++) {
      type(draft, `one ${turn}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await renaming
    type(draft, 'last')
    await workspace.keep()
    expect(await unsavedIn(workspace)).toEqual({ 'other.mdx': 'last' })
    await draft.save()
    expect(await textOf(docs, 'other.mdx')).toBe('last')
  })

  it.each(['left', 'open'])(
    'does not take the place of words for a page that was deleted: they are %s',
    async (state) => {
      const workspace = await openUi(docs, await temporaryDirectory())
      const files = workspace.project('docs').files(docs.branch)
      const target = await files.create('target.mdx', 'begun')
      await target.save()
      type(target, 'words for the target')
      const { oid } = target.base
      const params = { slug: 'docs', id: docs.branch.id, path: 'target.mdx' }
      await docs.project.client.call(contract.branches.removeFile, { params, headers: { 'if-match': `"${oid}"` } })
      if (state === 'left') await target.close()
      const draft = await files.edit(page)
      type(draft, 'words for the page')
      await expect(rename(files, page, 'target.mdx')).rejects.toThrow('target.mdx is open here, or has text')
      await workspace.keep()
      expect(await unsavedIn(workspace)).toEqual({ [page]: 'words for the page', 'target.mdx': 'words for the target' })
      await rename(files, page, 'other.mdx')
      await workspace.keep()
      expect(await unsavedIn(workspace)).toEqual({
        'other.mdx': 'words for the page',
        'target.mdx': 'words for the target',
      })
    },
  )
})
