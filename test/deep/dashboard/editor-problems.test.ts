import { afterAll, beforeAll, describe, it } from 'vitest'
import { hasBrowser } from '#test/support/browser.ts'
import { Desks, textOf } from '#test/support/desk.ts'

let desks: Desks

beforeAll(async () => {
  if (hasBrowser) desks = await Desks.start()
})
afterAll(async () => {
  if (hasBrowser) await desks.close()
})

const config = '{ "name": "Docs", "navigation": { "pages": ["index"] } }'

describe.skipIf(!hasBrowser).each(['phone', 'desktop'] as const)('problems of a page on a %s', (size) => {
  it('are told beside its text: links that lead nowhere and images that are not there, until they are mended', async () => {
    const text = '# Home\n\nSee [there](/nowhere).\n\n![shot](/images/none.png)\n'
    const desk = await desks.with({ 'index.mdx': text, 'docs.json': config }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    const problems = page.getByRole('list', { name: 'Problems' })
    const link = problems.getByRole('button', { name: /\/nowhere leads nowhere.*Line 3/ })
    await link.waitFor()
    await problems.getByRole('button', { name: /none\.png.*Line 5/ }).waitFor()
    await person.expectAccessible()

    // They go along with their lines.
    await textOf(person, 'index.mdx').click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Enter')
    const moved = problems.getByRole('button', { name: /\/nowhere leads nowhere.*Line 4/ })
    await moved.click()
    for (let times = 0; times < 6; times++) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('End')
    await page.keyboard.press('Shift+Home')
    await page.keyboard.type('See [there](/).')
    await moved.waitFor({ state: 'detached' })
    await problems.getByRole('button', { name: /none\.png/ }).waitFor()
    person.expectNoProblems()
  })

  it('lead from the page of the branch to their line', async () => {
    const lines = Array.from({ length: 120 }, (_, index) =>
      index === 89 ? 'See [there](/nowhere).' : `Line ${index}\n`,
    )
    const desk = await desks.with({ 'index.mdx': lines.join('\n'), 'docs.json': config }, size)
    const { person, slug, branch } = desk
    const { page } = person
    await person.open(`/dashboard/${slug}/branches/${branch.id}`)
    await page.getByRole('link', { name: /^index\.mdx:179:/ }).click()
    await page.waitForURL('**/edit/index.mdx?line=179&column=*')
    await textOf(person, 'index.mdx').getByText('See [there](/nowhere).').waitFor()
    await page.keyboard.type('Here. ')
    await textOf(person, 'index.mdx')
      .getByText(/Here\. ?.*there/)
      .waitFor()
    person.expectNoProblems()
  })
})
