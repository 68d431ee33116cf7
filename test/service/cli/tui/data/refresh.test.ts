import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import {
  createBranch,
  openUi,
  page,
  pageText,
  saveAsOther,
  startDocs,
  textOf,
  type,
  type StartedDocs,
} from '#test/support/cli/tui/data/workspaces.ts'

let docs: StartedDocs
let number = 0
beforeAll(async () => {
  docs = await startDocs()
})
afterAll(() => docs.close())
beforeEach(async () => {
  docs = { ...docs, branch: await createBranch(docs.service.url, docs.project, `look-${++number}`) }
})

describe('a look at the branch', () => {
  it('brings what somebody else saved, where nothing was typed here', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    await saveAsOther(docs, 'theirs')
    await draft.refresh?.()
    expect([draft.text, draft.base.text, draft.state]).toEqual(['theirs', 'theirs', 'saved'])
    type(draft, 'theirs, and mine')
    await draft.save()
    expect([draft.state, await textOf(docs)]).toEqual(['saved', 'theirs, and mine'])
  })

  it('shows a conflict where something was typed, and its newest other side', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'mine')
    await saveAsOther(docs, 'theirs')
    await draft.refresh?.()
    expect([draft.text, draft.theirs?.text, draft.state]).toEqual(['mine', 'theirs', 'conflict'])
    await saveAsOther(docs, 'theirs again')
    await draft.refresh?.()
    expect(draft.theirs?.text).toBe('theirs again')
    await draft.discard()
    expect([draft.text, draft.state]).toEqual(['theirs again', 'saved'])
    expect(await workspace.unsaved()).toEqual([])
  })
})

describe('a text that is discarded', () => {
  it('is gone, and the branch stays as it is', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'not wanted')
    await expect.poll(async () => (await workspace.unsaved()).length).toBe(1)
    await draft.discard()
    expect([draft.text, draft.state, await textOf(docs)]).toEqual([pageText, 'saved', pageText])
    expect(await workspace.unsaved()).toEqual([])
  })

  it('may be one whose branch is gone, which can be read before', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'nowhere to go')
    const [open] = await expect
      .poll(() => workspace.unsaved())
      .toHaveLength(1)
      .then(() => workspace.unsaved())
    expect(await refusalOf(open?.discard?.() ?? Promise.resolve())).toMatchObject({ code: 'forbidden' })
    await draft.close()
    const params = { slug: 'docs' }
    await workspace.client.call(contract.branches.remove, { params, query: { id: docs.branch.id } })
    const files = workspace.project('docs').files(docs.branch)
    await expect.poll(() => refusalOf(files.edit(page)).then(({ message }) => message)).toContain('no longer there')
    const [stuck] = await workspace.unsaved()
    expect(await stuck?.text?.()).toBe('nowhere to go')
    await stuck?.discard?.()
    expect(await workspace.unsaved()).toEqual([])
  })

  it('goes on in a branch of the same name that was made after its own was gone', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'carried over')
    await draft.close()
    await workspace.client.call(contract.branches.remove, { params: { slug: 'docs' }, query: { id: docs.branch.id } })
    docs = { ...docs, branch: await createBranch(docs.service.url, docs.project, docs.branch.name) }
    const again = await workspace.project('docs').files(docs.branch).edit(page)
    expect([again.text, again.recovered, again.state]).toEqual(['carried over', true, 'changed'])
    await again.save()
    expect([await textOf(docs), await workspace.unsaved()]).toEqual(['carried over', []])
  })
})
