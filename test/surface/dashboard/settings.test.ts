import { inDepth } from '#test/support/depth.ts'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { join as joinProject } from '#test/support/members.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('the settings of a project on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('change its title and take that back', async () => {
    const ada = await dashboard.person('titled-ada', size)
    const { page } = ada
    await ada.client.call(contract.projects.create, { body: { slug: 'titled', title: 'Docs' } })
    await ada.open('/dashboard/titled/settings')
    await page.getByRole('heading', { name: 'Default branch' }).waitFor()
    await ada.expectAccessible()
    const titled = async (): Promise<string> =>
      (await ada.client.call(contract.projects.read, { params: { slug: 'titled' } })).title

    await page.getByRole('textbox', { name: 'Title' }).fill('Handbook')
    await page.getByRole('button', { name: 'Save title' }).click()
    await page.getByText('The project is called Handbook now.').waitFor()
    expect(await titled()).toBe('Handbook')
    await page.reload()
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Handbook')

    await page.getByRole('textbox', { name: 'Title' }).fill('Guide')
    await page.getByRole('button', { name: 'Save title' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Handbook')
    expect(await titled()).toBe('Handbook')

    await page.getByRole('textbox', { name: 'Title' }).fill('  ')
    await page.getByRole('button', { name: 'Save title' }).click()
    await page.getByRole('alert').waitFor()
    ada.expectNoProblems()
  })

  inDepth('rename it, after saying what that does, and back again', async () => {
    const grace = await dashboard.person('grace', size)
    const { page } = grace
    await grace.client.call(contract.projects.create, { body: { slug: 'before' } })
    await grace.client.call(contract.projects.create, { body: { slug: 'taken' } })
    // What is written of a new entry goes along.
    await grace.open('/dashboard/before/entries/new')
    await page.getByRole('textbox', { name: 'Title' }).fill('Not saved yet')
    await grace.open('/dashboard/before/settings')
    const slug = page.getByRole('textbox', { name: 'Slug' })
    await slug.fill('no--good')
    await page.getByText('It has two hyphens in a row').waitFor()
    expect(await page.getByRole('button', { name: 'Rename…' }).isDisabled()).toBe(true)

    await slug.fill('taken')
    await page.getByRole('button', { name: 'Rename…' }).click()
    await page.getByRole('button', { name: 'Rename project' }).click()
    await page.getByRole('alertdialog').getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()

    await slug.fill('After')
    await page.getByText(`http://after.localhost:${dashboard.service.port}`).waitFor()
    await page.getByRole('button', { name: 'Rename…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Rename before to after?' })
    await dialog.getByText('For 45 days').waitFor()
    await dialog.getByText('/git/after.git').waitFor()
    await dialog.getByText('/api/projects/after').waitFor()
    await grace.expectAccessible()
    await dialog.getByRole('button', { name: 'Rename project' }).click()
    await page.waitForURL('**/dashboard/after/settings')
    await expect.poll(() => slug.inputValue()).toBe('after')
    const kept = "Object.keys(localStorage).filter((key) => key.startsWith('quire-entry'))"
    expect(await page.evaluate<string[]>(kept)).toEqual([expect.stringMatching(/ new after$/)])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.waitForURL('**/dashboard/before/settings')
    await grace.open('/dashboard/before/entries/new')
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Not saved yet')
    await grace.open('/dashboard/before/settings')
    await expect.poll(() => slug.inputValue()).toBe('before')
    grace.expectNoProblems()
  })

  inDepth('check its repository', async () => {
    const joan = await dashboard.person('joan', size)
    await joan.client.call(contract.projects.create, { body: { slug: 'sound' } })
    await joan.open('/dashboard/sound/settings')
    await joan.page.getByRole('button', { name: 'Check repository' }).click()
    await joan.page.getByText('The repository is sound.').waitFor()
    await joan.expectAccessible()
    for (let done = 1; done < 4; done++) await joan.client.call(contract.projects.fsck, { params: { slug: 'sound' } })
    await joan.page.getByRole('button', { name: 'Check repository' }).click()
    await joan.page.getByRole('alert').waitFor()
    expect(await joan.page.getByText('The repository is sound.').count()).toBe(0)
    joan.expectNoProblems()
  })

  inDepth('say what Git finds in a damaged repository, and who mends it', async () => {
    const ivy = await dashboard.person('ivy', size)
    const { page } = ivy
    await ivy.client.call(contract.projects.create, { body: { slug: 'torn' } })
    const files = [{ path: 'index.md', content: '# Home' }]
    await ivy.client.call(contract.deploys.create, { query: { project: 'torn' }, body: { files } })
    const objects = join(dashboard.service.directory, 'torn.git', 'objects')
    for (const name of await readdir(objects))
      if (/^[0-9a-f]{2}$/.test(name)) await rm(join(objects, name), { recursive: true })
    await ivy.open('/dashboard/torn/settings')
    await page.getByRole('button', { name: 'Check repository' }).click()
    await page.getByText(/^Git (complains|has \d+ complaints)$/).waitFor()
    await page.getByText('Nothing was changed. Send this to whoever runs the service').waitFor()
    expect(await page.getByRole('list', { name: 'Complaints' }).getByRole('listitem').count()).toBeGreaterThan(0)
    expect(await page.getByText('The repository is sound.').count()).toBe(0)
    await ivy.expectAccessible()
    ivy.expectNoProblems()
  })

  inDepth('delete it once its slug is typed, and lead to the other projects', async () => {
    const mary = await dashboard.person('deleted-mary', size)
    const { page } = mary
    await mary.client.call(contract.projects.create, { body: { slug: 'old', title: 'Old pages' } })
    await mary.open('/dashboard/old/settings')
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete Old pages?' })
    await dialog.getByText('for 45 days').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete project' })
    expect(await confirm.isDisabled()).toBe(true)
    await mary.expectAccessible()
    await dialog.getByLabel('Type old to confirm').fill('old')
    await confirm.click()
    await page.waitForURL('**/dashboard')
    await page.getByText('The project Old pages is deleted.').waitFor()
    expect((await mary.client.call(contract.projects.list)).items).toEqual([])
    await page.goBack()
    mary.expectNoProblems()
  })

  inDepth('let a writer see it and leave, and nothing else', async () => {
    const owner = await dashboard.person('owner', size)
    const writer = await dashboard.person('writer', size)
    const { page } = writer
    await owner.client.call(contract.projects.create, { body: { slug: 'shared', title: 'Shared' } })
    await joinProject(owner.client, 'shared', writer)
    await writer.open('/dashboard/shared/settings')
    await page.getByText('The owner of the project changes').waitFor()
    for (const name of ['Save title', 'Rename…', 'Check repository', 'Transfer…', 'Delete…'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    await writer.expectAccessible()
    await page.getByRole('button', { name: 'Leave…' }).click()
    await page.getByRole('button', { name: 'Leave project' }).click()
    await page.waitForURL('**/dashboard')
    await page.getByText('You left Shared.').waitFor()
    expect((await writer.client.call(contract.projects.list)).items).toEqual([])
    writer.expectNoProblems()
  })

  inDepth('say how to clone and push, with a key that is made in place', async () => {
    const rosa = await dashboard.person('rosa', size)
    const writer = await dashboard.person('rob', size)
    const { page } = rosa
    const { cloneUrl } = await rosa.client.call(contract.projects.create, { body: { slug: 'pages' } })
    await rosa.open('/dashboard/pages/settings/git')
    await page.getByRole('group', { name: 'clone command' }).waitFor()
    expect(await page.getByRole('group', { name: 'clone command' }).innerText()).toBe(`git clone ${cloneUrl}`)
    await rosa.expectAccessible()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Git')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const token = await page.getByRole('group', { name: 'API key' }).innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    const refs = await fetch(`${cloneUrl}/info/refs?service=git-receive-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` },
    })
    expect(refs.status).toBe(200)
    const { items } = await createClient({ baseUrl: dashboard.url, token }).call(contract.projects.list)
    expect(items[0]?.scopes).toEqual(['read', 'write', 'deploy'])

    await joinProject(rosa.client, 'pages', writer)
    await writer.open('/dashboard/pages/settings/git')
    await writer.page.getByText('Only the owner of the project makes keys.').waitFor()
    expect(await writer.page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    await writer.expectAccessible()
    rosa.expectNoProblems()
    writer.expectNoProblems()
  })
})
