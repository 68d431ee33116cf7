import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Workspace } from '#cli/tui/data/workspace.ts'
import { changelogView } from '#cli/tui/views/changelog/changelog-view.ts'
import { PendingMerges } from '#cli/tui/views/merge/pending-merges.ts'
import type { Entry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { aProject, FakeWorkspace } from '#test/support/fake-workspace.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { Network, openUi, type StartedDocs } from '#test/support/cli/tui/data/workspaces.ts'

let docs: StartedDocs
let app: FakeApp
let workspace: Workspace
let network: Network
let pendingMerges: PendingMerges
let home: string

beforeAll(async () => {
  const service = await startTestService({}, { builder: new FakeBuilder(), texts: new FakeTexts() })
  const project = await createProject(service.url, 'docs')
  docs = { service, project, branch: {} as never, close: () => service.close() }
})
afterAll(() => docs.close())
beforeEach(async () => {
  for (const { id } of await entries())
    await docs.project.client.call(contract.changelog.remove, { params: { slug: 'docs' }, query: { id } })
  app = new FakeApp()
  network = new Network()
  home = await temporaryDirectory()
  workspace = await openUi(docs, home, { network })
  pendingMerges = new PendingMerges(workspace.decisions)
})

async function entries(): Promise<readonly Entry[]> {
  return (await docs.project.client.call(contract.changelog.list, { params: { slug: 'docs' }, query: {} })).items
}
const made = (own: Partial<Entry> & { readonly title: string }) =>
  docs.project.client.call(contract.changelog.create, { params: { slug: 'docs' }, body: { content: 'Text.', ...own } })
const shows = (text: string | RegExp) => expect.poll(() => app.screen()).toMatch(text)
const status = (text: string) =>
  expect
    .poll(() =>
      app.top
        .status?.()
        .map((part) => part.text)
        .join(''),
    )
    .toContain(text)

async function open(): Promise<void> {
  app.push(changelogView({ app, workspace, pendingMerges, project: aProject({ slug: 'docs' }) }))
  await shows(/draft|published|scheduled|Nothing is written/)
}

describe('the changelog', () => {
  test('lists what is a draft, scheduled and published, with what there is to say of it', async () => {
    await made({ title: 'Old news', is_draft: false, version: '1.0', tags: ['api'] })
    const soon = new Date(Date.now() + 3 * 3_600_000).toISOString()
    await made({ title: 'Soon \u001b[2J', is_draft: false, published_at: soon }).catch(() => undefined)
    await made({ title: 'Soon', is_draft: false, published_at: soon })
    await made({ title: 'Begun' })
    await open()
    await shows('Old news')
    const screen = app.screen({ width: 120, height: 20 })
    for (const line of [/scheduled +Soon/, /draft +Begun/, /published +Old news +1\.0/, /in (2 h 59 min|3 h)/])
      expect(screen).toMatch(line)
    expect(screen).not.toContain('\u001b')
    app.command('panel.refresh')
  })

  test.each(['P', 'x'])('does with %s nothing to what somebody else changed since it was listed', async (key) => {
    const { id } = await made({ title: 'Begun' })
    await open()
    await shows('Begun')
    const params = { slug: 'docs' }
    await docs.project.client.call(contract.changelog.update, { params, body: { id, content: 'Not to be seen yet.' } })
    app.dialogs.answer(true)
    await app.press(key)
    await expect.poll(() => app.notes.at(-1)).toMatch(/^error: .*was changed at .*Open it to see what it says now/)
    expect(await entries()).toMatchObject([{ id, status: 'draft', content: 'Not to be seen yet.' }])
  })

  test('says how to begin where nothing is written', async () => {
    await open()
    expect(app.screen()).toContain('n begins one.')
  })

  test('can only be read in the sample', async () => {
    const entry = await made({ title: 'Begun' })
    const sample = new FakeWorkspace()
    sample.readOnly = true
    sample.service.on(contract.changelog.list, () => ({ items: [entry] }))
    app.push(changelogView({ app, workspace: sample, pendingMerges, project: aProject({ slug: 'docs' }) }))
    await shows('Begun')
    for (const id of ['entry.create', 'entry.publish', 'entry.schedule', 'entry.remove'])
      expect(app.command(id).unavailable).toContain('sample')
    await app.press('enter')
    expect(app.top.about).toContain('cannot be changed')
  })
})

describe('an entry', () => {
  async function begin(): Promise<void> {
    await open()
    await app.press('n')
    await expect.poll(() => app.top.title).toBe('New entry')
  }
  async function write(): Promise<void> {
    await begin()
    await app.type('Faster search')
    await app.press('f6')
    await app.type('2.4.0')
    await app.press('enter')
    await app.type('search, api, search')
    await app.press('enter')
    await app.type('It is *fast*.')
  }

  test('is typed into no field while a narrow window shows its preview in the place of its text', async () => {
    await write()
    await app.press('f7')
    app.screen({ width: 76, height: 20 })
    await app.type('lost?')
    await app.press('f7')
    await app.type(' Try it.')
    const screen = app.screen({ width: 76, height: 20 })
    expect(screen).toContain('It is *fast*. Try it.')
    expect(screen).not.toContain('lost?')
  })

  test('is written, saved as a draft, published and announced to readers', async () => {
    await write()
    expect(app.screen()).toMatch(/Title {2}Faster search\nVersion {2}2\.4\.0 +Tags {2}search, api, search\n/)
    await status('3 words · draft · not saved, kept here')
    await app.press('ctrl+s')
    await status('saved')
    expect(await entries()).toMatchObject([
      { title: 'Faster search', version: '2.4.0', tags: ['search', 'api'], content: 'It is *fast*.', status: 'draft' },
    ])
    app.dialogs.answer(true)
    await app.press('alt+p')
    await status('published')
    expect(await entries()).toMatchObject([{ status: 'published' }])
    expect(app.notes.at(-1)).toBe('success: “Faster search” is published.')
  })

  test('is saved before it is published', async () => {
    await write()
    app.dialogs.answer(true)
    await app.press('alt+p')
    await expect.poll(entries).toMatchObject([{ content: 'It is *fast*.', status: 'published' }])
  })

  test('is found again in the list where it was left, and can be forgotten', async () => {
    await write()
    await app.press('escape')
    await shows(/draft +Faster search +not saved/)
    expect(await entries()).toEqual([])
    await app.press('enter')
    await expect.poll(() => app.top.title).toBe('Faster search')
    expect(app.screen()).toContain('It is *fast*.')
    await app.press('escape')
    await shows('not saved')
    app.dialogs.answer(true)
    await app.press('x')
    await shows('Nothing is written')
  })

  test('that was begun and left empty leaves nothing', async () => {
    await begin()
    await app.press('escape')
    await shows('Nothing is written')
    await expect.poll(async () => workspace.project('docs').entries?.unsaved()).toEqual([])
  })

  test('says what the service would refuse, and keeps the text', async () => {
    await begin()
    await app.press('ctrl+s')
    await expect.poll(() => app.notes.at(-1)).toMatch(/^error: The entry could not be saved\. The entry has no title\./)
    await app.type('x'.repeat(201))
    await app.press('ctrl+s')
    await expect.poll(() => app.notes.at(-1)).toBe('error: The title has 201 characters, and may have 200.')
    expect(await entries()).toEqual([])
    await status('not saved')
  })

  test('is completed with the components that pages may use', async () => {
    await write()
    await app.press('enter')
    await app.type('<War')
    await expect
      .poll(async () => {
        await app.press('backspace')
        await app.type('r')
        return app.screen()
      })
      .toContain('Warning')
    await app.press('tab')
    await app.type('Mind the gap.')
    expect(app.screen()).toMatch(/<Warning>\s*Mind the gap\./)
  })

  test('is searched, and what is found replaced, while Alt-P is of the search', async () => {
    await write()
    await app.press('ctrl+r')
    await app.type('fast')
    await shows(/Find +fast +1 (of 1|found)/)
    await app.press('tab')
    await app.type('quick')
    await app.press('alt+a')
    await shows(/It is \*quick\*\./)
    await app.press('alt+p')
    await shows('[pattern]')
    await app.press('escape')
    await app.type('!')
    expect(app.screen()).not.toContain('Find')
    expect(app.dialogs.shown).toEqual([])
  })

  test('is handed to the person’s own editor, and comes back', async () => {
    await write()
    Object.assign(app, { environment: { ...app.environment, editor: `printf '\\nMore.' >>` } })
    await app.press('ctrl+e')
    await shows(/It is \*fast\*\.\n +More\./)
    await status('not saved, kept here')
    await app.press('ctrl+z')
    await expect.poll(() => app.screen()).not.toContain('More.')
  })

  test('has what does not compile marked at its line, until it is mended', async () => {
    await write()
    await app.press('enter')
    await app.type('This is broken.')
    await app.press('ctrl+s')
    await expect.poll(() => app.notes.at(-1)).toContain('cannot be shown')
    const spoken = () => app.top.layout({ width: 80, height: 20 }).at(-1)?.pane.spoken()
    await expect.poll(spoken).toContain('error: It is broken.')
    for (let left = 'broken.'.length; left > 0; left--) await app.press('backspace')
    await app.press('ctrl+s')
    await status('saved')
    await expect.poll(spoken).not.toContain('error')
  })

  test('waits for the connection, and says so', async () => {
    await write()
    network.cut = true
    await app.press('ctrl+s')
    await status('waits for the connection')
    await expect.poll(() => app.notes.at(-1) ?? '').toContain('kept here')
    network.cut = false
    await expect.poll(entries, { timeout: 10_000 }).toMatchObject([{ title: 'Faster search' }])
    await status('saved')
  })

  test.each([
    ['Keep mine', 'Text. mine', 'saved'],
    ['Take theirs', 'Theirs.', 'saved'],
  ])('that somebody else changed asks what is to stay: %s', async (label, content, state) => {
    const { id } = await made({ title: 'Shared' })
    await open()
    await app.press('enter')
    await expect.poll(() => app.top.title).toBe('Shared')
    await app.press('end')
    await app.type(' mine')
    await docs.project.client.call(contract.changelog.update, {
      params: { slug: 'docs' },
      body: { id, content: 'Theirs.' },
    })
    app.dialogs.answer(label)
    await app.press('ctrl+s')
    await status(state)
    expect(await entries()).toMatchObject([{ content }])
  })

  test.each(['Keep mine', 'Take theirs'])('of which one text stays has no pieces left to merge: %s', async (label) => {
    const { id } = await made({ title: 'Shared' })
    await open()
    await app.press('enter')
    await expect.poll(() => app.top.title).toBe('Shared')
    await app.press('end')
    await app.type(' mine')
    await docs.project.client.call(contract.changelog.update, {
      params: { slug: 'docs' },
      body: { id, content: 'Theirs.' },
    })
    app.dialogs.answer('Put both together', label)
    await app.press('ctrl+s')
    await status('0 of 1 decided')
    await app.press('1')
    await pendingMerges.flush()
    await app.press('escape', 'ctrl+s')
    await status('saved')
    await pendingMerges.flush()
    const kept = async (): Promise<string[]> =>
      (await readdir(home, { recursive: true })).filter((name) => /decisions.*json$/.test(name))
    await expect.poll(kept).toEqual([])
  })

  test('that somebody else changed is put together piece by piece', async () => {
    const lines = (first: string, last: string): string => `${first}\n\none\n\ntwo\n\nthree\n\n${last}`
    const { id } = await made({ title: 'Shared', content: lines('First', 'Last') })
    await open()
    await app.press('enter')
    await expect.poll(() => app.top.title).toBe('Shared')
    await app.press('end')
    await app.type(' mine')
    await docs.project.client.call(contract.changelog.update, {
      params: { slug: 'docs' },
      body: { id, title: 'Theirs', content: lines('First theirs', 'Last theirs') },
    })
    app.dialogs.answer('Put both together')
    await app.press('ctrl+s')
    await status('0 of 1 decided')
    await app.press('ctrl+s')
    expect(app.notes.at(-1)).toContain('There are pieces to be decided.')
    await app.press('1', 'ctrl+s')
    await status('saved')
    expect(app.top.title).toBe('Theirs')
    await expect.poll(entries).toMatchObject([{ title: 'Theirs', content: lines('First mine', 'Last theirs') }])
  })
})

describe('publication', () => {
  test('at a time that is typed, in the zone of this machine', async () => {
    await made({ title: 'Later' })
    await open()
    app.dialogs.answer({ when: 'yesterday' }, { when: '2020-01-01 9:00' }, { when: 'tomorrow 9:00' })
    await app.press('s')
    await shows(/scheduled +Later/)
    const tomorrow = new Date()
    tomorrow.setDate(tomorrow.getDate() + 1)
    tomorrow.setHours(9, 0, 0, 0)
    expect(await entries()).toMatchObject([{ status: 'scheduled', published_at: tomorrow.toISOString() }])
    expect(app.dialogs.refusals).toMatchObject([/not understood/, /is over/].map((text) => expect.stringMatching(text)))
    app.dialogs.answer(true)
    await app.press('P')
    await shows(/published +Later/)
    app.dialogs.answer(true)
    await app.press('w')
    await shows(/draft +Later/)
  })

  test('of what was public before is as new, or where it was', async () => {
    const before = '2024-03-01T09:00:00.000Z'
    const { id } = await made({ title: 'Again', is_draft: false, published_at: before })
    await docs.project.client.call(contract.changelog.update, {
      params: { slug: 'docs' },
      body: { id, is_draft: true },
    })
    await open()
    app.dialogs.answer('Where it was')
    await app.press('P')
    await shows(/published +Again/)
    expect(await entries()).toMatchObject([{ published_at: before }])
  })

  test('is nothing that happens by itself: a no changes nothing, and what is deleted is gone for good', async () => {
    await made({ title: 'Kept' })
    await open()
    app.dialogs.answer(false, undefined, false)
    await app.press('P', 's', 'x')
    expect(await entries()).toMatchObject([{ status: 'draft' }])
    app.dialogs.answer(true)
    await app.press('x')
    await shows('Nothing is written')
    expect(await entries()).toEqual([])
  })

  test('waits until what was written is saved', async () => {
    await made({ title: 'Half' })
    await open()
    await app.press('enter')
    await expect.poll(() => app.top.title).toBe('Half')
    await app.type('More. ')
    await app.press('escape')
    await shows('not saved')
    await app.press('P')
    expect(app.notes.at(-1)).toContain('save that first')
  })
})
