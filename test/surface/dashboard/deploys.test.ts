import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person, type Size } from '#test/support/dashboard.ts'

async function owner(dashboard: DashboardTest, slug: string, size: Size): Promise<Person> {
  const person = await dashboard.person(slug, size)
  await person.client.call(contract.projects.create, { body: { slug, title: 'Handbook' } })
  return person
}

function deploy(person: Person, project: string, files: Record<string, string>, message?: string): Promise<Deploy> {
  return person.client.call(contract.deploys.create, {
    query: { project },
    body: {
      files: Object.entries(files).map(([path, content]) => ({ path, content })),
      ...(message === undefined ? {} : { message }),
    },
  })
}

describe.skipIf(!hasBrowser).each(shownSizes)('deploys on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  inDepth('begin with how to make the first', async () => {
    const ada = await owner(dashboard, 'none', size)
    await ada.open('/dashboard/none/deploys')
    await ada.page.getByRole('heading', { name: 'Nothing was deployed yet' }).waitFor()
    await ada.expectAccessible()
    await ada.page.getByRole('link', { name: 'Make the first deploy' }).click()
    await ada.page.waitForURL('**/none/start')
    ada.expectNoProblems()
  })

  inDepth('are listed with what they were, and found by their state', async () => {
    const ada = await owner(dashboard, 'listed', size)
    const { page } = ada
    await deploy(ada, 'listed', { 'index.md': 'one' }, 'First words')
    await deploy(ada, 'listed', { 'broken.md': '' }, 'Break it').catch(() => undefined)
    await deploy(ada, 'listed', { 'index.md': 'two', 'odd.md': '' }, 'Second words')
    await ada.open('/dashboard/listed/deploys')
    const rows = page.getByRole('list', { name: 'Deploys' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(3)
    expect(await rows.nth(0).innerText()).toMatch(/#3\s+Second words[^]*listed[^]*2 pages[^]*1 warning[^]*Live/)
    expect(await rows.nth(1).innerText()).toMatch(/#2\s+Break it[^]*1 error[^]*Failed/)
    expect(await rows.nth(2).innerText()).toMatch(/#1\s+First words[^]*1 page[^]*Was live/)
    await ada.expectAccessible()

    const filters = page.getByRole('navigation', { name: 'Which deploys' })
    await filters.getByRole('link', { name: 'Failed' }).click()
    await expect.poll(() => rows.allInnerTexts()).toHaveLength(1)
    expect(page.url()).toContain('?status=failed')
    await page.reload()
    await rows.getByRole('link', { name: 'Break it' }).click()
    await page.getByRole('heading', { name: '#2 Break it' }).waitFor()
    await page.goBack()
    await rows.getByRole('link', { name: 'Break it' }).waitFor()
    await filters.getByRole('link', { name: 'Under way' }).click()
    await page.getByText('Nothing is being built right now.').waitFor()
    await page.getByRole('link', { name: 'Show all deploys' }).click()
    await expect.poll(() => rows.count()).toBe(3)
    ada.expectNoProblems()
  })

  inDepth('can be watched while they are under way', async () => {
    const ada = await owner(dashboard, 'watched', size)
    const { page } = ada
    await deploy(ada, 'watched', { 'index.md': 'one' })
    await ada.open('/dashboard/watched/deploys')
    const goOn = dashboard.builder.hold()
    onTestFinished(goOn)
    const { id } = await ada.client.call(contract.deploys.create, {
      query: { project: 'watched' },
      body: { files: [{ path: 'index.md', content: 'two' }], message: 'Slow one' },
      headers: { prefer: 'respond-async' },
    })
    await page.reload()
    const row = page.getByRole('listitem').filter({ hasText: 'Slow one' })
    await row.getByText('Building').waitFor()
    await row.getByText('0 of 1 page').waitFor()
    await row.getByRole('link', { name: 'Slow one' }).click()
    await page.waitForURL(`**/deploys/${id}`)
    const stages = page.getByRole('list', { name: 'Stages' })
    await stages.getByText('Received the files').waitFor()
    await stages.getByText('Building pages').waitFor()
    await stages.getByRole('progressbar', { name: 'Pages built' }).waitFor()
    await ada.expectAccessible()
    await page.reload()
    await stages.getByText('Building pages').waitFor()
    goOn()
    await stages.getByText('Went live').waitFor()
    await page.getByRole('link', { name: 'Open the site' }).waitFor()
    await page.goBack()
    await row.getByText('Live', { exact: true }).waitFor()
    ada.expectNoProblems()
  })

  inDepth('are not read anew with all that came before while one is under way', async () => {
    const ada = await owner(dashboard, 'long', size)
    const { page } = ada
    for (let number = 1; number <= 26; number++) await deploy(ada, 'long', { 'index.md': `${number}` })
    const goOn = dashboard.builder.hold()
    onTestFinished(goOn)
    await ada.client.call(contract.deploys.create, {
      query: { project: 'long' },
      body: { files: [{ path: 'index.md', content: 'slow' }], message: 'Slow one' },
      headers: { prefer: 'respond-async' },
    })
    await ada.open('/dashboard/long/deploys')
    const rows = page.getByRole('list', { name: 'Deploys' }).getByRole('listitem')
    await rows.filter({ hasText: 'Slow one' }).waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBe(27)
    const asked: string[] = []
    page.on('request', (request) => {
      if (/\/deploys\?/.test(request.url())) asked.push(new URL(request.url()).search)
    })
    await expect.poll(() => asked.length, { timeout: 15_000 }).toBeGreaterThan(1)
    expect(asked.filter((search) => search.includes('cursor='))).toEqual([])
    expect(await rows.count()).toBe(27)
    goOn()
    await rows.filter({ hasText: 'Slow one' }).getByText('Live', { exact: true }).waitFor()
    expect(await rows.count()).toBe(27)
    ada.expectNoProblems()
  })

  it('say where they failed, and bring their files to a branch to be mended', async () => {
    const ada = await owner(dashboard, 'failing', size)
    const { page } = ada
    await deploy(ada, 'failing', { 'index.md': 'one' })
    await deploy(ada, 'failing', { 'index.md': 'two', 'broken.md': 'x' }, 'Break it').catch(() => undefined)
    await ada.open('/dashboard/failing/deploys')
    await page.getByRole('link', { name: 'Break it' }).click()
    await page.getByRole('alert').getByText('This deploy did not go live').waitFor()
    const errors = page.getByRole('list', { name: 'Errors' })
    await errors.getByText('It is broken').waitFor()
    await errors.getByText('> 3 | broken').waitFor()
    await ada.expectAccessible()
    await page.reload()
    await errors.getByRole('link', { name: 'broken.md:3:7' }).click()
    await page.getByRole('dialog').getByText('A new branch gets the text files of deploy 2').waitFor()
    await ada.expectAccessible()
    await page.reload()
    await page.getByRole('button', { name: 'Create branch' }).click()
    await page.waitForURL('**/edit/broken.md?line=3&column=7')
    await page.getByRole('textbox', { name: 'Text of broken.md' }).getByText('x').waitFor()
    const { items } = await ada.client.call(contract.branches.list, { params: { slug: 'failing' } })
    expect(items).toMatchObject([{ name: 'mend-deploy-2', changes: { added: 1, modified: 1, deleted: 0 } }])
    await page.goBack()
    await errors.getByText('It is broken').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    ada.expectNoProblems()
  })

  inDepth('lead from a warning of what is live to the editor, on whatever branch is chosen', async () => {
    const ada = await owner(dashboard, 'warned', size)
    const { page } = ada
    const { id } = await deploy(ada, 'warned', { 'odd.md': 'one' })
    const branch = await ada.client.call(contract.branches.create, {
      params: { slug: 'warned' },
      body: { name: 'next' },
    })
    await ada.open(`/dashboard/warned/deploys/${id}`)
    await page.getByRole('link', { name: 'odd.md:1' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'next' }).click()
    await page.waitForURL(`**/branches/${branch.id}/edit/odd.md?line=1`)
    ada.expectNoProblems()
  })

  inDepth('lead from a mistake to the editor where their branch is open', async () => {
    const ada = await owner(dashboard, 'mending', size)
    const { page } = ada
    await deploy(ada, 'mending', { 'index.md': 'one' })
    const params = { slug: 'mending' }
    const branch = await ada.client.call(contract.branches.create, { params, body: { name: 'next' } })
    await ada.client.call(contract.branches.saveFile, {
      params: { ...params, id: branch.id, path: 'broken.md' },
      body: { content: 'x' },
    })
    const publish = { params, body: { branchId: branch.id } }
    await ada.client.call(contract.branches.publish, publish).catch(() => undefined)
    await ada.open('/dashboard/mending/deploys?status=failed')
    await page.getByRole('link', { name: 'Publish of next' }).click()
    await page.getByRole('link', { name: 'broken.md:3:7' }).click()
    await page.waitForURL(`**/branches/${branch.id}/edit/broken.md?line=3&column=7`)
    ada.expectNoProblems()
  })

  it('are served again with one press, and back with another', async () => {
    const ada = await owner(dashboard, 'rolled', size)
    const { page } = ada
    const live = async () => (await ada.client.call(contract.projects.read, { params: { slug: 'rolled' } })).live
    const first = await deploy(ada, 'rolled', { 'index.md': 'one' }, 'First words')
    const second = await deploy(ada, 'rolled', { 'index.md': 'two' }, 'Second words')
    await ada.open(`/dashboard/rolled/deploys/${first.id}`)
    await page.getByRole('button', { name: 'Serve this again' }).click()
    await page.getByText('Deploy 1 is live again.').waitFor()
    expect(await live()).toMatchObject({ kind: 'rollback', rollbackOf: first.id })
    await ada.expectAccessible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('What was live before is live again.').waitFor()
    expect(await live()).toMatchObject({ kind: 'rollback', rollbackOf: second.id })

    await ada.open('/dashboard/rolled/deploys')
    await page.getByRole('button', { name: 'Serve deploy 1 again' }).click()
    const newest = page.getByRole('list', { name: 'Deploys' }).getByRole('listitem').first()
    await newest.getByText('#5').waitFor()
    await newest.getByText('Live', { exact: true }).waitFor()
    await newest.getByRole('link').click()
    await page.getByRole('link', { name: 'Deploy 1', exact: true }).click()
    await page.waitForURL(`**/deploys/${first.id}`)
    ada.expectNoProblems()
  })

  inDepth('stay where one came after what was served again, and is to be taken back', async () => {
    const ada = await owner(dashboard, 'overtaken', size)
    const { page } = ada
    const live = async () => (await ada.client.call(contract.projects.read, { params: { slug: 'overtaken' } })).live
    const first = await deploy(ada, 'overtaken', { 'index.md': 'one' })
    await deploy(ada, 'overtaken', { 'index.md': 'two' })
    await ada.open(`/dashboard/overtaken/deploys/${first.id}`)
    await page.getByRole('button', { name: 'Serve this again' }).click()
    await page.getByText('Deploy 1 is live again.').waitFor()
    const later = await deploy(ada, 'overtaken', { 'index.md': 'four' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Deploy 4 has gone live meanwhile').waitFor()
    expect(await live()).toMatchObject({ id: later.id })
    expect(await page.getByText('What was live before is live again.').count()).toBe(0)
    await ada.expectAccessible()
    ada.expectNoProblems()
  })

  inDepth('say why one cannot be served again', async () => {
    const ada = await owner(dashboard, 'refused', size)
    const { page } = ada
    const first = await deploy(ada, 'refused', { 'index.md': 'one' })
    await deploy(ada, 'refused', { 'index.md': 'two' })
    await ada.open(`/dashboard/refused/deploys/${first.id}`)
    const goOn = dashboard.builder.hold()
    onTestFinished(goOn)
    await ada.client.call(contract.deploys.create, {
      query: { project: 'refused' },
      body: { files: [{ path: 'index.md', content: 'three' }] },
      headers: { prefer: 'respond-async' },
    })
    await page.getByRole('button', { name: 'Serve this again' }).click()
    await page.getByRole('region', { name: 'Notifications' }).getByText('in progress').waitFor()
    goOn()
    ada.expectNoProblems()
  })

  inDepth('are compared with what was live before, or with any other', async () => {
    const ada = await owner(dashboard, 'compared', size)
    const { page } = ada
    const first = await deploy(ada, 'compared', { 'index.md': 'one word\n', 'a.md': 'a\n' }, 'First words')
    await deploy(ada, 'compared', { 'index.md': 'two words\n', 'a.md': 'a\n' }, 'Second words')
    const third = await deploy(ada, 'compared', { 'index.md': 'two words\n', 'a.md': 'b\n' }, 'Third words')
    await ada.open(`/dashboard/compared/deploys/${third.id}`)
    await page.getByRole('link', { name: 'Changes', exact: true }).click()
    await page.getByRole('heading', { name: 'Changes of deploy 3' }).waitFor()
    await page.getByRole('article', { name: 'a.md' }).waitFor()
    expect(await page.getByRole('article').count()).toBe(1)
    await ada.expectAccessible()
    await page.getByLabel('Compared with').selectOption({ label: '#1 First words' })
    await page.getByRole('article', { name: 'index.md' }).waitFor()
    expect(page.url()).toContain(`against=${first.id}`)
    await page.reload()
    await page.getByRole('article', { name: 'index.md' }).waitFor()
    await page.goBack()
    await expect.poll(() => page.getByRole('article').count()).toBe(1)
    ada.expectNoProblems()
  })

  inDepth('that are not there are told to be', async () => {
    const ada = await owner(dashboard, 'missing', size)
    await ada.open('/dashboard/missing/deploys/dpl_nothing')
    await ada.page.getByRole('heading', { name: 'This project has no such deploy' }).waitFor()
    await ada.expectAccessible()
    ada.expectNoProblems()
  })
})
