import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from '#test/support/browser.ts'
import { shownSizes } from '#test/support/dashboard.ts'
import { Desks, state, textOf, turnTo, typeAtEnd } from '#test/support/desk.ts'

let desks: Desks

beforeAll(async () => {
  if (hasBrowser) desks = await Desks.start()
})
afterAll(async () => {
  if (hasBrowser) await desks.close()
})

/** One pixel. */
const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(!hasBrowser).each(shownSizes)('the editor on a %s', (size) => {
  it('finds a page, keeps what is typed, and saves it to the branch', async () => {
    const desk = await desks.with({ 'index.mdx': '# Home\n', 'guides/start.mdx': '# Start\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('')
    if (size === 'desktop') await page.getByRole('heading', { name: 'Choose a file to write in' }).waitFor()
    await page.getByRole('button', { name: 'guides', exact: true }).waitFor()
    await person.expectAccessible()
    await page.getByRole('searchbox', { name: 'Find a file' }).fill('start')
    await page.getByRole('link', { name: 'guides/start.mdx' }).click()
    await textOf(person, 'guides/start.mdx').waitFor()
    await state(person, /^Saved$/).waitFor()
    await person.expectAccessible()

    // Some of its letters are shortcuts on other pages.
    await typeAtEnd(person, 'guides/start.mdx', 'Which settings? Those going by.')
    await state(person, 'Draft kept in this browser').waitFor()
    await page.reload()
    await page.getByText('Which settings? Those going by.').waitFor()
    expect(await desk.saved('guides/start.mdx')).toBe('# Start\n')

    await textOf(person, 'guides/start.mdx').click()
    await page.keyboard.press('Control+s')
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('guides/start.mdx')).toBe('# Start\nWhich settings? Those going by.')
    await page.goBack()
    await page.waitForURL('**/edit/')
    person.expectNoProblems()
  })

  it('shows the page beside the text as it is typed, and what is wrong with it at its place', async () => {
    const desk = await desks.with({ 'index.mdx': '# Home\n\nOld words.\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    const preview = page.frameLocator('iframe[title="Preview of index.mdx"]')
    await turnTo(person, size, 'Preview')
    await preview.getByText('Old words.').waitFor()
    await person.expectAccessible()
    await turnTo(person, size, 'Write')
    await typeAtEnd(person, 'index.mdx', 'New **words**.\n')
    await turnTo(person, size, 'Preview')
    await preview.getByText('New words.').waitFor()
    await turnTo(person, size, 'Write')

    await typeAtEnd(person, 'index.mdx', '\n<Note\n')
    const problem = page.getByRole('list', { name: 'Problems' }).getByRole('button')
    await problem.waitFor()
    await person.expectAccessible()
    await problem.click()
    if (size === 'desktop') await preview.getByText('New words.').waitFor()
    person.expectNoProblems()
  })

  inDepth('completes components with their properties, links with their anchors, and front matter', async () => {
    const desk = await desks.with({ 'index.mdx': '', 'guides/start.mdx': '# Start\n\n## First steps\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    const text = textOf(person, 'index.mdx')
    await text.click()
    await page.keyboard.type('<Card')
    const option = (name: string | RegExp) => page.getByRole('option', { name }).first()
    await option(/^Card/).waitFor()
    await person.expectAccessible()
    await page.keyboard.press('Enter')
    await expect.poll(() => text.innerText()).toContain('</Card>')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('A [a](/gui')
    await option('/guides/start').click()
    await page.keyboard.type('#')
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+Space')
        // A list that is just looked up anew takes no click; people click again.
        await option('#first-steps')
          .click({ timeout: 1000 })
          .catch(() => undefined)
        return text.innerText()
      })
      .toContain('/guides/start#first-steps')
    person.expectNoProblems()
  })

  inDepth('makes words bold, italic and links by keyboard, and goes on with lists', async () => {
    const desk = await desks.with({ 'index.mdx': '' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').click()
    await page.keyboard.press('Control+b')
    await page.keyboard.type('bold')
    for (let times = 0; times < 2; times++) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.keyboard.type('1. one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('word')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('/there')
    await page.keyboard.press('Control+s')
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('**bold**\n1. one\n2. two\n[word](/there)')
    person.expectNoProblems()
  })

  inDepth('puts an image that is pasted, chosen or dropped on the branch and into the text', async () => {
    const desk = await desks.with({ 'index.mdx': 'Before\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', '')
    await textOf(person, 'index.mdx').evaluate((element, base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([bytes], 'My shot.png', { type: 'image/png' }))
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
      )
    }, image.toString('base64'))
    await expect.poll(() => textOf(person, 'index.mdx').innerText()).toContain('![my shot](/images/my-shot.png)')

    // What takes the image back takes back what was written of it, too.
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(() => textOf(person, 'index.mdx').innerText()).not.toContain('my-shot.png')
    await page.getByLabel('Images to add').setInputFiles({ name: 'Chosen.png', mimeType: 'image/png', buffer: image })
    await expect.poll(() => textOf(person, 'index.mdx').innerText()).toContain('![chosen](/images/chosen.png)')

    // At the line that it is dropped on, wherever the cursor is.
    await textOf(person, 'index.mdx').evaluate((element, base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([bytes], 'Dropped.png', { type: 'image/png' }))
      const line = element.querySelector('.cm-line')
      if (line === null) throw new Error('there is no text')
      const { left, top, height } = line.getBoundingClientRect()
      const at = { clientX: left + 1, clientY: top + height / 2 }
      line.dispatchEvent(
        new DragEvent('drop', { ...at, dataTransfer, bubbles: true, cancelable: true, composed: true }),
      )
    }, image.toString('base64'))
    await expect
      .poll(() => textOf(person, 'index.mdx').innerText())
      .toMatch(/!\[dropped\]\(\/images\/dropped\.png\)\s*Before/)

    await turnTo(person, size, 'Files')
    await page.getByRole('button', { name: 'images', exact: true }).click()
    await page.getByRole('link', { name: 'chosen.png' }).click()
    await page.getByRole('img', { name: 'images/chosen.png' }).waitFor()
    await person.expectAccessible()
    person.expectNoProblems()
  })

  inDepth(
    'puts an image that arrives when its file is closed into that file, and takes it back from there',
    async () => {
      const desk = await desks.with({ 'index.mdx': 'Before\n', 'other.mdx': 'Other\n' }, size)
      const { person } = desk
      const { page } = person
      let goOn: () => void = () => undefined
      const held = new Promise<void>((resolve) => (goOn = resolve))
      await page.route('**/files/images/late.png', async (route) => {
        await held
        await route.continue()
      })
      await desk.open('index.mdx')
      await typeAtEnd(person, 'index.mdx', 'Typed. ')
      await page.getByLabel('Images to add').setInputFiles({ name: 'Late.png', mimeType: 'image/png', buffer: image })
      await textOf(person, 'index.mdx').getByText('Uploading Late.png').waitFor()
      const turnToFile = async (path: string): Promise<void> => {
        await turnTo(person, size, 'Files')
        await page.getByRole('link', { name: path }).click()
        await textOf(person, path).waitFor()
      }
      await turnToFile('other.mdx')
      goOn()
      const told = page.getByRole('region', { name: 'Notifications' })
      await told.getByText('images/late.png is on the branch.').waitFor()
      expect(await textOf(person, 'other.mdx').innerText()).not.toContain('late.png')
      await turnToFile('index.mdx')
      await textOf(person, 'index.mdx').getByText('Typed. ![late](/images/late.png)').waitFor()

      // What is written and saved since stays.
      await typeAtEnd(person, 'index.mdx', ' And after.')
      await page.keyboard.press('Control+s')
      await state(person, /^Saved$/).waitFor()
      await told.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(() => textOf(person, 'index.mdx').innerText()).not.toContain('late.png')
      await expect.poll(() => textOf(person, 'index.mdx').innerText()).toMatch(/Before\s+Typed\.\s+And after\./)
      await page.keyboard.press('Control+s')
      await expect.poll(() => desk.saved('index.mdx')).toBe('Before\nTyped.  And after.')
      expect(await desk.saved('other.mdx')).toBe('Other\n')
      person.expectNoProblems()
    },
  )
})
