import { inDepth } from '#test/support/depth.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { branchWriter, type BranchWriter } from '#test/support/branch-writer.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person, type Size } from '#test/support/dashboard.ts'
import { join } from '#test/support/members.ts'

const now = 'Run pnpm install quire.'

describe.skipIf(!hasBrowser)('comments on the changes of a branch', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  const changes = ({ branch }: BranchWriter, slug: string): string => `/dashboard/${slug}/branches/${branch}/changes`
  const install = (page: Page) => page.getByRole('article', { name: 'guides/install.mdx' })
  const line = (page: Page, number: number, side = '') =>
    install(page).getByRole('button', { name: `Comment on line ${number}${side}`, exact: true })

  async function say({ client, branch: id }: BranchWriter, slug: string, text: string, number = 3) {
    const body = { text, path: 'guides/install.mdx', line: { side: 'branch', number, text: now } as const }
    return client.call(contract.comments.create, { params: { slug, id }, body })
  }

  async function pair(name: string, size: Size): Promise<readonly [BranchWriter, Person]> {
    const [ada, bob] = [await branchWriter(dashboard, name, size), await dashboard.person(`bob-${name}`, size)]
    await join(ada.client, name, bob)
    return [ada, bob]
  }

  describe.each(shownSizes)('at the size of a %s', (size) => {
    it('are a talk of two people, which ends when it is settled', async () => {
      const slug = `talk-${size}`
      const [ada, bob] = await pair(slug, size)
      await ada.open(changes(ada, slug))
      await ada.page.getByRole('heading', { name: '4 files: 2 added, 1 changed, 1 deleted' }).waitFor()
      await install(ada.page).getByRole('insertion').getByText('pnpm').waitFor()
      await line(ada.page, 3).click()
      await ada.page
        .getByRole('textbox', { name: 'Comment on line 3 of guides/install.mdx' })
        .fill('Why pnpm?\nSee https://pnpm.io/faq.')
      await ada.expectAccessible()
      await ada.page.getByRole('button', { name: 'Comment', exact: true }).click()
      await ada.page.getByText('Why pnpm?').waitFor()
      await expect.poll(() => new URL(ada.page.url()).hash).toMatch(/^#c/)
      expect(await ada.page.getByRole('link', { name: 'https://pnpm.io/faq', exact: true }).count()).toBe(1)

      await bob.open(changes(ada, slug))
      await install(bob.page).getByText('1 open thread').waitFor()
      await bob.page.getByRole('link', { name: 'Changes · 1 open' }).waitFor()
      await install(bob.page).getByRole('button', { name: 'Answer' }).click()
      await bob.page.getByRole('textbox', { name: 'Answer' }).fill('It is quicker.')
      await bob.page.keyboard.press('Control+Enter')
      await bob.page.getByText('It is quicker.').waitFor()
      await bob.expectAccessible()

      await ada.page.getByText('It is quicker.').waitFor({ timeout: 30_000 })
      await ada.page.getByRole('button', { name: 'Resolve' }).click()
      await ada.page.getByRole('button', { name: /^Resolved: 2 comments, / }).waitFor()
      await ada.page.getByText('The thread is resolved.').waitFor()
      await ada.expectAccessible()
      await ada.page.getByRole('button', { name: 'Undo' }).click()
      await ada.page.getByRole('button', { name: 'Resolve' }).waitFor()
      for (const person of [ada, bob]) person.expectNoProblems()
    })

    inDepth('stand at their line, and apart from the lines where that has changed', async () => {
      const slug = `outdated-${size}`
      const ada = await branchWriter(dashboard, slug, size)
      const { client, branch: id, page } = ada
      await say(ada, slug, 'Is this right?')
      const save = (content: string) =>
        client.call(contract.branches.saveFile, {
          params: { slug, id, path: 'guides/install.mdx' },
          headers: { 'if-match': '*' },
          body: { content },
        })
      await save(`# Install\n\nFirst of all.\n\n${now}\n\nThen begin.\n`)
      await ada.open(changes(ada, slug))
      const thread = install(page).getByRole('region', { name: 'Thread that outdated-' })
      await thread.waitFor()
      const top = async (what: string) => (await install(page).getByText(what).first().boundingBox())?.y ?? 0
      expect(await top('Is this right?')).toBeGreaterThan(await top('First of all.'))
      expect(await thread.getByText('Outdated', { exact: true }).count()).toBe(0)

      await save('# Install\n\nRun yarn add quire.\n\nThen begin.\n')
      await page.reload()
      await thread.getByText('Outdated', { exact: true }).waitFor()
      await thread.getByText(`Line 3 was ${now}`).waitFor()
      expect(await top('Is this right?')).toBeGreaterThan(await top('Then begin.'))
      await ada.expectAccessible()
      ada.expectNoProblems()
    })

    inDepth('are kept as they are typed when the tab is killed', async () => {
      const slug = `killed-${size}`
      const ada = await branchWriter(dashboard, slug, size)
      await ada.open(changes(ada, slug))
      await line(ada.page, 3, ' of main').click()
      await ada.page.keyboard.type('Half a thou')
      await ada.page.close({ runBeforeUnload: false })
      const page = await ada.context.newPage()
      ada.watch(page)
      await page.goto(dashboard.url + changes(ada, slug))
      const field = page.getByRole('textbox', { name: 'Comment on line 3 of main’s guides/install.mdx' })
      await expect.poll(() => field.inputValue()).toBe('Half a thou')
      await field.fill('A whole thought')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.getByRole('button', { name: 'Edit comment' }).click()
      await page.getByRole('textbox', { name: 'Edit comment' }).fill('A better thought')
      await page.reload()
      await expect.poll(() => page.getByRole('textbox', { name: 'Edit comment' }).inputValue()).toBe('A better thought')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('edited').waitFor()
      await page.getByRole('button', { name: 'Delete comment' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete comment' }).click()
      await page.getByText('The comment is deleted.').waitFor()
      expect(await page.getByText('A better thought').count()).toBe(0)
      ada.expectNoProblems()
    })
  })

  inDepth('stand below their line side by side, too, on both sides', async () => {
    const ada = await branchWriter(dashboard, 'sides', 'desktop')
    const { page } = ada
    await ada.open(`${changes(ada, 'sides')}?layout=split`)
    await line(page, 3, ' of main').click()
    await page.getByRole('textbox', { name: /^Comment on line 3 of main/ }).fill('This was good.')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await install(page).getByText('This was good.').waitFor()
    const box = async (what: string) => (await install(page).getByText(what).first().boundingBox())?.y ?? Number.NaN
    const below = async (what: string, other: string) => (await box(what)) - (await box(other))
    // What is being written gives way to what is there: amid that it is nowhere, and what is below it moves.
    await expect.poll(() => below('This was good.', 'Run')).toBeGreaterThan(0)
    await expect.poll(() => below('Then begin.', 'This was good.')).toBeGreaterThan(0)
    expect(new URL(page.url()).searchParams.get('layout')).toBe('split')
    await ada.expectAccessible()
    ada.expectNoProblems()
  })

  inDepth('are begun by keyboard: one stop in a file, and arrows from line to line', async () => {
    const ada = await branchWriter(dashboard, 'keyboard', 'desktop')
    const { page } = ada
    await ada.open(changes(ada, 'keyboard'))
    await line(page, 1).waitFor()
    expect(await install(page).locator('[data-spot][tabindex="0"]').count()).toBe(1)
    await install(page).getByRole('link', { name: 'Edit guides/install.mdx' }).focus()
    await page.keyboard.press('Tab')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
    const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')
    expect(await focused()).toBe('Comment on line 3')
    await page.keyboard.press('Enter')
    await page.keyboard.type('By hand')
    expect(await focused()).toBe('Comment on line 3 of guides/install.mdx')
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await focused()).toBe('Comment on line 3')
    ada.expectNoProblems()
  })

  inDepth('are found from the activity, and the publish page tells how many are open', async () => {
    const [ada, bob] = await pair('found', 'desktop')
    const { id, thread } = await say(ada, 'found', 'Where is this?')
    const params = { slug: 'found', id: ada.branch }
    await ada.client.call(contract.comments.create, { params, body: { text: 'In general: good.' } })
    await ada.client.call(contract.comments.update, { params: { ...params, comment: id }, body: { resolved: true } })
    await ada.open('/dashboard/found/activity')
    await ada.page.getByRole('link', { name: 'a thread of comments' }).click()
    await ada.page.getByText('Where is this?').waitFor()
    await expect.poll(() => ada.page.evaluate('document.activeElement.id')).toBe(id)
    expect(thread).toMatch(/^t/)

    await bob.open(`/dashboard/found/branches/${ada.branch}/publish`)
    await bob.page.getByText('1 thread of comments is open.').waitFor()
    await bob.page.getByRole('link', { name: 'Read them' }).click()
    await bob.page.getByRole('region', { name: 'Comments on the branch' }).getByText('In general: good.').waitFor()
    expect(await bob.page.getByRole('button', { name: 'Delete comment' }).count()).toBe(0)
    for (const person of [ada, bob]) person.expectNoProblems()
  })

  inDepth(
    'that came too late for the branch stay in the field, and on the page that tells that it is gone',
    async () => {
      const ada = await branchWriter(dashboard, 'gone', 'desktop')
      const { page } = ada
      await ada.open(changes(ada, 'gone'))
      await page.getByRole('button', { name: 'Comment on the branch' }).click()
      await page.getByRole('textbox', { name: 'Comment on the branch' }).fill('Too late')
      await ada.client.call(contract.branches.remove, { params: { slug: 'gone' }, query: { id: ada.branch } })
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page
        .getByRole('alert')
        .getByText(/The project has no branch/)
        .waitFor()
      expect(await page.getByRole('textbox', { name: 'Comment on the branch' }).inputValue()).toBe('Too late')
      await page.reload()
      await page.getByRole('heading', { name: 'There is no such branch any more' }).waitFor()
      await page.getByRole('heading', { name: 'You had not sent this' }).waitFor()
      await page.getByText('Too late').waitFor()
      await ada.expectAccessible()
    },
  )
})
