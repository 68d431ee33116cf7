import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { branchWriter, moveMain } from '#test/support/branch-writer.ts'
import { DashboardTest, shownSizes, type Person } from '#test/support/dashboard.ts'

async function mainText({ client }: Person, slug: string, path: string): Promise<string> {
  return (await client.call(contract.files.read, { params: { slug, path } })).content
}

describe.skipIf(!hasBrowser)('the work on a branch', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  describe.each(shownSizes)('at the size of a %s', (size) => {
    it('goes live, and the page says where', async () => {
      const slug = `publish-${size}`
      const ada = await branchWriter(dashboard, slug, size)
      const { page } = ada
      await ada.open(`/dashboard/${slug}/branches/${ada.branch}`)
      await page.getByRole('link', { name: 'Publish…' }).click()
      await page.getByText('4 files: 2 added, 1 changed, 1 deleted.').waitFor()
      await page.getByRole('textbox', { name: 'Message' }).fill('Say how to begin')
      await ada.expectAccessible()
      await page.reload()
      await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Say how to begin')

      await page.getByRole('button', { name: 'Publish now' }).click()
      await page.getByRole('heading', { name: 'new-guide is live' }).waitFor()
      await ada.expectAccessible()
      expect(await mainText(ada, slug, 'guides/start.mdx')).toBe('# Start\n')
      const { items } = await ada.client.call(contract.deploys.list, { params: { slug } })
      expect(items[0]).toMatchObject({ kind: 'publish', status: 'live', message: 'Say how to begin' })

      await page.reload()
      await page.getByRole('heading', { name: 'new-guide is live' }).waitFor()
      await page.getByRole('link', { name: /^Deploy #/ }).click()
      await page.waitForURL(`**/deploys/${items[0]?.id ?? ''}`)
      await page.goBack()
      await page.getByRole('heading', { name: 'new-guide is live' }).waitFor()
      ada.expectNoProblems()
    })

    it('is settled with main file by file and piece by piece, and a reload loses none of it', async () => {
      const slug = `settle-${size}`
      const grace = await branchWriter(dashboard, slug, size)
      const { page } = grace
      await moveMain(grace, slug)
      await grace.open(`/dashboard/${slug}/branches/${grace.branch}/publish`)
      await page.getByRole('textbox', { name: 'Message' }).fill('Say how to begin')
      await grace.open(`/dashboard/${slug}/branches/${grace.branch}/update`)
      await page.getByRole('list', { name: 'Live since the branch left main' }).waitFor()
      await grace.expectAccessible()
      await page.getByRole('button', { name: 'Update from main' }).click()
      await page.getByRole('heading', { name: '2 files of 2 to settle' }).waitFor()
      await grace.expectAccessible()

      const install = page.getByRole('article', { name: 'guides/install.mdx' })
      await install.getByRole('button', { name: 'Edit by hand' }).click()
      await install.getByRole('textbox', { name: 'Your text for 1 of 1' }).fill('Run pnpm or yarn.')
      await page.reload()
      await expect
        .poll(() => install.getByRole('textbox', { name: 'Your text for 1 of 1' }).inputValue())
        .toBe('Run pnpm or yarn.')
      await grace.expectAccessible()
      await install.getByRole('button', { name: 'Take this text' }).click()
      await page.getByRole('heading', { name: '1 file of 2 to settle' }).waitFor()
      await page.getByRole('button', { name: 'Next file' }).click()
      const old = page.getByRole('article', { name: 'guides/old.mdx' })
      await old.getByText('One changed the file, the other deleted it.').waitFor()
      await grace.expectAccessible()
      await old.getByRole('button', { name: 'Use the file of main' }).click()
      await page.getByRole('heading', { name: 'All is settled' }).waitFor()
      await page.getByRole('button', { name: 'Update the branch' }).click()
      await page.getByText('Up to date').waitFor()
      const { content } = await grace.client.call(contract.branches.readFile, {
        params: { slug, id: grace.branch, path: 'guides/install.mdx' },
      })
      expect(content).toBe('# Install\n\nRun pnpm or yarn.\n\nThen begin.\n')

      await page.getByRole('link', { name: 'Publish…' }).click()
      expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Say how to begin')
      grace.expectNoProblems()
    })
  })

  inDepth('comes back to be decided when main moved after it was settled', async () => {
    const joan = await branchWriter(dashboard, 'moved', 'desktop')
    const { page } = joan
    await moveMain(joan, 'moved')
    await joan.open(`/dashboard/moved/branches/${joan.branch}/publish`)
    await page.getByRole('button', { name: 'Publish now' }).click()
    const install = page.getByRole('article', { name: 'guides/install.mdx' })
    await install.getByRole('button', { name: 'Use new-guide' }).click()
    await install.getByRole('group', { name: 'Result of 1 of 1' }).getByText('pnpm').waitFor()
    await page.getByRole('button', { name: /guides\/old\.mdx/ }).click()
    await page.getByRole('button', { name: 'Delete it, as new-guide did' }).click()
    await page.getByRole('heading', { name: 'All is settled' }).waitFor()

    await moveMain(joan, 'moved', 'bun add')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('heading', { name: '1 file of 2 to settle' }).waitFor()
    await page.getByRole('button', { name: /guides\/install\.mdx/ }).click()
    await page.getByText('The file has changed since you settled it').waitFor()
    await joan.expectAccessible()
    await install.getByRole('button', { name: 'Use both' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('heading', { name: 'new-guide is live' }).waitFor()
    expect(await mainText(joan, 'moved', 'guides/install.mdx')).toBe(
      '# Install\n\nRun pnpm install quire.\nRun bun add quire.\n\nThen begin.\n',
    )
    joan.expectNoProblems()
  })

  inDepth(
    'is put together anew where main has changed another line since: nothing that went live is taken back',
    async () => {
      const lou = await branchWriter(dashboard, 'elsewhere', 'desktop')
      const { page, client } = lou
      const ways = Array.from({ length: 9 }, (_, line) => `Way ${line}.\n`).join('\n')
      const pageOf = (run: string, end: string): string => `# Install\n\nRun ${run} quire.\n\n${ways}\n${end}\n`
      const deploy = (run: string, end: string) => {
        const files = [{ path: 'guides/install.mdx', content: pageOf(run, end) }]
        return client.call(contract.deploys.create, { query: { project: 'elsewhere' }, body: { files } })
      }
      await deploy('npm install', 'Then begin.')
      const params = { slug: 'elsewhere', id: '' }
      const { id } = await client.call(contract.branches.create, { params, body: { name: 'words' } })
      const changes = [{ path: 'guides/install.mdx', content: pageOf('pnpm install', 'Then begin.') }]
      await client.call(contract.branches.commit, { params: { ...params, id }, body: { changes } })
      await deploy('yarn add', 'Then begin.')
      await lou.open(`/dashboard/elsewhere/branches/${id}/publish`)
      await page.getByRole('button', { name: 'Publish now' }).click()
      const install = page.getByRole('article', { name: 'guides/install.mdx' })
      await install.getByRole('button', { name: 'Use words' }).click()
      await page.getByRole('heading', { name: 'All is settled' }).waitFor()

      await deploy('yarn add', 'Then begin, it is quick.')
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByRole('heading', { name: '1 file of 1 to settle' }).waitFor()
      await page.getByText('Pieces whose lines are the same are decided as before.').waitFor()
      expect(await page.getByRole('button', { name: 'Decide as before' }).count()).toBe(0)
      await lou.expectAccessible()
      await install.getByRole('button', { name: 'Take the joined text' }).click()
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByRole('heading', { name: 'words is live' }).waitFor()
      expect(await mainText(lou, 'elsewhere', 'guides/install.mdx')).toBe(
        pageOf('pnpm install', 'Then begin, it is quick.'),
      )
      lou.expectNoProblems()
    },
  )

  inDepth('says what does not build, and that readers see nothing of it', async () => {
    const kim = await branchWriter(dashboard, 'wrong', 'phone')
    const { page } = kim
    await kim.client.call(contract.branches.commit, {
      params: { slug: 'wrong', id: kim.branch },
      body: { changes: [{ path: 'broken.md', content: '# Broken' }] },
    })
    await kim.open(`/dashboard/wrong/branches/${kim.branch}/publish`)
    await page.getByText('The newest save does not build, so it cannot go live').waitFor()
    await page.getByRole('button', { name: 'Publish now' }).click()
    await page.getByRole('heading', { name: 'new-guide is not published' }).waitFor()
    await kim.expectAccessible()
    expect(await page.getByRole('link', { name: 'broken.md:3:7' }).getAttribute('href')).toContain('/edit/broken.md')
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Publish now' }).waitFor()
    kim.expectNoProblems()
  })
})
