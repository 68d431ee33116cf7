import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BranchChange } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person, type Size } from '#test/support/dashboard.ts'

/** Pictures of one pixel. */
const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
const blue = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC'
const yellow = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4/58BAAT/Af9dfQKHAAAAAElFTkSuQmCC'
const green = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNg+M8AAAICAQB7CYF4AAAAAElFTkSuQmCC'

type Files = Readonly<Record<string, string>>

/** Pictures are given as base64. */
function fileOf([path, content]: readonly [string, string]) {
  return path.endsWith('.png') ? { path, content, encoding: 'base64' as const } : { path, content }
}

async function deploy({ client }: Person, project: string, files: Files): Promise<void> {
  await client.call(contract.deploys.create, { query: { project }, body: { files: Object.entries(files).map(fileOf) } })
}

interface Sides {
  /** All files as they were when the branch left main. */
  readonly base: Files
  /** All files as main has them now. */
  readonly main: Files
  /** What the branch changed; null: deleted. */
  readonly branch: Readonly<Record<string, string | null>>
}

/** Somebody whose branch `next` and main changed the same things. @param slug also the name of the person */
async function inConflict(dashboard: DashboardTest, slug: string, size: Size, { base, main, branch }: Sides) {
  const person = await dashboard.person(slug, size)
  await person.client.call(contract.projects.create, { body: { slug, title: 'Handbook' } })
  await deploy(person, slug, base)
  const { id } = await person.client.call(contract.branches.create, { params: { slug }, body: { name: 'next' } })
  const changes = Object.entries(branch).map(([path, content]): BranchChange =>
    content === null ? { path, content } : fileOf([path, content]),
  )
  await person.client.call(contract.branches.commit, { params: { slug, id }, body: { changes } })
  await deploy(person, slug, main)
  await person.open(`/dashboard/${slug}/branches/${id}/publish`)
  await person.page.getByRole('button', { name: 'Publish now' }).click()
  await person.page.getByRole('heading', { name: /to settle$/ }).waitFor()
  return Object.assign(person, { branch: id })
}

async function mainFile({ client }: Person, slug: string, path: string): Promise<string> {
  return (await client.call(contract.files.read, { params: { slug, path } })).content
}

async function publish({ page }: Person): Promise<void> {
  await page.getByRole('heading', { name: 'All is settled' }).waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('heading', { name: 'next is live' }).waitFor()
}

/** Lines enough that what is changed in two of them stays apart. */
function steps(...texts: readonly string[]): string {
  return texts.map((text, index) => `## Step ${index + 1}\n\n${text}\n\nThen go on.\nIt takes a minute.\n\n`).join('')
}

