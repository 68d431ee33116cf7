import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { paths } from '#dashboard/paths.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person } from '#test/support/dashboard.ts'
import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { join } from '#test/support/members.ts'

/** What an address of the dashboard shows. */
interface Row {
  /** As router.tsx imports it; without where no page is found. */
  readonly module?: string
  readonly to: string
  /** Of the tab, without project and service. */
  readonly title: string
  /** Where a writer sees no more than this. */
  readonly forOwners?: string
}

const slug = 'every-page'

/** What things are called. */
const plain = {
  title: 'Handbook',
  message: 'Second words',
  branch: 'spring',
  file: 'guides/install.md',
  entry: 'Faster search',
  tag: 'news',
  key: 'CI',
  guest: 'eve@example.com',
  domain: 'docs.example.com',
  hook: '/hook',
}

/** The same, as long as the service takes it and without a place to break. */
const long: typeof plain = {
  title: 'AllInOneWord'.repeat(16),
  message: 'Supercalifragilistic'.repeat(20),
  branch: 'spring-cleaning-'.repeat(12).slice(0, 60),
  file: `${'folder-of-guides/'.repeat(6)}${'installation'.repeat(10)}.md`,
  entry: 'FasterSearch'.repeat(16),
  tag: 'announcements'.repeat(3),
  key: 'x'.repeat(100),
  guest: `${'guest'.repeat(12)}@${'sub-domain-of-theirs.'.repeat(8)}example.com`,
  domain: `${'documentation-of-ours.'.repeat(8)}example.com`,
  hook: `/${'hook'.repeat(100)}`,
}

/** A project with something of everything, which `owner` and `writer` work on. */
async function fill(owner: Person, writer: Pick<Person, 'client' | 'email'>, words: typeof plain) {
  const { client } = owner
  const params = { slug }
  await client.call(contract.projects.create, { body: { slug, title: words.title } })
  await join(client, slug, writer)
  const deploy = (content: string) =>
    client.call(contract.deploys.create, {
      query: { project: slug },
      body: { message: words.message, files: [{ path: 'index.md', content }] },
    })
  await deploy('# First words')
  const branch = await client.call(contract.branches.create, { params, body: { name: words.branch } })
  const changes = [{ path: words.file, content: '# Install\n\nIt is quick.\n' }]
  await client.call(contract.branches.commit, { params: { ...params, id: branch.id }, body: { changes } })
  await client.call(contract.comments.create, {
    params: { ...params, id: branch.id },
    body: { text: words.message, path: words.file, line: { side: 'branch', number: 3, text: 'It is quick.' } },
  })
  const live = await deploy('# Second words')
  const body = { title: words.entry, content: 'Results come **at once**.', tags: [words.tag] }
  const entry = await client.call(contract.changelog.create, { params, body })
  await client.call(contract.keys.create, { params, body: { name: words.key } })
  await client.call(contract.invitations.create, { params, body: { email: words.guest } })
  await client.call(contract.domains.create, { params, body: { domain: words.domain } })
  const hook = { url: `http://127.0.0.1:1${words.hook}`, events: ['deploy.success' as const] }
  const webhook = await client.call(contract.webhooks.create, { params, body: hook })
  const delivery = await client.call(contract.webhooks.test, { params: { ...params, id: webhook.id } })
  return { branch: branch.id, deploy: live.id, entry: entry.id, webhook: webhook.id, delivery: delivery.id }
}
type Content = Awaited<ReturnType<typeof fill>>

/** No pages of their own: the public one of the changelog, and spots in files, which are the editor’s. */
const noPages = ['publicChangelog', 'editorAt', 'editSomewhere', 'visit'] as const

const forOwners = (what: string) => ({ forOwners: `${what} for owners` })

