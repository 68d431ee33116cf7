import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from '#test/support/browser.ts'
import { Desks, textOf, turnTo, typeAtEnd } from '#test/support/desk.ts'

let desks: Desks

beforeAll(async () => {
  if (hasBrowser) desks = await Desks.start()
})
afterAll(async () => {
  if (hasBrowser) await desks.close()
})

const sections = Array.from({ length: 30 }, (_, index) => `## Part ${index}\n\n${`Words of ${index}.\n\n`.repeat(6)}`)

describe.skipIf(!hasBrowser).each(['phone', 'desktop'] as const)('the preview on a %s', (size) => {
  it('follows the text that is scrolled, and leads back to it from its headings', async () => {
    const desk = await desks.with({ 'index.mdx': sections.join('') }, size)
    const { person } = desk
    const { page } = person
    const preview = page.frameLocator('iframe[title="Preview of index.mdx"]')
    const headingOf = (part: number) => preview.locator(`#part-${part}`)
    const topOf = (part: number) => headingOf(part).evaluate((heading) => heading.getBoundingClientRect().top)
    // Part 15 begins in line 15 × 14 + 1.
    await desk.open('index.mdx', '?line=211')
    await textOf(person, 'index.mdx').getByText('Part 15').waitFor()
    await turnTo(person, size, 'Preview')
    await expect.poll(async () => Math.abs(await topOf(15))).toBeLessThan(900)
    await expect.poll(() => topOf(0)).toBeLessThan(-900)

    await turnTo(person, size, 'Write')
    await typeAtEnd(person, 'index.mdx', 'The end.')
    await turnTo(person, size, 'Preview')
    await preview.getByText('The end.').waitFor()
    await expect
      .poll(() => preview.locator('html').evaluate((root) => root.scrollHeight - innerHeight - root.scrollTop))
      .toBeLessThan(120)

    await headingOf(29).click({ position: { x: 60, y: 10 } })
    await expect.poll(() => textOf(person, 'index.mdx').evaluate((text) => text.matches(':focus'))).toBe(true)
    await page.keyboard.press('End')
    await page.keyboard.type(' and last')
    await turnTo(person, size, 'Preview')
    await preview.locator('#part-29-and-last').waitFor()
    person.expectNoProblems()
  })
  it('shows what is written at the end of a page as it grows', async () => {
    const desk = await desks.with({ 'index.mdx': sections.join('') }, size)
    const { person } = desk
    const { page } = person
    const preview = page.frameLocator('iframe[title="Preview of index.mdx"]')
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'The beginning of the end.')
    for (const words of ['One more.', 'And one.', 'The last.']) {
      await page.keyboard.type(`\n\n${words}`)
      await turnTo(person, size, 'Preview')
      const below = () => preview.getByText(words).evaluate((said) => said.getBoundingClientRect().bottom - innerHeight)
      await expect.poll(below).toBeLessThan(0)
      await turnTo(person, size, 'Write')
      await textOf(person, 'index.mdx').focus()
    }
    person.expectNoProblems()
  })
  it('is light or dark as the dashboard is, which may change while it is open', async () => {
    const { person, open } = await desks.with({ 'index.mdx': 'Hello.' }, size)
    const { page } = person
    const theme = () =>
      page.frameLocator('iframe[title="Preview of index.mdx"]').locator('html').getAttribute('data-theme')
    await page.emulateMedia({ colorScheme: 'light' })
    await open('index.mdx')
    await turnTo(person, size, 'Preview')
    await expect.poll(theme).toBe('light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(theme).toBe('dark')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('light')
    await page.getByRole('option', { name: /^Light theme/ }).click()
    await expect.poll(theme).toBe('light')
    person.expectNoProblems()
  })
})
