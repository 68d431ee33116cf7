import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Draft } from '#cli/tui/data/drafts/draft.ts'
import type { Entries } from '#cli/tui/data/entries.ts'
import { emptyDocument, entryDocument, entryText } from '#cli/tui/data/entry-text.ts'
import type { Workspace } from '#cli/tui/data/workspace.ts'
import type { Entry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { Network, openUi, type, type StartedDocs } from '#test/support/cli/tui/data/workspaces.ts'

let docs: StartedDocs
let state: string
let changelogs = 0

beforeAll(async () => {
  const service = await startTestService({}, { builder: new FakeBuilder(), texts: new FakeTexts() })
  const project = await createProject(service.url, 'docs')
  docs = { service, project, branch: {} as never, close: () => service.close() }
})
afterAll(() => docs.close())
beforeEach(async () => {
  state = await temporaryDirectory()
  changelogs += 1
})

const document = (own: Partial<typeof emptyDocument> = {}) => ({
  ...emptyDocument,
  title: `Entry ${changelogs}`,
  content: 'What is new.',
  ...own,
})
const entriesOf = (workspace: Workspace): Entries => {
  const { entries } = workspace.project('docs')
  if (entries === undefined) throw new Error('the workspace keeps no entries')
  return entries
}
const onService = async (): Promise<Entry[]> => {
  const { items } = await docs.project.client.call(contract.changelog.list, { params: { slug: 'docs' } })
  return items.filter(({ title }) => title === `Entry ${changelogs}`)
}
const made = (own: Partial<Entry> = {}) =>
  docs.project.client.call(contract.changelog.create, {
    params: { slug: 'docs' },
    body: { title: `Entry ${changelogs}`, content: 'Before.', ...own },
  })
const kept = (entries: Entries) => expect.poll(async () => (await entries.unsaved()).map(({ title }) => title))

describe('an entry as a text', () => {
  it('is what was written, to the letter', () => {
    const line = fc.string().map((text) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/gu, ''))
    const text = fc
      .array(fc.constantFrom('---', '\n', '\r\n', 'a', '# b', ' ', 'tags: x', 'ä😀'))
      .map((all) => all.join(''))
    const tags = fc.array(line.filter((tag) => tag !== ''))
    fc.assert(
      fc.property(line, line, tags, text, (title, version, words, content) => {
        const written = { title, version, tags: words, content }
        expect(entryDocument(entryText(written))).toEqual(written)
      }),
    )
  })
})

describe('an entry that is written', () => {
  it('is kept on this machine, and found again after a crash', async () => {
    const first = entriesOf(await openUi(docs, state))
    const draft = await first.create()
    type(draft, entryText(document({ content: 'Not yet saved.' })))
    await kept(first).toEqual([`Entry ${changelogs}`])
    const again = entriesOf(await openUi(docs, state))
    const [found] = await again.unsaved()
    expect(found).toMatchObject({ title: `Entry ${changelogs}`, id: undefined })
    expect(await onService()).toEqual([])
  })

  it('is a draft of the service from its first save on, and the same one from then on', async () => {
    const workspace = await openUi(docs, state)
    const entries = entriesOf(workspace)
    const draft = await entries.create()
    expect(entries.idOf(draft)).toBe(undefined)
    type(draft, entryText(document({ version: '2.0', tags: ['api'] })))
    await draft.save()
    const [entry] = await onService()
    expect(entry).toMatchObject({ content: 'What is new.', version: '2.0', tags: ['api'], status: 'draft' })
    expect(entries.idOf(draft)).toBe(entry?.id)
    type(draft, entryText(document({ content: 'More.' })))
    await draft.save()
    expect(await onService()).toMatchObject([{ id: entry?.id, content: 'More.', tags: [] }])
    expect((await onService())[0]).not.toHaveProperty('version')
    expect(draft.state).toBe('saved')
    await expect.poll(() => draft.path).toBe(entries.keyOf(entry?.id ?? ''))
    await kept(entries).toEqual([])
  })

  it('becomes one entry, also where the answer to its first save is lost', async () => {
    const network = new Network()
    const entries = entriesOf(await openUi(docs, state, { network }))
    const draft = await entries.create()
    type(draft, entryText(document()))
    network.lost = { method: 'POST', times: 1 }
    await draft.save().catch(() => undefined)
    await draft.save()
    expect(await onService()).toHaveLength(1)
    expect(draft.state).toBe('saved')
  })

  it('is not sent without a title or a text, and says so', async () => {
    const entries = entriesOf(await openUi(docs, state))
    const draft = await entries.create()
    type(draft, entryText(document({ title: '' })))
    expect(await refusalOf(draft.save())).toMatchObject({ code: 'invalid_content' })
    type(draft, entryText(document({ content: ' ' })))
    expect((await refusalOf(draft.save())).message).toContain('no text')
    await draft.discard()
    await kept(entries).toEqual([])
  })

  it('goes to the service when that can be reached again', async () => {
    const network = new Network()
    const workspace = await openUi(docs, state, { network })
    const entries = entriesOf(workspace)
    const draft = await entries.create()
    type(draft, entryText(document()))
    network.cut = true
    await draft.save()
    expect(draft.state).toBe('waiting')
    expect(await entries.unsaved()).toMatchObject([{ waiting: true }])
    expect(await workspace.unsaved()).toMatchObject([
      { slug: 'docs', branch: 'the changelog', path: `Entry ${changelogs}`, waiting: true, entry: true },
    ])
    network.cut = false
    await expect.poll(onService, { timeout: 10_000 }).toHaveLength(1)
    await expect.poll(() => draft.state).toBe('saved')
  })
})

