import { existsSync } from 'node:fs'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { FakeBuilder } from '../support/fake-builder.ts'
import { createProject, type ProjectAccess } from '../support/service-process.ts'
import { startTestService, type TestService } from '../support/service.ts'

const executable = '/usr/bin/chromium'

describe.skipIf(!existsSync(executable))('the usage on the project’s page', { timeout: 60_000 }, () => {
  let service: TestService
  let project: ProjectAccess
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder() })
    project = await createProject(service.url, 'leaves')
    browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] })
    page = await browser.newPage()
    await page
      .context()
      .addCookies([
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
    const body = { files: [{ path: 'index.md', content: 'x' }] }
    for (let count = 0; count < 2; count++) await project.client.call(contract.deploys.create, { body })
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
