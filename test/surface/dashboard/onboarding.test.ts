import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { contract } from '#contract/index.ts'
import { commandLinePackage } from '#contract/service.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person } from '#test/support/dashboard.ts'
import { startLogin } from '#test/support/login-process.ts'
import { join as joinProject } from '#test/support/members.ts'
import { removeDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

/** Text that the page offers to copy. */
const snippet = (page: Page, label: string): Promise<string> =>
  page.getByRole('group', { name: label, exact: true }).innerText()

const step = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) })

describe.skipIf(!hasBrowser)('the way to the first deploy', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  const open = async (person: Person, slug: string, way = ''): Promise<Page> => {
    await person.client.call(contract.projects.create, { body: { slug, title: `The ${slug} “manual”` } })
    await person.open(`/dashboard/${slug}/start${way}`)
    return person.page
  }

  const expectLive = async (person: Person, slug: string) => {
    const { page } = person
    await page.getByRole('heading', { name: 'Your site is live', level: 2 }).first().waitFor()
    const url = `http://${slug}.localhost:${dashboard.service.port}`
    expect(await page.getByRole('link', { name: `${url} opens in a new tab` }).getAttribute('href')).toBe(url)
    await page.getByRole('link', { name: 'Invite writers' }).waitFor()
    for (const title of ['The first deploy begins', 'Your site is live'])
      await step(page, title).getByText('(done)').waitFor()
    await person.expectAccessible()
  }

  it.each(shownSizes)('with a sample: deployed at once, with the title, on a %s', async (size) => {
    const ada = await dashboard.person(`sample-${size}`, size)
    const slug = `sample-${size}`
    const page = await open(ada, slug)
    await ada.expectAccessible()
    const release = dashboard.builder.hold()
    try {
      await page.getByRole('button', { name: 'Deploy the sample' }).click()
      await page.getByRole('list', { name: 'Stages' }).getByText('Building pages').waitFor()
      await ada.expectAccessible()
      await page.reload()
      await page.getByRole('listitem').and(page.locator('[aria-current=step]')).getByText('Building pages').waitFor()
      await step(page, 'The first deploy begins').getByText('(done)').waitFor()
    } finally {
      release()
    }
    await expectLive(ada, slug)
    const params = { slug, path: 'docs.json' }
    const { content } = await ada.client.call(contract.files.read, { params })
    expect(JSON.parse(content)).toMatchObject({ name: `The ${slug} “manual”` })
    await page.getByRole('link', { name: 'Edit it in a branch' }).click()
    await page.waitForURL(`**/dashboard/${slug}/branches`)
    await page.goBack()
    await page.getByRole('heading', { name: 'Your site is live' }).first().waitFor()
    ada.expectNoProblems()
  })

  inDepth('tells why the first deploy failed, and goes on with the next', async () => {
    const linda = await dashboard.person('linda')
    const page = await open(linda, 'fails')
    const deploy = (path: string) =>
      linda.client.call(contract.deploys.create, {
        query: { project: 'fails' },
        body: { files: [{ path, content: '# Hello' }] },
      })
    await expect(deploy('broken.md')).rejects.toMatchObject({ code: 'build_failed' })
    await page.getByText('broken.md:3:7: It is broken').waitFor()
    await linda.expectAccessible()
    await page.getByRole('link', { name: 'See all errors' }).click()
    await page.waitForURL('**/dashboard/fails/deploys/*')
    await page.goBack()
    await page.getByText('broken.md:3:7: It is broken').waitFor()
    await deploy('index.md')
    await expectLive(linda, 'fails')
    linda.expectNoProblems()
  })

  inDepth('for a writer, who makes no keys', async () => {
    const owner = await dashboard.person('owner')
    await owner.client.call(contract.projects.create, { body: { slug: 'shared' } })
    const writer = await dashboard.person('writer', 'phone')
    await joinProject(owner.client, 'shared', writer)
    await writer.open('/dashboard/shared/start?way=git')
    await writer.page.getByText('Only the owner of the project makes keys').waitFor()
    await writer.expectAccessible()
    expect(await writer.page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    await writer.page.getByRole('button', { name: 'Deploy the sample' }).click()
    await writer.page.getByRole('heading', { name: 'Your site is live', level: 2 }).first().waitFor()
    expect(await writer.page.getByRole('link', { name: 'Invite writers' }).count()).toBe(0)
    writer.expectNoProblems()
  })

  describeInDepth('by commands', () => {
    /** Where they are typed: `quire` is what npm would have installed from the service. */
    let home: string
    let environment: Record<string, string>

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'quire-onboarding-'))
      const response = await fetch(`${dashboard.url}${commandLinePackage}`)
      await writeFile(join(home, 'quire.tgz'), Buffer.from(await response.arrayBuffer()))
      await run('tar', ['-xzf', 'quire.tgz'], { cwd: home })
      const program = join(home, 'package/dist/quire.js')
      await mkdir(join(home, 'bin'))
      await writeFile(join(home, 'bin/quire'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
        mode: 0o755,
      })
      environment = {
        PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
        HOME: home,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
      }
    })
    afterAll(() => removeDirectory(home))

    /** Types a command into a shell, in a folder of the home. */
    const type = async (folder: string, command: string, more: Record<string, string> = {}) => {
      await mkdir(join(home, folder), { recursive: true })
      return run('sh', ['-ec', command], { cwd: join(home, folder), env: { ...environment, ...more } })
    }

    it('the package of the command line is the program, which needs no other, and names what it is better with', async () => {
      const manifest = JSON.parse(await readFile(join(home, 'package/package.json'), 'utf8')) as Record<string, unknown>
      const ours = JSON.parse(await readFile('package.json', 'utf8')) as Record<
        'dependencies' | 'optionalDependencies',
        Record<string, string>
      >
      expect(manifest).toMatchObject({
        name: 'quire',
        bin: { quire: 'dist/quire.js' },
        optionalDependencies: {
          satteri: ours.dependencies['satteri'],
          '@napi-rs/keyring': ours.optionalDependencies['@napi-rs/keyring'],
        },
      })
      expect(manifest).not.toHaveProperty('dependencies')
      expect((await type('.', 'quire --help')).stdout).toContain('quire deploy docs --dry-run')
    })

    it.each(shownSizes)('with the commands of the page, signed in by the browser, on a %s', async (size) => {
      const grace = await dashboard.person(`grace-${size}`, size)
      const slug = `cli-${size}`
      const page = await open(grace, slug)
      expect(await snippet(page, 'install command')).toBe(`npm install --global ${dashboard.url}/cli`)
      await step(page, 'Install the command').waitFor()

      const [quire, login, ...words] = (await snippet(page, 'sign-in command')).split(' ')
      expect([quire, login]).toEqual(['quire', 'login'])
      const terminal = await startLogin(words, { HOME: home })
      const approval = await grace.context.newPage()
      await approval.goto(terminal.page)
      await approval.getByRole('button', { name: 'Approve' }).click()
      expect((await terminal.finished).code).toBe(0)
      await step(page, 'Sign in').getByText('(done)').waitFor()

      const folder = `folder-${size}`
      await type(folder, await snippet(page, 'command that writes a first page'))
      const { stdout } = await type(folder, await snippet(page, 'deploy command'))
      expect(stdout.trim()).toBe(`http://${slug}.localhost:${dashboard.service.port}`)
      await expectLive(grace, slug)
      const { content } = await grace.client.call(contract.files.read, { params: { slug, path: 'index.mdx' } })
      expect(content).toBe(`# The ${slug} manual\n`)
      await type(folder, `quire logout --url ${dashboard.url}`)
      grace.expectNoProblems()
    })

    it('with the commands of the page and a key that is made there', async () => {
      const joan = await dashboard.person('joan', 'phone')
      const page = await open(joan, 'with-key')
      await page.getByRole('button', { name: 'Use a key instead' }).click()
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByText('it is shown only this once').waitFor()
      await joan.expectAccessible()
      await type('with-key', await snippet(page, 'command that writes a first page'))
      const commands = [await snippet(page, 'command that sets the key'), await snippet(page, 'deploy command')]
      await type('with-key', commands.join('\n'))
      await expectLive(joan, 'with-key')
      joan.expectNoProblems()
    })

    it.each(shownSizes)('with the workflow of the page and its deploy key, on a %s', async (size) => {
      const mary = await dashboard.person(`mary-${size}`, size)
      const slug = `actions-${size}`
      const page = await open(mary, slug)
      await page.getByRole('link', { name: 'GitHub Actions' }).click()
      await page.waitForURL('**/start?way=actions')
      await page.getByRole('button', { name: 'Create deploy key' }).click()
      const key = await snippet(page, 'API key')
      await step(page, 'Create a deploy key').getByText('(done)').waitFor()
      await mary.expectAccessible()
      const { items } = await mary.client.call(contract.keys.list, { params: { slug } })
      expect(items).toMatchObject([{ name: 'GitHub Actions', scopes: ['deploy'] }])

      const workflow = parse(await snippet(page, 'workflow')) as {
        jobs: { docs: { env: object; steps: { if?: string; run?: string; env?: object }[] } }
      }
      const { env, steps } = workflow.jobs.docs
      expect(env).toEqual({ QUIRE_URL: dashboard.url })
      const push = steps.find((each) => each.if === "github.event_name == 'push'")
      expect(push?.env).toEqual({ SERVICE_API_KEY: '${{ secrets.SERVICE_API_KEY }}' })
      const folder = `actions-${size}`
      await type(folder, 'mkdir docs && echo "# Hello" > docs/index.mdx')
      const variables = { QUIRE_URL: dashboard.url, SERVICE_API_KEY: key, CI: 'true', GITHUB_ACTIONS: 'true' }
      await type(folder, push?.run ?? '', variables)
      await step(page, 'Store it as a secret').getByText('(done)').waitFor()
      await expectLive(mary, slug)

      // The key is not shown again.
      await page.reload()
      await step(page, 'Create a deploy key').getByText('(done)').waitFor()
      expect(await page.getByText(key).count()).toBe(0)
      mary.expectNoProblems()
    })

    it.each(shownSizes)('with a push to the remote of the page, on a %s', async (size) => {
      const vera = await dashboard.person(`vera-${size}`, size)
      const slug = `git-${size}`
      const page = await open(vera, slug, '?way=git')
      await page.getByRole('button', { name: 'Create key' }).click()
      const key = await snippet(page, 'API key')
      await vera.expectAccessible()
      await type(slug, `git config --global user.name Vera && git config --global user.email vera@example.com`)
      await type(slug, 'echo "# Hello" > index.mdx')
      for (const label of ['commands that make a repository', 'command that adds the remote'])
        await type(slug, await snippet(page, label))
      // What Git would ask for.
      const answers = join(home, 'answers')
      await writeFile(answers, `#!/bin/sh\ncase "$1" in Username*) echo anything;; *) echo ${key};; esac\n`, {
        mode: 0o755,
      })
      const { stderr } = await type(slug, await snippet(page, 'push command'), { GIT_ASKPASS: answers })
      expect(stderr).toContain('Live at')
      await expectLive(vera, slug)
      vera.expectNoProblems()
    })
  })
})