describe('an entry that is there', () => {
  const edited = async (entries: Entries, id: string): Promise<Draft> => entries.edit(entries.keyOf(id))

  it('is changed as a whole, and published ones stay published', async () => {
    const { id } = await made({ version: '1', tags: ['old'], is_draft: false })
    const entries = entriesOf(await openUi(docs, state))
    const draft = await edited(entries, id)
    expect(entryDocument(draft.text)).toMatchObject({ version: '1', tags: ['old'], content: 'Before.' })
    type(draft, entryText(document()))
    await draft.save()
    expect(await onService()).toMatchObject([{ id, content: 'What is new.', status: 'published', tags: [] }])
  })

  it('is a conflict where somebody else changed or deleted it', async () => {
    const { id } = await made()
    const entries = entriesOf(await openUi(docs, state))
    const draft = await edited(entries, id)
    type(draft, entryText(document({ content: 'Mine.' })))
    const params = { slug: 'docs' }
    await docs.project.client.call(contract.changelog.update, { params, body: { id, content: 'Theirs.' } })
    await draft.save()
    expect(draft.state).toBe('conflict')
    expect(entryDocument(draft.theirs?.text ?? '').content).toBe('Theirs.')
    draft.rebase(entryText(document({ content: 'Both.' })))
    await draft.save()
    expect(await onService()).toMatchObject([{ id, content: 'Both.' }])
    type(draft, entryText(document({ content: 'Mine again.' })))
    await docs.project.client.call(contract.changelog.remove, { params, query: { id } })
    await draft.save()
    expect(draft.theirs).toEqual({ oid: null, text: null })
    draft.rebase(draft.text)
    await draft.save()
    expect(await onService()).toMatchObject([{ content: 'Mine again.' }])
  })

  it('is a conflict also where somebody saves while this save is on its way', async () => {
    const { id } = await made()
    const network = new Network()
    const entries = entriesOf(await openUi(docs, state, { network }))
    const draft = await edited(entries, id)
    type(draft, entryText(document({ content: 'Mine.' })))
    const params = { slug: 'docs' }
    network.before = {
      method: 'PATCH',
      work: async () => {
        await docs.project.client.call(contract.changelog.update, { params, body: { id, content: 'Theirs.' } })
      },
    }
    await draft.save()
    expect(draft.state).toBe('conflict')
    expect(entryDocument(draft.theirs?.text ?? '').content).toBe('Theirs.')
    expect(entryDocument(draft.text).content).toBe('Mine.')
    expect(await onService()).toMatchObject([{ id, content: 'Theirs.' }])
  })

  it('is no conflict with itself where the answer to a save is lost', async () => {
    const { id } = await made()
    const network = new Network()
    const entries = entriesOf(await openUi(docs, state, { network }))
    const draft = await edited(entries, id)
    type(draft, entryText(document({ content: 'Mine.' })))
    network.lost = { method: 'PATCH', times: 1 }
    await draft.save()
    await expect.poll(() => draft.state).toBe('saved')
    expect(await onService()).toMatchObject([{ id, content: 'Mine.' }])
  })

  it('can be read and edited where the service cannot be reached, once it was listed', async () => {
    const { id } = await made()
    const network = new Network()
    const workspace = await openUi(docs, state, { network })
    const entries = entriesOf(workspace)
    await entries.list()
    network.cut = true
    const { value, offline } = await entries.list()
    expect([value.some((entry) => entry.id === id), offline]).toEqual([true, true])
    expect(entryDocument((await edited(entries, id)).text).content).toBe('Before.')
  })
})
