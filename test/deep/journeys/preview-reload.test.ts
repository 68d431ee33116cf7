import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hasBrowser, launchBrowser } from '#test/support/browser.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let desk: Desk
let browser: Browser

beforeAll(async () => {
  if (!hasBrowser) return
  service = await startTestService()
  desk = await openDesk(service)
  browser = await launchBrowser()
})
afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  await service.close()
})

it.skipIf(!hasBrowser)('an open preview page shows each save by itself, and says when one does not build', async () => {
  await desk.deploy({ 'index.mdx': '# Main' })
  const branch = await desk.branch('watched')
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  // The browser looks for an icon that the sample does not have.
  page.on(
    'console',
    (message) => message.type() === 'error' && !message.text().includes('404') && problems.push(message.text()),
  )
  await page.goto(`${branch.previewUrl}/`)
  await page.getByText('Main').first().waitFor()
  await desk.save(branch, 'index.mdx', '# First')
  await page.getByRole('heading', { name: 'First' }).waitFor()
  await desk.save(branch, 'index.mdx', '# Second')
  await page.getByRole('heading', { name: 'Second' }).waitFor()
  await desk.save(branch, 'bad.mdx', '# Bad\n\n<Card')
  await expect.poll(() => page.getByRole('status').innerText()).toContain('bad.mdx:3')
  await desk.save(branch, 'bad.mdx', '# Good')
  await page.getByRole('status').waitFor({ state: 'detached' })
  expect(problems).toEqual([])

  const live = await browser.newPage()
  const asked: string[] = []
  live.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await live.goto(`http://${desk.slug}.localhost:${service.port}/`)
  expect(asked.filter((path) => path.includes('preview'))).toEqual([])
})
