import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch } from '../../src/contract/branches.ts'
import { contract } from '../../src/contract/index.ts'
import { hasBrowser } from '../support/browser.ts'
import { DashboardTest, type Person, type Size } from '../support/dashboard.ts'

let dashboard: DashboardTest
let count = 0

beforeAll(async () => {
  // What stands beside the text is rendered as in the preview: by the real builder.
  if (hasBrowser) dashboard = await DashboardTest.startRendering()
})
afterAll(async () => {
  if (hasBrowser) await dashboard.close()
})

interface Desk {
  readonly person: Person
  readonly slug: string
  readonly branch: Branch
  /** The text on the branch now. */
  readonly saved: (path: string) => Promise<string>
  readonly open: (path: string, query?: string) => Promise<void>
}

/** Somebody with a branch that has these files. */
async function deskWith(files: Readonly<Record<string, string>>, size: Size = 'desktop'): Promise<Desk> {
  count += 1
  const slug = `docs-${count}`
  const person = await dashboard.person(`writer${count}`, size)
  const { client } = person
  await client.call(contract.projects.create, { body: { slug } })
  const branch = await client.call(contract.branches.create, { params: { slug }, body: { name: 'draft' } })
  const changes = Object.entries(files).map(([path, content]) => ({ path, content }))
  await client.call(contract.branches.commit, { params: { slug, id: branch.id }, body: { changes } })
  return {
    person,
    slug,
    branch,
    saved: async (path) =>
      (await client.call(contract.branches.readFile, { params: { slug, id: branch.id, path } })).content,
    open: (path, query = '') => person.open(`/dashboard/${slug}/branches/${branch.id}/edit/${path}${query}`),
  }
}

const textOf = (person: Person, path: string) => person.page.getByRole('textbox', { name: `Text of ${path}` })

async function typeAtEnd(person: Person, path: string, words: string): Promise<void> {
  await textOf(person, path).click()
  await person.page.keyboard.press('Control+End')
  await person.page.keyboard.type(words)
}

const state = (person: Person, words: string | RegExp) =>
  person.page.getByRole('status').filter({ hasText: words }).first()

