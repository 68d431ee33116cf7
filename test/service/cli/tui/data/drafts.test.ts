import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import { TextBuffer } from '#cli/tui/text/buffer.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import {
  docsForEachTest,
  Network,
  openUi,
  page,
  pageText,
  saveAsOther,
  textOf,
  type,
} from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('edits')

/** The files of drafts below a folder. */
async function draftsIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true }).catch(() => [])
  return names.filter((name) => name.endsWith('.draft')).map((name) => join(directory, name))
}

describe('a draft', () => {
  it('is saved on its branch, and leaves nothing here', async () => {
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    expect([draft.text, draft.state, draft.recovered]).toEqual([pageText, 'saved', false])
    type(draft, '# Start\n\nTwo lines.\n')
    expect(draft.state).toBe('changed')
    await draft.save()
    expect([draft.state, draft.base.text]).toEqual(['saved', '# Start\n\nTwo lines.\n'])
    expect(await textOf(docs)).toBe('# Start\n\nTwo lines.\n')
    await draft.close()
    expect(await draftsIn(home)).toEqual([])
    expect(await workspace.unsaved()).toEqual([])
  })

  it('is kept within a second, as text that a person can read, and found again by the next start', async () => {
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'Words \u{1F600}\r\nwithout an end')
    await draft.close()
    const [file = ''] = await draftsIn(home)
    expect(await readFile(file, 'utf8')).toMatch(/^\{"quire":"draft".*\}\nWords \u{1F600}\r\nwithout an end$/u)
    await workspace.close()

    const next = await openUi(docs, home)
    expect(await next.unsaved()).toMatchObject([{ slug: 'docs', path: page, branch: docs.branch.name, waiting: false }])
    const found = await next.project('docs').files(docs.branch).edit(page)
    expect([found.text, found.state, found.recovered]).toEqual(['Words \u{1F600}\r\nwithout an end', 'changed', true])
    expect(found.base.text).toBe(pageText)
    await found.save()
    expect(await textOf(docs)).toBe('Words \u{1F600}\r\nwithout an end')
  })

  it('is gone when everything was taken back', async () => {
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'something else')
    await expect.poll(() => draftsIn(home)).toHaveLength(1)
    type(draft, pageText)
    await expect.poll(() => draft.state).toBe('saved')
    expect(await draftsIn(home)).toEqual([])
  })

  it('is one and the same for all who open it, however soon after it was closed', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const files = workspace.project('docs').files(docs.branch)
    for (let turns = 0; turns < 30; turns++) {
      const draft = await files.edit(page)
      const closing = draft.close()
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      const again = await files.edit(page)
      expect(await files.edit(page)).toBe(again)
      await Promise.all([closing, again.close(), again.close()])
    }
  })

  inDepth(
    'of a large page is written in pieces, never put together, and gone when everything was taken back',
    async () => {
      const home = await temporaryDirectory()
      const workspace = await openUi(docs, home)
      const long = Array.from({ length: 30_000 }, (_, line) => `Line ${line} 日本 \u{1F600}`).join('\n')
      await saveAsOther(docs, long)
      const draft = await workspace.project('docs').files(docs.branch).edit(page)
      const buffer = new TextBuffer(draft.text)
      const whole = vi.fn<() => string>(() => buffer.text())
      buffer.onChange(() =>
        draft.changed(
          whole,
          () => 0,
          () => buffer.pieces(),
        ),
      )
      buffer.replace({ start: { line: 9, column: 0 }, end: { line: 9, column: 1 } }, 'T')
      await expect.poll(() => draftsIn(home)).toHaveLength(1)
      const [file = ''] = await draftsIn(home)
      expect((await readFile(file, 'utf8')).endsWith(`}\n${buffer.text()}`)).toBe(true)
      buffer.undo()
      await expect.poll(() => draft.state).toBe('saved')
      await expect.poll(() => draftsIn(home)).toHaveLength(0)
      expect(whole).not.toHaveBeenCalled()
    },
  )

  it('stays changed by what is typed while a save is under way', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'first')
    const saving = draft.save()
    await expect.poll(() => draft.state).toBe('saving')
    type(draft, 'second')
    await saving
    expect([draft.state, draft.base.text, await textOf(docs)]).toEqual(['changed', 'first', 'first'])
    await draft.save()
    expect([draft.state, await textOf(docs)]).toEqual(['saved', 'second'])
  })

  it('shows what somebody else saved meanwhile, and goes over it only when it was seen', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'mine')
    await saveAsOther(docs, 'theirs')
    await draft.save()
    expect([draft.state, draft.theirs?.text, draft.base.text]).toEqual(['conflict', 'theirs', pageText])
    expect(await textOf(docs)).toBe('theirs')
    draft.rebase('mine and theirs')
    expect([draft.state, draft.base.text, draft.text]).toEqual(['changed', 'theirs', 'mine and theirs'])
    await draft.save()
    expect([draft.state, await textOf(docs)]).toEqual(['saved', 'mine and theirs'])
  })

  it('shows that somebody deleted the file', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'mine')
    const params = { slug: 'docs', id: docs.branch.id, path: page }
    await docs.project.client.call(contract.branches.removeFile, { params, headers: { 'if-match': '*' } })
    await draft.save()
    expect([draft.state, draft.theirs]).toEqual(['conflict', { oid: null, text: null }])
    draft.rebase('mine')
    await draft.save()
    expect([draft.state, await textOf(docs)]).toEqual(['saved', 'mine'])
  })

  it('knows its own text again when the answer to a save was lost', async () => {
    const network = new Network()
    const workspace = await openUi(docs, await temporaryDirectory(), { network })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'sent once')
    network.lost.times = 1
    await draft.save()
    await expect.poll(() => draft.state).toBe('saved')
    expect(await textOf(docs)).toBe('sent once')
  })

  inDepth('goes on from its own text when more was typed after the answer was lost', async () => {
    const network = new Network()
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home, { network })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'sent once')
    network.lost.times = 1
    const saving = draft.save()
    type(draft, 'sent once, and more')
    await saving
    await expect.poll(() => draft.state).toBe('saved')
    expect(await textOf(docs)).toBe('sent once, and more')
  })

  inDepth('takes back on the branch what was taken back here while an answer was lost', async () => {
    const network = new Network()
    const workspace = await openUi(docs, await temporaryDirectory(), { network })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'sent, and taken back')
    network.lost.times = 1
    const saving = draft.save()
    await expect.poll(() => network.lost.times).toBe(0)
    type(draft, pageText)
    await saving
    await expect.poll(() => draft.state).toBe('saved')
    expect(await textOf(docs)).toBe(pageText)
  })

  it('waits while the service cannot be reached, and is saved when it can be again', async () => {
    const network = new Network()
    const workspace = await openUi(docs, await temporaryDirectory(), { network })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    network.cut = true
    type(draft, 'written on a train')
    await draft.save()
    expect([draft.state, workspace.connection]).toEqual(['waiting', 'offline'])
    expect(await workspace.unsaved()).toMatchObject([{ path: page, waiting: true }])
    network.cut = false
    await expect.poll(() => draft.state).toBe('saved')
    expect([workspace.connection, await textOf(docs)]).toEqual(['online', 'written on a train'])
  })

  it('is found by the next start however often it was saved offline', async () => {
    const network = new Network()
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home, { network })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    network.cut = true
    for (let times = 0; times < 5; times++) {
      type(draft, `sentence ${times}`)
      await draft.save()
    }
    await draft.close()
    const [head = ''] = (await readFile(draft.file ?? '', 'utf8')).split('\n')
    // What was never on its way needs no answer: the first line stays short.
    expect((JSON.parse(head) as { readonly sent: readonly string[] }).sent.length).toBeLessThanOrEqual(1)
  })

  it('that waits is saved by the next start, without being opened', async () => {
    const network = new Network()
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home, { network })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    network.cut = true
    type(draft, 'left waiting')
    await draft.save()
    await workspace.close()

    const next = await openUi(docs, home)
    await expect.poll(() => next.unsaved()).toEqual([])
    expect(await textOf(docs)).toBe('left waiting')
  })

  it('that waits meets what somebody else saved, and is shown as a conflict when it is opened', async () => {
    const network = new Network()
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home, { network })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    network.cut = true
    type(draft, 'mine')
    await draft.save()
    await workspace.close()
    await saveAsOther(docs, 'theirs')

    const next = await openUi(docs, home)
    await expect.poll(async () => (await next.unsaved())[0]?.waiting).toBe(false)
    const found = await next.project('docs').files(docs.branch).edit(page)
    expect([found.state, found.text, found.theirs?.text, found.base.text]).toEqual([
      'conflict',
      'mine',
      'theirs',
      pageText,
    ])
    expect(await textOf(docs)).toBe('theirs')
  })

  it('can be opened and typed in offline, where the file was opened before', async () => {
    const home = await temporaryDirectory()
    const first = await openUi(docs, home)
    await first.project('docs').files(docs.branch).read(page)
    await first.close()
    const network = new Network()
    network.cut = true
    const workspace = await openUi(docs, home, { network })
    const files = workspace.project('docs').files(docs.branch)
    const draft = await files.edit(page)
    expect([draft.text, workspace.connection]).toEqual([pageText, 'offline'])
    expect(await refusalOf(files.edit('docs.json'))).toMatchObject({ code: 'unavailable' })
    type(draft, 'offline from the start')
    await draft.save()
    network.cut = false
    await expect.poll(() => draft.state).toBe('saved')
    expect(await textOf(docs)).toBe('offline from the start')
  })

  it('stays when its branch is gone, and says so', async () => {
    const home = await temporaryDirectory()
    const workspace = await openUi(docs, home)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'nowhere to go')
    await workspace.client.call(contract.branches.remove, { params: { slug: 'docs' }, query: { id: docs.branch.id } })
    const refusal = await refusalOf(draft.save())
    expect([refusal.code, draft.state]).toEqual(['not_found', 'changed'])
    expect(refusal.message).toContain(`The branch ${docs.branch.name} of docs is no longer there`)
    expect(refusal.hint).toContain('kept on this machine')
    await draft.close()
    expect(await draftsIn(home)).toHaveLength(1)
  })

  it('finds its branch when the project was renamed', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'written under the old name')
    const owner = createClient({ baseUrl: docs.service.url, token: docs.project.session })
    await owner.call(contract.projects.update, { params: { slug: 'docs' }, body: { slug: 'manual' } })
    await draft.save()
    await owner.call(contract.projects.update, { params: { slug: 'manual' }, body: { slug: 'docs' } })
    expect([draft.state, await textOf(docs)]).toEqual(['saved', 'written under the old name'])
  })
})