/** Each page whose address paths.ts makes, and then what else the router knows. */
function tableOf({ branch, deploy, entry, webhook, delivery }: Content) {
  const made: Record<Exclude<keyof typeof paths, (typeof noPages)[number]>, Row> = {
    projects: { module: 'projects/projects', to: paths.projects, title: 'Projects' },
    newProject: { module: 'onboarding/new-project', to: paths.newProject, title: 'New project' },
    account: { module: 'account/account', to: paths.account, title: 'Your account' },
    device: { module: 'account/device', to: paths.device, title: 'Sign in a terminal' },
    forgottenPassword: {
      module: 'sign-in/forgotten-password',
      to: paths.forgottenPassword,
      title: 'Forgotten your password?',
    },
    project: { module: 'overview/overview', to: paths.project(slug), title: 'Handbook' },
    start: { module: 'onboarding/start', to: paths.start(slug), title: 'Handbook is live' },
    deploys: { module: 'deploys/deploys', to: paths.deploys(slug), title: 'Deploys' },
    deploy: { module: 'deploys/deploy', to: paths.deploy(slug, deploy), title: 'Deploy 2' },
    deployChanges: {
      module: 'deploys/deploy-changes',
      to: paths.deployChanges(slug, deploy),
      title: 'Changes of deploy 2',
    },
    branches: { module: 'branches/branches', to: paths.branches(slug), title: 'Branches' },
    branch: { module: 'branches/branch', to: paths.branch(slug, branch), title: 'Branch · spring' },
    editor: {
      module: 'editor/editor',
      to: paths.editor(slug, branch, 'guides/install.md'),
      title: 'install.md · spring',
    },
    changes: { module: 'branches/changes', to: paths.changes(slug, branch), title: 'Changes · spring' },
    update: { module: 'merge/update', to: paths.update(slug, branch), title: 'Update · spring' },
    publish: { module: 'merge/publish', to: paths.publish(slug, branch), title: 'Publish · spring' },
    entries: { module: 'changelog/entries', to: paths.entries(slug), title: 'Changelog' },
    newEntry: { module: 'changelog/entry', to: paths.newEntry(slug), title: 'New entry' },
    entry: { module: 'changelog/entry', to: paths.entry(slug, entry), title: 'Faster search' },
    analytics: { module: 'analytics/analytics', to: paths.analytics(slug), title: 'Analytics' },
    activity: {
      module: 'activity/activity',
      to: paths.activity(slug),
      title: 'Activity',
      ...forOwners('The activity is'),
    },
    usage: { module: 'usage/usage', to: paths.usage(slug), title: 'Usage' },
    settings: { module: 'settings/general', to: paths.settings(slug), title: 'General' },
    keys: { module: 'settings/keys', to: paths.keys(slug), title: 'API keys', ...forOwners('API keys are') },
    members: { module: 'settings/members', to: paths.members(slug), title: 'Members' },
    domains: { module: 'settings/domains', to: paths.domains(slug), title: 'Domains', ...forOwners('Domains are') },
    visibility: {
      module: 'settings/visibility',
      to: paths.visibility(slug),
      title: 'Visibility',
      ...forOwners('Visibility is'),
    },
    git: { module: 'settings/git', to: paths.git(slug), title: 'Clone and push' },
    webhooks: { module: 'webhooks/webhooks', to: paths.webhooks(slug), title: 'Webhooks' },
    webhook: { module: 'webhooks/webhook', to: paths.webhook(slug, webhook), title: '127.0.0.1:1/hook' },
    delivery: { module: 'webhooks/delivery', to: paths.delivery(slug, webhook, delivery), title: 'webhook.test' },
  }
  const others: readonly Row[] = [
    { module: 'sign-in/reset-password', to: '/dashboard/auth/reset-password#token=x', title: 'Choose a new password' },
    { module: 'sign-in/confirm-email', to: '/dashboard/auth/confirm-email#token=x', title: 'Confirm your address' },
    { module: 'not-found', to: `${paths.project(slug)}/nowhere`, title: 'Not found' },
    { to: '/dashboard/nowhere', title: 'No such project' },
  ]
  return { made, rows: [...Object.values(made), ...others] }
}

/** Beside the tables, to name the tests by. */
const ids = { branch: 'b', deploy: 'd', entry: 'e', webhook: 'w', delivery: 'v' }
const names = tableOf(ids).rows.map(({ to }, index) => [to, index] as const)

it('the table has every page of the router', async () => {
  const router = await readFile('src/dashboard/router.tsx', 'utf8')
  const modules = [...router.matchAll(/import\('\.\/pages\/(.+?)\.tsx'\)/g)].map(([, module = '']) => module)
  const withoutAddress = ['settings/settings', 'sign-in/sign-in', 'sign-in/visit']
  expect(modules.length).toBeGreaterThan(30)
  const { made, rows } = tableOf(ids)
  expect(new Set([...rows.flatMap(({ module }) => module ?? []), ...withoutAddress])).toEqual(new Set(modules))
  expect([...Object.keys(made), ...noPages].sort()).toEqual(Object.keys(paths).sort())
})

/** Until the page is there, with what it is about. */
async function settle({ page }: Person, { to, title }: Row): Promise<string> {
  const whole = `${title}${to.startsWith(`${paths.project(slug)}/`) ? ' · Handbook' : ''} · Quire`
  await expect.poll(() => page.title(), { timeout: 10_000 }).toBe(whole)
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  const headings = await page.locator('h1').allInnerTexts()
  expect(headings).toHaveLength(1)
  return headings.join()
}

/** As a link of the page does it, which some of these addresses have only in letters. */
const follow = ({ page }: Person, to: string): Promise<void> =>
  page.evaluate((path) => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, to)