describe.skipIf(!hasBrowser).each(['phone', 'desktop'] as const)('the editor on a %s', (size) => {
  it('finds a page, keeps what is typed, and saves it to the branch', async () => {
    const desk = await deskWith({ 'index.mdx': '# Home\n', 'guides/start.mdx': '# Start\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('')
    if (size === 'desktop') await page.getByRole('heading', { name: 'Choose a file to write in' }).waitFor()
    await page.getByRole('button', { name: 'guides', exact: true }).waitFor()
    await person.expectAccessible()
    await page.getByRole('searchbox', { name: 'Find a file' }).fill('start')
    await page.getByRole('link', { name: 'guides/start.mdx' }).click()
    await textOf(person, 'guides/start.mdx').waitFor()
    await state(person, /^Saved$/).waitFor()
    await person.expectAccessible()

    await typeAtEnd(person, 'guides/start.mdx', 'First words.')
    await state(person, 'Draft kept in this browser').waitFor()
    await page.reload()
    await page.getByText('First words.').waitFor()
    expect(await desk.saved('guides/start.mdx')).toBe('# Start\n')

    await textOf(person, 'guides/start.mdx').click()
    await page.keyboard.press('Control+s')
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('guides/start.mdx')).toBe('# Start\nFirst words.')
    await page.goBack()
    await page.waitForURL('**/edit/')
    person.expectNoProblems()
  })

  it('shows the page beside the text as it is typed, and what is wrong with it at its place', async () => {
    const desk = await deskWith({ 'index.mdx': '# Home\n\nOld words.\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    const preview = page.frameLocator('iframe[title="Preview of index.mdx"]')
    if (size === 'phone') await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await preview.getByText('Old words.').waitFor()
    await person.expectAccessible()
    if (size === 'phone') await page.getByRole('button', { name: 'Write' }).click()
    await typeAtEnd(person, 'index.mdx', 'New **words**.\n')
    if (size === 'phone') await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await preview.getByText('New words.').waitFor()
    if (size === 'phone') await page.getByRole('button', { name: 'Write' }).click()

    await typeAtEnd(person, 'index.mdx', '\n<Note\n')
    const problem = page.getByRole('list', { name: 'Problems' }).getByRole('button')
    await problem.waitFor()
    await person.expectAccessible()
    await problem.click()
    if (size === 'desktop') await preview.getByText('New words.').waitFor()
    person.expectNoProblems()
  })

  it('asks in place where two people changed the same lines, and loses neither', async () => {
    const desk = await deskWith({ 'index.mdx': 'One\n\nTwo\n\nThree\n' }, size)
    const { person, slug, branch } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'Mine at the end')
    await state(person, 'Draft kept in this browser').waitFor()
    await person.client.call(contract.branches.saveFile, {
      params: { slug, id: branch.id, path: 'index.mdx' },
      headers: { 'if-match': '*' },
      body: { content: 'One\n\nTwo\n\nThree\nTheirs at the end\n' },
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const conflict = page.getByRole('region', { name: 'Conflict' })
    await conflict.getByText('Mine at the end').waitFor()
    await conflict.getByText('Theirs at the end').waitFor()
    await person.expectAccessible()
    // A tab that is closed now loses nothing either.
    await page.reload()
    await conflict.getByText('Mine at the end').waitFor()
    await conflict.getByRole('button', { name: 'Keep both' }).click()
    await conflict.getByRole('button', { name: 'Save the result' }).click()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('One\n\nTwo\n\nThree\nMine at the end\nTheirs at the end\n')
    person.expectNoProblems()
  })
})

describe.skipIf(!hasBrowser)('writing', () => {
  it('brings together what two people write in two browsers, and tells both', async () => {
    const desk = await deskWith({ 'index.mdx': 'One\n\nTwo\n\nThree\n' })
    const { person: ada, slug, branch } = desk
    const grace = await dashboard.person('grace')
    const invitation = await ada.client.call(contract.invitations.create, {
      params: { slug },
      body: { email: grace.email, role: 'writer' },
    })
    await grace.client.call(contract.invitations.accept, {
      params: { id: invitation.id },
      body: { code: invitation.code },
    })

    await desk.open('index.mdx')
    await grace.open(`/dashboard/${slug}/branches/${branch.id}/edit/index.mdx`)
    await typeAtEnd(ada, 'index.mdx', 'Of Ada')
    await textOf(grace, 'index.mdx').click()
    await grace.page.keyboard.press('Control+Home')
    await grace.page.keyboard.type('Of Grace. ')
    await grace.page.keyboard.press('Control+s')
    await state(grace, /^Saved$/).waitFor()

    await state(ada, /grace\S* saved this file meanwhile/).waitFor()
    await textOf(ada, 'index.mdx').getByText('Of Grace. One').waitFor()
    await ada.expectAccessible()
    // The cursor is where it was: behind the last word.
    await ada.page.keyboard.type(' and more')
    await ada.page.keyboard.press('Control+s')
    await state(ada, /^Saved$/).waitFor()
    const both = 'Of Grace. One\n\nTwo\n\nThree\nOf Ada and more'
    expect(await desk.saved('index.mdx')).toBe(both)
    await textOf(grace, 'index.mdx').getByText('Of Ada and more').waitFor()
    await state(grace, 'saved this file. You see their text').waitFor()
    ada.expectNoProblems()
    grace.expectNoProblems()
  })

  it('shows to whoever only reads what another one saves', async () => {
    const desk = await deskWith({ 'index.mdx': 'Before\n' })
    const { person, slug, branch } = desk
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').getByText('Before').waitFor()
    await person.client.call(contract.branches.saveFile, {
      params: { slug, id: branch.id, path: 'index.mdx' },
      headers: { 'if-match': '*' },
      body: { content: 'After\n' },
    })
    await textOf(person, 'index.mdx').getByText('After').waitFor()
    await state(person, /^Saved$/).waitFor()
    person.expectNoProblems()
  })

  it('keeps a text whose file somebody deletes, and saves it anew', async () => {
    const desk = await deskWith({ 'index.mdx': 'Words\n', 'other.mdx': 'Other\n' })
    const { person, slug, branch } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'More')
    await person.client.call(contract.branches.removeFile, {
      params: { slug, id: branch.id, path: 'index.mdx' },
      headers: { 'if-match': '*' },
    })
    await state(person, 'deleted this file').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('Words\nMore')
    person.expectNoProblems()
  })

  it('goes on without a connection, and keeps each word for when there is one', async () => {
    const desk = await deskWith({ 'index.mdx': 'Words\n' })
    const { person } = desk
    const { page, context } = person
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').waitFor()
    await context.setOffline(true)
    await typeAtEnd(person, 'index.mdx', 'Offline')
    await state(person, 'Draft kept in this browser').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'This was not saved' }).waitFor()
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('Words\nOffline')
    person.expectNoProblems()
  })

  it('completes components with their properties, links with their anchors, and front matter', async () => {
    const desk = await deskWith({ 'index.mdx': '', 'guides/start.mdx': '# Start\n\n## First steps\n' })
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    const text = textOf(person, 'index.mdx')
    await text.click()
    await page.keyboard.type('<Card')
    const option = (name: string | RegExp) => page.getByRole('option', { name }).first()
    await option(/^Card/).waitFor()
    await person.expectAccessible()
    await page.keyboard.press('Enter')
    await expect.poll(() => text.innerText()).toContain('</Card>')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('A [a](/gui')
    await option('/guides/start').click()
    await page.keyboard.type('#')
    await page.keyboard.press('Control+Space')
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+Space')
        return option('#first-steps').isVisible()
      })
      .toBe(true)
    await option('#first-steps').click()
    await expect.poll(() => text.innerText()).toContain('/guides/start#first-steps')
    person.expectNoProblems()
  })

  it('makes words bold, italic and links by keyboard, and goes on with lists', async () => {
    const desk = await deskWith({ 'index.mdx': '' })
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').click()
    await page.keyboard.press('Control+b')
    await page.keyboard.type('bold')
    for (let times = 0; times < 2; times++) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.keyboard.type('1. one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('word')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('/there')
    await page.keyboard.press('Control+s')
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('**bold**\n1. one\n2. two\n[word](/there)')
    person.expectNoProblems()
  })

  it('puts an image that is pasted on the branch and into the text', async () => {
    const desk = await deskWith({ 'index.mdx': 'Before\n' })
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', '')
    await textOf(person, 'index.mdx').evaluate((element) => {
      const bytes = Uint8Array.from(
        atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
        (letter) => letter.charCodeAt(0),
      )
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([bytes], 'My shot.png', { type: 'image/png' }))
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
      )
    })
    await expect.poll(() => textOf(person, 'index.mdx').innerText()).toContain('![my shot](/images/my-shot.png)')
    await page.getByRole('button', { name: 'images', exact: true }).click()
    await page.getByRole('link', { name: 'my-shot.png' }).click()
    await page.getByRole('img', { name: 'images/my-shot.png' }).waitFor()
    await person.expectAccessible()
    person.expectNoProblems()
  })
})