describe.skipIf(!hasBrowser).each(shownSizes)('what both sides changed, on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.start()
  })
  afterAll(() => dashboard.close())

  it('is shown as two pictures where it is one, and the chosen one goes live', async () => {
    const ada = await inConflict(dashboard, 'pictures', size, {
      base: { 'index.md': 'Home', 'logo.png': red },
      main: { 'index.md': 'Home', 'logo.png': blue },
      branch: { 'logo.png': green },
    })
    const { page } = ada
    const logo = page.getByRole('article', { name: 'logo.png' })
    await logo.getByText('Both changed the file, which is not text.').waitFor()
    const sourceOf = (name: string) => logo.getByRole('img', { name }).getAttribute('src')
    expect(await sourceOf('logo.png, next')).toContain(green)
    expect(await sourceOf('logo.png, main')).toContain(blue)
    await ada.expectAccessible()

    // Somebody publishes another picture before the choice is made: what is shown is what is chosen among.
    await deploy(ada, 'pictures', { 'index.md': 'Home', 'logo.png': yellow })
    await page.reload()
    await logo.getByText('Main has moved: its logo.png is another one now.').waitFor()
    await expect.poll(() => sourceOf('logo.png, next')).toContain(green)
    await ada.expectAccessible()
    await logo.getByRole('button', { name: 'Use the file of main' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await logo.getByText('The file has changed since you settled it').waitFor()
    await expect.poll(() => sourceOf('logo.png, main')).toContain(yellow)
    await logo.getByRole('button', { name: 'Use the file of next', exact: true }).click()
    await publish(ada)
    expect(await mainFile(ada, 'pictures', 'logo.png')).toBe(green)
    ada.expectNoProblems()
  })

  it('is settled piece by piece, each in its own way', async () => {
    const grace = await inConflict(dashboard, 'pieces', size, {
      base: { 'index.md': steps('one', 'two', 'three', 'four') },
      main: { 'index.md': steps('main one', 'main two', 'main three', 'main four') },
      branch: { 'index.md': steps('my one', 'my two', 'my three', 'my four') },
    })
    const { page } = grace
    const piece = (number: number) => page.getByRole('region', { name: `${number} of 4` })
    await piece(1).getByRole('button', { name: 'Use next' }).click()
    await piece(2).getByRole('button', { name: 'Use main' }).click()
    await piece(3).getByRole('button', { name: 'Use both' }).click()
    await piece(4).getByRole('button', { name: 'Edit by hand' }).click()
    await piece(4).getByRole('textbox', { name: 'Your text for 4 of 4' }).fill('our four')
    await grace.expectAccessible()
    // What is written is not gone with a press.
    await piece(4).getByRole('button', { name: 'Use main' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => piece(4).getByRole('textbox').inputValue()).toBe('our four')
    // A second tab that decides something else takes nothing of it away.
    const other = await grace.context.newPage()
    grace.watch(other)
    await other.goto(page.url())
    await other.getByRole('region', { name: '1 of 4' }).getByRole('button', { name: 'Use both' }).click()
    await other.getByText('as next has it, then main').first().waitFor()
    // It is kept when the hands have rested.
    await other.waitForTimeout(600)
    await other.close()
    await piece(4).getByRole('textbox').fill('our own four')
    await page.waitForTimeout(600)
    await page.reload()
    expect(await piece(2).getByRole('button', { name: 'Use main' }).getAttribute('aria-pressed')).toBe('true')
    await piece(4).getByRole('button', { name: 'Take this text' }).click()
    await page.getByText('The whole file as it will be').click()
    await grace.expectAccessible()
    await publish(grace)
    expect(await mainFile(grace, 'pieces', 'index.md')).toBe(
      steps('my one\nmain one', 'main two', 'my three\nmain three', 'our own four'),
    )
    grace.expectNoProblems()
  })

  it('is listed in turn where it is more than a list holds: what is settled makes room', async () => {
    const paths = Array.from({ length: 201 }, (_, index) => `page-${String(index).padStart(3, '0')}.md`)
    const each = (text: string): Files => Object.fromEntries(paths.map((path) => [path, text]))
    const kay = await inConflict(dashboard, 'many', size, {
      base: { 'index.md': 'Home', ...each('one\n') },
      main: { 'index.md': 'Home', ...each('main one\n') },
      branch: each('my one\n'),
    })
    const files = kay.page.getByRole('navigation', { name: 'Files in conflict' })
    await files.getByText('and 1 more').waitFor()
    expect(await files.getByRole('button', { name: 'page-200.md' }).count()).toBe(0)
    await kay.page.getByRole('article').getByRole('button', { name: 'Use the file of main' }).click()
    await files.getByRole('button', { name: 'page-200.md' }).waitFor()
    expect(await files.getByRole('button').count()).toBe(200)
    kay.expectNoProblems()
  })

  it('is found where a page was moved by one side and changed by both', async () => {
    const text = (line: string) => `# Install\n\n${line}\n\nThen begin.\n\nThere is more to read.\n`
    const joan = await inConflict(dashboard, 'moved', size, {
      base: { 'index.md': 'Home', 'install.md': text('Use npm.') },
      main: { 'index.md': 'Home', 'install.md': text('Use yarn.') },
      branch: { 'install.md': null, 'guides/setup.md': text('Use pnpm.') },
    })
    const { page } = joan
    const setup = page.getByRole('article', { name: 'guides/setup.md' })
    await setup.getByText('Use yarn.').first().waitFor()
    await joan.expectAccessible()
    await setup.getByRole('button', { name: 'Use both' }).click()
    await publish(joan)
    expect(await mainFile(joan, 'moved', 'guides/setup.md')).toBe(text('Use pnpm.\nUse yarn.'))
    await expect(mainFile(joan, 'moved', 'install.md')).rejects.toMatchObject({ code: 'not_found' })
    joan.expectNoProblems()
  })

  it('is a page that each side gave another name', async () => {
    const text = '# Install\n\nUse npm.\n\nThen begin.\n\nThere is more to read.\n'
    const lin = await inConflict(dashboard, 'renamed', size, {
      base: { 'index.md': 'Home', 'install.md': text },
      main: { 'index.md': 'Home', 'begin.md': text },
      branch: { 'install.md': null, 'setup.md': text },
    })
    const { page } = lin
    const begin = page.getByRole('article', { name: 'begin.md' })
    await begin.getByText('Both renamed the file, each in its own way. It was install.md before.').waitFor()
    await lin.expectAccessible()
    await begin.getByRole('button', { name: 'Delete it, as next did' }).click()
    await page.getByRole('button', { name: 'Next file' }).click()
    await page.getByRole('article', { name: 'setup.md' }).getByRole('button', { name: 'Use the file of next' }).click()
    await publish(lin)
    expect(await mainFile(lin, 'renamed', 'setup.md')).toBe(text)
    await expect(mainFile(lin, 'renamed', 'begin.md')).rejects.toMatchObject({ code: 'not_found' })
    lin.expectNoProblems()
  })

  it('is chosen as a whole where it is too large to be joined here', async () => {
    const large = (word: string) => `${word} ${'0123456789abcde\n'.repeat(50_000)}`
    const kim = await inConflict(dashboard, 'large', size, {
      base: { 'index.md': 'Home', 'data.json': large('old') },
      main: { 'index.md': 'Home', 'data.json': large('main') },
      branch: { 'data.json': large('mine') },
    })
    const { page } = kim
    const data = page.getByRole('article', { name: 'data.json' })
    await data.getByText('It is too large to be shown here.').first().waitFor()
    await kim.expectAccessible()
    await data.getByRole('link', { name: 'What next changed in it' }).click()
    await page.getByRole('article', { name: 'data.json' }).getByText('mine').waitFor()
    await page.goBack()
    await data.getByRole('button', { name: 'Use the file of next' }).click()
    await publish(kim)
    expect(await mainFile(kim, 'large', 'data.json')).toBe(large('mine'))
    kim.expectNoProblems()
  })

  it('is told when main takes its side back meanwhile: nothing goes live that was not looked at', async () => {
    const zoe = await inConflict(dashboard, 'taken-back', size, {
      base: { 'index.md': 'one\n' },
      main: { 'index.md': 'main one\n' },
      branch: { 'index.md': 'my one\n' },
    })
    const { page } = zoe
    await page.getByRole('button', { name: 'Use the file of main' }).click()
    await page.getByRole('heading', { name: 'All is settled' }).waitFor()
    await deploy(zoe, 'taken-back', { 'index.md': 'one\n' })
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('What you decided is not used').waitFor()
    await page.getByText('You decided: use the file of main.').waitFor()
    expect(await mainFile(zoe, 'taken-back', 'index.md')).toBe('one\n')
    await zoe.expectAccessible()
    await page.reload()
    await page.getByText('What you decided is not used').waitFor()
    await publish(zoe)
    expect(await mainFile(zoe, 'taken-back', 'index.md')).toBe('my one\n')
    zoe.expectNoProblems()
  })

  it('is kept while somebody else publishes the branch: what was written by hand can be copied', async () => {
    const eve = await inConflict(dashboard, 'taken', size, {
      base: { 'index.md': 'one\n' },
      main: { 'index.md': 'main one\n' },
      branch: { 'index.md': 'my one\n' },
    })
    const { page } = eve
    await page.getByRole('button', { name: 'Edit by hand' }).click()
    await page.getByRole('textbox', { name: 'Your text for 1 of 1' }).fill('A sentence of mine.')
    await page.getByRole('button', { name: 'Take this text' }).click()
    const theirs = await eve.client.call(contract.branches.publish, {
      params: { slug: 'taken' },
      body: { branchId: eve.branch, resolutions: [{ path: 'index.md', use: 'branch' }] },
    })
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('heading', { name: 'There is no such branch any more' }).waitFor()
    await page.getByText('A sentence of mine.').waitFor()
    await eve.open(`/dashboard/taken/branches/${eve.branch}/publish?deploy=${theirs.id}`)
    await page.getByRole('heading', { name: 'next is live' }).waitFor()
    await eve.open(`/dashboard/taken/branches/${eve.branch}/publish`)
    await page.getByRole('button', { name: 'Copy your text of index.md' }).waitFor()
    await eve.expectAccessible()
    eve.expectNoProblems()
  })
})
