import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { contract } from '../../src/contract/index.ts'
import { quire } from '../support/command-line.ts'
import { FakeBuilder } from '../support/fake-builder.ts'
import { createProject, type ProjectAccess } from '../support/service-process.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { temporaryDirectory, writeFiles } from '../support/temporary.ts'

describe.skipIf(!hasBrowser)('the usage on the project’s page', () => {
  let service: TestService
  let project: ProjectAccess
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder() })
    project = await createProject(service.url, 'leaves')
    browser = await launchBrowser()
    page = await browser.newPage()
    await page.context().addCookies([
      {
        name: 'quire_session',
        value: project.session,
        domain: 'localhost',
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
      },
    ])
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
  })

  const cards = async (): Promise<string[]> => {
    await page.goto(`http://localhost:${service.port}/dashboard/leaves`)
    await page.waitForSelector('.meter')
    return page.locator('.meter').allInnerTexts()
  }
  const wordsOf = (text: string | undefined): string => (text ?? '').replace(/\s+/g, ' ')

  it('shows the counts of the API, and how much of the plan is left', async () => {
    const [before] = await cards()
    expect(wordsOf(before)).toContain('Generations 0 of 1 used')
    for (const content of ['one', 'two'])
      await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content }] } })
    await project.client.call(contract.branches.create, { params: { slug: 'leaves' }, body: { name: 'one' } })

    const [generations, deploys, assistant] = await cards()
    expect(wordsOf(generations)).toMatch(/Generations 1 of 1 used .* 0 left; starts anew on .*1, 00:00 UTC/)
    expect(wordsOf(deploys)).toMatch(/Deploys today 2 of 3 used 2 in .* 1 left; starts anew on/)
    expect(wordsOf(assistant)).toContain('Assistant 0 of 1 used')
    const meters = page.locator('meter')
    expect(await meters.nth(1).getAttribute('aria-label')).toBe('Deploys today: 1 of 3 left')
    expect(await meters.nth(1).getAttribute('value')).toBe('2')
  })
})

describe('quire usage', () => {
  it('draws the meters, or prints the reply of the API, with a key and with a session', async () => {
    const service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder() })
    onTestFinished(() => service.close())
    const url = `http://localhost:${service.port}`
    const project = await createProject(url, 'leaves')
    await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: 'x' }] } })
    const home = await temporaryDirectory()
    const session = { token: project.session, email: 'leaves@example.com' }
    await writeFiles(home, { 'quire/credentials.json': JSON.stringify({ [url]: session }) })
    await chmod(join(home, 'quire/credentials.json'), 0o600)

    const usage = await project.client.call(contract.usage.read, { params: { slug: 'leaves' } })
    for (const environment of [{ SERVICE_API_KEY: project.key }, { XDG_CONFIG_HOME: home }]) {
      const run = (...words: string[]) => quire(['--url', url, ...words], environment)
      const told = await run('usage')
      expect(told).toMatchObject({ code: 0, stderr: '' })
      expect(told.stdout).toContain('leaves  Free plan, ')
      expect(told.stdout).toMatch(/Deploys today {2}█{7}░{13} {2}1 of 3 used, 2 left\n.*starts anew at 00:00 UTC, in /)
      expect(JSON.parse((await run('--json', 'usage')).stdout)).toEqual(usage)
    }
    const nobody = await quire(['--url', url, '--json', 'usage'], { XDG_CONFIG_HOME: join(home, 'none') })
    expect(nobody.code).toBe(4)
    expect(JSON.parse(nobody.stdout)).toMatchObject({ error: { code: 'unauthenticated' } })
  })
})