describe.skipIf(!hasBrowser)('the files of a branch', () => {
  it('are made, moved with the links to them, and deleted, and all of it is taken back', async () => {
    const desk = await deskWith({
      'docs.json': '{ "navigation": ["index", "guides/start"] }',
      'index.mdx': 'See [start](/guides/start).\n',
      'guides/start.mdx': '# Start\n',
    })
    const { person } = desk
    const { page } = person
    await desk.open('guides/start.mdx')
    await textOf(person, 'guides/start.mdx').waitFor()

    await page.getByRole('button', { name: 'New page' }).first().click()
    await page.getByLabel('Title').fill('Going live')
    await person.expectAccessible()
    await page.getByRole('button', { name: 'Create page' }).click()
    await page.waitForURL('**/edit/guides/going-live.mdx')
    await textOf(person, 'guides/going-live.mdx').getByText('Going live').waitFor()

    await page.getByRole('link', { name: 'start.mdx' }).click()
    await textOf(person, 'guides/start.mdx').waitFor()
    await page.getByRole('button', { name: 'Actions for guides/start.mdx' }).click()
    await page.getByRole('menuitem', { name: 'Rename or move' }).click()
    await page.getByRole('textbox', { name: 'File' }).fill('begin.mdx')
    await person.expectAccessible()
    await page.getByRole('button', { name: 'Move file' }).click()
    await page.waitForURL('**/edit/begin.mdx')
    await page.getByText('2 links were mended').waitFor()
    expect(await desk.saved('index.mdx')).toBe('See [start](/begin).\n')
    expect(await desk.saved('docs.json')).toContain('"begin"')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.waitForURL('**/edit/guides/start.mdx')
    await expect.poll(() => desk.saved('index.mdx')).toBe('See [start](/guides/start).\n')

    await page.getByRole('button', { name: 'Actions for guides/start.mdx' }).click()
    await page.getByRole('menuitem', { name: 'Delete file' }).click()
    await page.getByText('guides/start.mdx is deleted.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(() => desk.saved('guides/start.mdx').catch(() => '')).toBe('# Start\n')

    await page.getByRole('button', { name: 'Actions for guides/', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete folder' }).click()
    await page.getByRole('alertdialog').getByText('2 files go with it').waitFor()
    await person.expectAccessible()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete folder' }).click()
    await page.getByText('guides/ is deleted.').waitFor()
    person.expectNoProblems()
  })

  it('have a history, from which an older version comes back', async () => {
    const desk = await deskWith({ 'index.mdx': 'Old words\n' })
    const { person, slug, branch } = desk
    const { page } = person
    await person.client.call(contract.branches.saveFile, {
      params: { slug, id: branch.id, path: 'index.mdx' },
      headers: { 'if-match': '*' },
      body: { content: 'New words\n', message: 'Write anew' },
    })
    await desk.open('index.mdx')
    await page.getByRole('button', { name: 'This file' }).click()
    await page.getByRole('menuitem', { name: 'History of this file' }).click()
    await page.waitForURL('**/edit/index.mdx?panel=history')
    const versions = page.getByRole('list', { name: 'Versions' }).getByRole('button', { expanded: false })
    await page.getByText('Write anew').waitFor()
    await versions.last().click()
    await page.getByRole('group', { name: 'What has changed since' }).getByText('Old words').waitFor()
    await person.expectAccessible()
    await page.reload()
    await page.getByRole('button', { name: 'Restore this version' }).click()
    await textOf(person, 'index.mdx').getByText('Old words').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => desk.saved('index.mdx')).toBe('Old words\n')
    await page.goBack()
    await page.waitForURL('**/edit/index.mdx')
    person.expectNoProblems()
  })
})
