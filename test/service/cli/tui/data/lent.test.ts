import { readdir, readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { entryDocument, entryText } from '#cli/tui/data/entry-text.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { docsForEachTest, openUi, page, pageText, textOf, type } from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('lent')

describe('what another program has', () => {
  it('is found by the next start where this one was killed, over what was typed here before', async () => {
    const state = await temporaryDirectory()
    const first = await openUi(docs, state)
    const draft = await first.project('docs').files(docs.branch).edit(page)
    type(draft, 'typed here')
    await expect.poll(async () => (await first.unsaved()).length).toBe(1)
    const { file } = await draft.lend('start.mdx', 'typed here')
    expect(await readFile(file, 'utf8')).toBe('typed here')
    await writeFile(file, 'typed there')
    await first.close()

    const next = await openUi(docs, state)
    const [unsaved] = await next.unsaved()
    expect(await unsaved?.text?.()).toBe('typed there')
    const again = await next.project('docs').files(docs.branch).edit(page)
    expect([again.text, again.recovered]).toEqual(['typed there', true])
    expect(await again.others?.[0]?.text()).toBe('typed here')
    await again.save()
    expect(await textOf(docs)).toBe('typed there')
    await next.close()

    // The program had it open all the while.
    await writeFile(file, 'typed there, later')
    const last = await openUi(docs, state)
    expect((await last.project('docs').files(docs.branch).edit(page)).text).toBe('typed there, later')
  })

  it('is no draft where nothing was written, nor while the UI runs that waits for it, and is gone at its end', async () => {
    const state = await temporaryDirectory()
    const first = await openUi(docs, state)
    const draft = await first.project('docs').files(docs.branch).edit(page)
    const lent = await draft.lend('start.mdx', pageText)
    const second = await openUi(docs, state)
    await writeFile(lent.file, 'half a sen')
    expect((await second.project('docs').files(docs.branch).edit(page)).text).toBe(pageText)
    type(draft, 'half a sentence')
    await lent.end()
    const left = await readdir(state, { recursive: true })
    expect(left.filter((name) => name.endsWith('start.mdx') || name.endsWith('.json'))).toEqual([])
    await draft.discard()
    await draft.lend('start.mdx', pageText)
    await first.close()
    expect(await (await openUi(docs, state)).unsaved()).toEqual([])
  })

  it('of an entry of the changelog is its text: the rest of the entry stays', async () => {
    const state = await temporaryDirectory()
    const first = await openUi(docs, state)
    const entry = await first.project('docs').entries?.create()
    if (entry === undefined) throw new Error('nothing can be kept')
    type(entry, entryText({ title: 'New', version: '', tags: [], content: 'Words.' }))
    await expect.poll(async () => (await first.unsaved()).length).toBe(1)
    const { file } = await entry.lend('entry.mdx', 'Words.')
    await writeFile(file, 'More words.\n')
    await first.close()
    const [unsaved] = await (await openUi(docs, state)).unsaved()
    expect(unsaved?.path).toBe('New')
    expect(entryDocument((await unsaved?.text?.()) ?? '')).toMatchObject({ title: 'New', content: 'More words.\n' })
  })
})
