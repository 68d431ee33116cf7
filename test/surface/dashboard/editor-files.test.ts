import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { shownSizes } from '#test/support/dashboard.ts'
import { Desks, state, textOf, turnTo, typeAtEnd } from '#test/support/desk.ts'

let desks: Desks

beforeAll(async () => {
  if (hasBrowser) desks = await Desks.start()
})
afterAll(async () => {
  if (hasBrowser) await desks.close()
})

const configWith = (guides: string): string =>
  `{ "name": "Docs", "navigation": { "groups": [{ "group": "Start", "pages": ["index"] }, { "group": "Guides", "pages": [${guides}] }] } }`

describe.skipIf(!hasBrowser).each(shownSizes)('the files of a branch on a %s', (size) => {
  it('are made, moved with the links to them, and deleted, and all of it is taken back', async () => {
    const desk = await desks.with(
      {
        'docs.json': configWith('"guides/start"'),
        'index.mdx': 'See [start](/guides/start).\n',
        'guides/start.mdx': '# Start\n',
      },
      size,
    )
    const { person } = desk
    const { page } = person
    await desk.open('guides/start.mdx')
    await textOf(person, 'guides/start.mdx').waitFor()

    await turnTo(person, size, 'Files')
    await page.getByRole('button', { name: 'New page' }).first().click()
    await page.getByLabel('Title').fill('Going live')
    await expect.poll(() => page.getByLabel('Navigation').innerText()).toContain('Guides, after guides/start')
    await person.expectAccessible()
    await page.getByRole('button', { name: 'Create page' }).click()
    await page.waitForURL('**/edit/guides/going-live.mdx')
    await textOf(person, 'guides/going-live.mdx').getByText('Going live').waitFor()
    expect(await desk.saved('docs.json')).toBe(configWith('"guides/start", "guides/going-live"'))

    await turnTo(person, size, 'Files')
    await page.getByRole('link', { name: 'start.mdx' }).click()
    await textOf(person, 'guides/start.mdx').waitFor()
    await turnTo(person, size, 'Files')
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
    await turnTo(person, size, 'Files')

    await page.getByRole('button', { name: 'Actions for guides/start.mdx' }).click()
    await page.getByRole('menuitem', { name: 'Delete file' }).click()
    await page.getByText('guides/start.mdx is deleted.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(() => desk.saved('guides/start.mdx').catch(() => '')).toBe('# Start\n')
    person.expectNoProblems()
  })

  inDepth('are made outside of the navigation, and deleted with their folder', async () => {
    const desk = await desks.with({ 'docs.json': configWith('"guides/start"'), 'guides/start.mdx': '# Start\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('guides/start.mdx')
    await textOf(person, 'guides/start.mdx').waitFor()
    await turnTo(person, size, 'Files')
    await page.getByRole('button', { name: 'New page' }).first().click()
    await page.getByLabel('Title').fill('Hidden')
    await page.getByLabel('Navigation').selectOption('Not in the navigation')
    await page.getByRole('button', { name: 'Create page' }).click()
    await page.waitForURL('**/edit/guides/hidden.mdx')
    expect(await desk.saved('docs.json')).not.toContain('hidden')
    await turnTo(person, size, 'Files')
    await page.getByRole('button', { name: 'Actions for guides/', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete folder' }).click()
    await page.getByRole('alertdialog').getByText('2 files go with it').waitFor()
    await person.expectAccessible()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete folder' }).click()
    await page.getByText('guides/ is deleted.').waitFor()
    person.expectNoProblems()
  })

  inDepth(
    'are moved with the links of what docs.json includes, and it is told which links are as they were',
    async () => {
      const nav = (page: string): string => `{ "groups": [{ "group": "Start", "pages": ["index", "${page}"] }] }`
      const desk = await desks.with(
        {
          'docs.json': '{ "name": "Docs", "navigation": { "$ref": "nav.json" } }',
          'nav.json': nav('guides/start'),
          'index.mdx': 'See [start](/guides/start).\n',
          'guides/start.mdx': 'Then [more](more).\n',
          'guides/more.mdx': '# More\n',
        },
        size,
      )
      const { person } = desk
      const { page } = person
      for (const path of ['index.mdx', 'guides/start.mdx']) {
        await desk.open(path)
        await typeAtEnd(person, path, 'Not saved')
        await state(person, 'Draft kept in this browser').waitFor()
      }
      await turnTo(person, size, 'Files')
      await page.getByRole('button', { name: 'Actions for guides/start.mdx' }).click()
      await page.getByRole('menuitem', { name: 'Rename or move' }).click()
      await page.getByRole('textbox', { name: 'File' }).fill('begin.mdx')
      await page.getByRole('button', { name: 'Move file' }).click()
      const told = 'One link was mended. Links in begin.mdx, index.mdx are as they were'
      await page.getByText(told).waitFor()
      await person.expectAccessible()
      expect(await desk.saved('nav.json')).toBe(nav('begin'))
      expect(await desk.saved('index.mdx')).toBe('See [start](/guides/start).\n')
      expect(await desk.saved('begin.mdx')).toBe('Then [more](more).\n')
      person.expectNoProblems()
    },
  )

  inDepth('take what is not saved along when they are moved, and back again', async () => {
    const desk = await desks.with({ 'index.mdx': '# Home\n', 'other.mdx': '# Other\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'Not saved')
    await state(person, 'Draft kept in this browser').waitFor()
    await turnTo(person, size, 'Files')
    await page.getByRole('button', { name: 'Actions for index.mdx' }).click()
    await page.getByRole('menuitem', { name: 'Rename or move' }).click()
    await page.getByRole('textbox', { name: 'File' }).fill('begin.mdx')
    await page.getByRole('button', { name: 'Move file' }).click()
    await page.waitForURL('**/edit/begin.mdx')
    await typeAtEnd(person, 'begin.mdx', ' and more')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.waitForURL('**/edit/index.mdx')
    await textOf(person, 'index.mdx').getByText('Not saved and more').waitFor()
    await turnTo(person, size, 'Files')
    await expect.poll(() => page.getByRole('button', { name: /^Actions for / }).count()).toBe(2)
    person.expectNoProblems()
  })

  inDepth('are moved and deleted also where they are texts that are not on the branch any more', async () => {
    const desk = await desks.with({ 'index.mdx': '# Home\n', 'guides/start.mdx': '# Start\n' }, size)
    const { person, slug, branch } = desk
    const { page } = person
    await desk.open('guides/start.mdx')
    await typeAtEnd(person, 'guides/start.mdx', 'Not saved')
    await state(person, 'Draft kept in this browser').waitFor()
    await person.client.call(contract.branches.removeFile, {
      params: { slug, id: branch.id, path: 'guides/start.mdx' },
      headers: { 'if-match': '*' },
    })
    await state(person, 'deleted this file').waitFor()
    await turnTo(person, size, 'Files')
    await page.getByRole('button', { name: 'Actions for guides/', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Rename or move' }).click()
    await page.getByRole('textbox', { name: 'Folder' }).fill('help')
    await page.getByRole('button', { name: 'Move folder' }).click()
    await page.waitForURL('**/edit/help/start.mdx')
    await textOf(person, 'help/start.mdx').getByText('Not saved').waitFor()

    await turnTo(person, size, 'Files')
    await page.getByRole('button', { name: 'Actions for help/start.mdx' }).click()
    await page.getByRole('menuitem', { name: 'Delete file' }).click()
    await page.getByText('help/start.mdx is deleted.').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'start.mdx' }).count()).toBe(0)
    // The newest is told first; the move could be taken back, too.
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByRole('button', { name: 'help', exact: true }).click()
    await page.getByRole('link', { name: 'start.mdx' }).waitFor()
    person.expectNoProblems()
  })

  inDepth('have a history, from which an older version comes back', async () => {
    const desk = await desks.with({ 'index.mdx': 'Old words\n' }, size)
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

  inDepth('have a history whose versions take the place of what is not saved, until that is taken back', async () => {
    const desk = await desks.with({ 'index.mdx': 'Old words\n' }, size)
    const { person } = desk
    const { page } = person
    const words = () => textOf(person, 'index.mdx').innerText()
    await desk.open('index.mdx', '?panel=history')
    await page.getByRole('list', { name: 'Versions' }).getByRole('button').first().click()
    await page.getByText('It is the text that you see').waitFor()
    if (size === 'phone') await page.getByRole('button', { name: 'Close the history' }).click()
    await typeAtEnd(person, 'index.mdx', 'Not saved')
    if (size === 'phone') await page.goBack()
    await page.getByRole('group', { name: 'What has changed since' }).getByText('Not saved').waitFor()
    await page.getByRole('button', { name: 'Restore this version' }).click()
    await page.getByText('The older version is in the text').waitFor()
    await person.expectAccessible()
    await expect.poll(words).not.toContain('Not saved')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(words).toContain('Not saved')

    // The keyboard takes back the way back, and the restore, too.
    await textOf(person, 'index.mdx').click()
    await page.keyboard.press('Control+z')
    await expect.poll(words).not.toContain('Not saved')
    await page.keyboard.press('Control+z')
    await expect.poll(words).toContain('Not saved')
    person.expectNoProblems()
  })
})