it.skipIf(!hasBrowser)('each page has its title, fits its window, and breaks no rule of axe', async () => {
  const dashboard = await DashboardTest.shared()
  onTestFinished(() => dashboard.close())
  const owner = await dashboard.person('every-owner')
  const { rows } = tableOf(await fill(owner, await dashboard.account('every-writer'), plain))
  await owner.open(paths.projects)
  for (const row of rows) {
    await follow(owner, row.to)
    await settle(owner, row)
    await owner.expectAccessible(owner.page, ['light'])
  }
  owner.expectNoProblems()
})

inDepth.each(shownSizes)(
  'each page fits on a %s, however long the names of things are',
  async (size) => {
    const dashboard = await DashboardTest.shared()
    onTestFinished(() => dashboard.close())
    const owner = await dashboard.person(`grace.${'hopper-'.repeat(7)}x`, size)
    const { page } = owner
    const { made, rows } = tableOf(await fill(owner, await dashboard.person('w'.repeat(64), size), long))
    const editor = made.editor.to.replace(plain.file, long.file)
    const misfits: string[][] = []
    for (const to of [editor, ...rows.filter((row) => row !== made.editor).map((row) => row.to)]) {
      await owner.open(to)
      await page.locator('h1').first().waitFor({ state: 'attached' })
      await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
      const tooWide = await owner.tooWide()
      if (tooWide.length > 0) misfits.push([to, ...tooWide])
    }
    expect(misfits).toEqual([])
    owner.expectNoProblems()
  },
  120_000,
)

describeInDepth.each(shownSizes)('on a %s', (size) => {
  let dashboard: DashboardTest
  let owner: Person
  let writer: Person
  let rows: readonly Row[]

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
    owner = await dashboard.person('owner', size)
    writer = await dashboard.person('writer', size)
    rows = tableOf(await fill(owner, writer, plain)).rows
  })
  afterAll(() => dashboard.close())

  function rowOf(index: number): Row {
    const row = rows[index]
    if (row === undefined) throw new Error(`no row ${index}`)
    return row
  }

  it.each(names)('%s is the same after a reload, and leads back to the page before', async (_, index) => {
    const row = rowOf(index)
    const { page } = owner
    await owner.open(row.to)
    const heading = await settle(owner, row)
    if (row.module !== undefined) {
      const script = new RegExp(`/${row.module.replace(/.*\//, '')}-.{8}\\.js$`)
      const loaded = await page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`)
      expect(loaded.filter((each) => script.test(each))).not.toEqual([])
    }
    await page.reload()
    expect(await settle(owner, row)).toBe(heading)
    await owner.expectAccessible()

    const before = row.to === paths.account ? rowOf(0) : rowOf(2)
    await owner.open(before.to)
    await settle(owner, before)
    await follow(owner, row.to)
    expect(await settle(owner, row)).toBe(heading)
    expect(page.url()).toBe(dashboard.url + row.to)
    await page.goBack()
    await settle(owner, before)
    expect(page.url()).toBe(dashboard.url + before.to)
    owner.expectNoProblems()
  })
  it('a writer sees what they may see, who may do the rest, and nothing that is refused when it is pressed', async () => {
    const { page } = writer
    const refused: string[] = []
    page.on('response', (response) => {
      if ([401, 403].includes(response.status())) refused.push(`${response.request().method()} ${response.url()}`)
    })
    // What a press has done may take the next page away.
    const last = paths.publish(slug, '').replace(/.*\//, '')
    const ofProject = rows.filter(({ to }) => to.startsWith(paths.project(slug)))
    for (const row of ofProject.toSorted((a, b) => Number(a.to.endsWith(last)) - Number(b.to.endsWith(last)))) {
      await writer.open(row.to)
      await settle(writer, row)
      const { forOwners: only } = row
      if (only !== undefined) await page.getByRole('heading', { name: only }).waitFor()
      const buttons = page.getByRole('main').getByRole('button')
      const count = await buttons.count()
      if (only !== undefined) expect(count, row.to).toBe(0)
      const overlay = page.locator('[role=dialog], [role=alertdialog], [role=menu]')
      for (let index = 0; index < count; index++) {
        if (!page.url().endsWith(row.to) || (await overlay.count()) > 0) {
          await writer.open(row.to)
          await settle(writer, row)
        }
        const button = buttons.nth(index)
        if (!(await button.isVisible()) || !(await button.isEnabled())) continue
        await button.click()
        // What it opens, or asks the service for, is on its way.
        await page.waitForTimeout(300)
        await page.keyboard.press('Escape')
      }
      expect(refused, row.to).toEqual([])
    }
    writer.expectNoProblems()
  }, 300_000)
})
