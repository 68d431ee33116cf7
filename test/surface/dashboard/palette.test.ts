import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person, type Size } from '#test/support/dashboard.ts'

describe.skipIf(!hasBrowser)('from anywhere', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  /** Somebody with a project and a branch of two pages. */
  async function writer(name: string, size: Size = 'desktop'): Promise<Person & { readonly branch: string }> {
    const person = await dashboard.person(name, size)
    const { client } = person
    await client.call(contract.projects.create, { body: { slug: name, title: `Handbook of ${name}` } })
    const params = { slug: name }
    const { id } = await client.call(contract.branches.create, { params, body: { name: 'spring-cleaning' } })
    const changes = ['index.mdx', 'guides/install.mdx'].map((path) => ({ path, content: `# ${path}\n` }))
    await client.call(contract.branches.commit, { params: { ...params, id }, body: { changes } })
    return Object.assign(person, { branch: id })
  }

  describe.each(shownSizes)('on a %s', (size) => {
    it('pages, branches and files are reached by a few letters of their names', async () => {
      const ada = await writer(`palette-${size}`, size)
      const { page } = ada
      await ada.open(`/dashboard/palette-${size}/entries/new`)
      await expect.poll(() => page.title()).toContain('New entry')
      await ada.open(`/dashboard/palette-${size}/usage`)
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Go to' }).click()
      const field = page.getByRole('combobox', { name: 'Go to' })
      await page.getByRole('option', { name: /spring-cleaning/ }).waitFor()
      await ada.expectAccessible()
      await field.fill('sprcl')
      await page.getByRole('option', { name: /spring-cleaning/ }).waitFor()
      await field.press('Enter')
      await page.waitForURL(`**/palette-${size}/branches/${ada.branch}`)

      await page.getByRole('button', { name: 'Go to' }).click()
      await field.fill('instal')
      await page.getByRole('option', { name: /guides\/install\.mdx/ }).click()
      await page.waitForURL('**/edit/guides/install.mdx')
      await page.reload()
      await page.getByRole('button', { name: 'Go to' }).click()
      // What was to be made there has an address of its own by now.
      expect(await page.getByRole('group', { name: 'Recent' }).getByText('New entry').count()).toBe(0)
      await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: /Usage/ }).click()
      await page.waitForURL('**/usage')
      await page.goBack()
      await page.waitForURL('**/edit/guides/install.mdx')

      await page.getByRole('button', { name: 'Go to' }).click()
      await field.fill('xyzzy')
      await page.getByText('Nothing here is called “xyzzy”.').waitFor()
      await ada.expectAccessible()
      await page.keyboard.press('Escape')
      if ((await field.count()) > 0) await page.keyboard.press('Escape')
      await expect.poll(() => field.count()).toBe(0)
      ada.expectNoProblems()
    })
  })

  inDepth.each(shownSizes)('what is on later pages of its list is found, too, on a %s', async (size) => {
    const slug = `many-${size}`
    const mary = await writer(slug, size)
    const { page, client } = mary
    const params = { slug }
    const entry = await client.call(contract.changelog.create, {
      params,
      body: { title: 'Zebra crossing', content: 'Look.' },
    })
    const old = await client.call(contract.branches.create, { params, body: { name: 'quagga' } })
    await client.call(contract.projects.create, { body: { slug: `okapi-${size}`, title: 'Okapi pages' } })
    for (let count = 0; count < 51; count++) {
      await client.call(contract.changelog.create, { params, body: { title: `News ${count}`, content: 'New.' } })
      await client.call(contract.branches.create, { params, body: { name: `b-${count}` } })
      await client.call(contract.projects.create, { body: { slug: `p-${size}-${count}` } })
    }
    await mary.open(`/dashboard/${slug}/usage`)
    const field = page.getByRole('combobox', { name: 'Go to' })
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    // Entries come with their whole text: only what has the words is asked for, after a pause.
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.endsWith('/changelog')) asked.push(search)
    })
    await page.getByRole('button', { name: 'Go to' }).click()
    await field.fill('z')
    await page.getByText('Nothing here is called “z”.').or(page.getByRole('option').first()).waitFor()
    await page.waitForTimeout(600)
    expect(asked).toEqual([])
    await field.fill('zebra')
    await page.getByRole('option', { name: /Zebra/ }).waitFor()
    expect(asked).toEqual(['?q=zebra&limit=10'])
    await page.keyboard.press('Escape')
    if ((await field.count()) > 0) await page.keyboard.press('Escape')
    await expect.poll(() => field.count()).toBe(0)
    for (const [words, to] of [
      ['zebra', `/${slug}/entries/${entry.id}`],
      ['quagga', `/${slug}/branches/${old.id}`],
      ['okapi', `/okapi-${size}`],
    ] as const) {
      await page.getByRole('button', { name: 'Go to' }).click()
      await field.fill(words)
      await page.getByRole('option', { name: new RegExp(words, 'i') }).click()
      await expect.poll(() => field.count()).toBe(0)
      await page.waitForURL(`**/dashboard${to}**`)
      await page.getByRole('heading', { name: new RegExp(words, 'i'), level: 1 }).waitFor()
    }
    // Its list has its first page: all of it would be asked for each second while a preview is built.
    await page.getByRole('button', { name: 'Go to' }).click()
    await field.fill(`handbook of ${slug}`)
    await page
      .getByRole('option', { name: /Handbook/ })
      .first()
      .click()
    await page.getByRole('link', { name: 'Branches', exact: true }).click()
    await page.getByRole('button', { name: 'Show more' }).waitFor()
    mary.expectNoProblems()
  })

  inDepth('things are done: a branch is begun, the theme changes, the session ends', async () => {
    const grace = await writer('grace')
    const { page } = grace
    await grace.open('/dashboard/grace/usage')
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    const run = async (words: string, option: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Go to' }).pressSequentially(words)
      await page.getByRole('option', { name: option }).first().waitFor()
      await page.keyboard.press('Enter')
    }
    await run('new branch', /^New branch/)
    await page.getByRole('dialog', { name: 'New branch' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await run('dark', /^Dark theme/)
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await run('sign out', /^Sign out/)
    await page.getByRole('heading', { name: /Sign in/ }).waitFor()
    grace.expectNoProblems()
  })

  inDepth('keys lead to the parts of a project, are listed, and are turned off', async () => {
    const joan = await writer('joan')
    const { page } = joan
    await joan.open('/dashboard/joan/usage')
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await page.waitForURL('**/joan/branches')
    await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor()

    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByText('Go to its deploys').waitFor()
    await joan.expectAccessible()
    await help.getByRole('checkbox', { name: /single letters/ }).uncheck()
    await joan.expectAccessible()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor()
    for (const key of ['?', 'g', 'p']) await page.keyboard.press(key)
    // With ⌘ or Ctrl they still work, and the menu still leads to the help.
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/dashboard/joan/branches')
    expect(await help.count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await help.getByRole('checkbox', { name: /single letters/ }).check()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })

    // Whoever types means letters.
    await page.getByRole('button', { name: 'New branch' }).first().click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.pressSequentially('g p?')
    expect(await name.inputValue()).toBe('g p?')
    expect(new URL(page.url()).pathname).toBe('/dashboard/joan/branches')
    joan.expectNoProblems()
  })
})
