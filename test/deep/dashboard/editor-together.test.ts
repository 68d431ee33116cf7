import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from '#test/support/browser.ts'
import { shownSizes } from '#test/support/dashboard.ts'
import { Desks, state, textOf, typeAtEnd } from '#test/support/desk.ts'

let desks: Desks

beforeAll(async () => {
  if (hasBrowser) desks = await Desks.start()
})
afterAll(async () => {
  if (hasBrowser) await desks.close()
})

describe.skipIf(!hasBrowser).each(shownSizes)('writing together on a %s', (size) => {
  it('brings together what two people write in two browsers, and tells both', async () => {
    const desk = await desks.with({ 'index.mdx': 'One\n\nTwo\n\nThree\n' }, size)
    const { person: ada, slug, branch } = desk
    const grace = await desks.member(desk, `grace-${size}`, size)

    await desk.open('index.mdx')
    await grace.open(`/dashboard/${slug}/branches/${branch.id}/edit/index.mdx`)
    await typeAtEnd(ada, 'index.mdx', 'Of Ada')
    await textOf(grace, 'index.mdx').click()
    await grace.page.keyboard.press('Control+Home')
    await grace.page.keyboard.type('Of Grace. ')
    await grace.page.keyboard.press('Control+s')
    await state(grace, /^Saved$/).waitFor()

    await state(ada, /grace\S* saved this file meanwhile/).waitFor()
    await textOf(ada, 'index.mdx').getByText('Of Grace. One').waitFor()
    await ada.expectAccessible()
    // The cursor is where it was: behind the last word.
    await ada.page.keyboard.type(' and more')
    await ada.page.keyboard.press('Control+s')
    await state(ada, /^Saved$/).waitFor()
    const both = 'Of Grace. One\n\nTwo\n\nThree\nOf Ada and more'
    expect(await desk.saved('index.mdx')).toBe(both)
    await textOf(grace, 'index.mdx').getByText('Of Ada and more').waitFor()
    await state(grace, 'saved this file. You see their text').waitFor()
    await state(grace, /^Saved$/).waitFor()
    ada.expectNoProblems()
    grace.expectNoProblems()
  })

  it('asks in place where two people changed the same lines, and loses neither', async () => {
    const desk = await desks.with({ 'index.mdx': 'One\n\nTwo\n\nThree\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'Mine at the end')
    await state(person, 'Draft kept in this browser').waitFor()
    await desk.saveElsewhere('index.mdx', 'One\n\nTwo\n\nThree\nTheirs at the end\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const conflict = page.getByRole('region', { name: 'Conflict' })
    await conflict.getByText('Mine at the end').waitFor()
    await conflict.getByText('Theirs at the end').waitFor()
    await person.expectAccessible()
    // A tab that is closed now loses nothing either.
    await page.reload()
    await conflict.getByText('Mine at the end').waitFor()
    await conflict.getByRole('button', { name: 'Keep both' }).click()
    await conflict.getByRole('button', { name: 'Save the result' }).click()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('One\n\nTwo\n\nThree\nMine at the end\nTheirs at the end\n')
    person.expectNoProblems()
  })

  it('takes no letter of who types for a shortcut while lines are contested, and has the cursor again behind it', async () => {
    const desk = await desks.with({ 'index.mdx': 'One\n\nTwo\n' }, size)
    const { person } = desk
    const { page } = person
    // Where the keyboard is: the innermost element, through the tree of the editor.
    const focused = () =>
      page.evaluate(() => {
        let at = document.activeElement
        while (at?.shadowRoot?.activeElement != null) at = at.shadowRoot.activeElement
        return at === document.body ? 'nowhere' : (at?.getAttribute('aria-label') ?? at?.textContent ?? 'nowhere')
      })
    /** Letters that lead elsewhere, and open a dialog, where they are shortcuts. */
    const type = async (): Promise<void> => {
      const before = page.url()
      await page.keyboard.type('gd?gbc')
      expect(page.url()).toBe(before)
      expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0)
    }
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'Mine')
    await desk.saveElsewhere('index.mdx', 'One\n\nTwo\nTheirs\n')
    await state(person, 'changed lines that you changed').waitFor()
    // Nothing is taken from under the hands of who types.
    await page.keyboard.type(', typed on')
    await expect.poll(() => textOf(person, 'index.mdx').innerText()).toContain('Mine, typed on')
    await page.keyboard.press('Control+s')
    await page.getByRole('region', { name: 'Conflict' }).getByText('Mine, typed on').waitFor()
    expect(await focused()).toContain('changed the same lines')
    await type()

    const [hand, writing] = [
      page.getByRole('button', { name: 'Edit by hand' }),
      page.getByLabel('Your text for 1 of 1'),
    ]
    for (const end of ['Discard', 'Take this text']) {
      await hand.focus()
      await page.keyboard.press('Enter')
      await expect.poll(focused).toBe('Your text for 1 of 1')
      await type()
      expect(await writing.inputValue()).toContain('gd?gbc')
      await page.getByRole('button', { name: end }).focus()
      await page.keyboard.press('Enter')
      await writing.waitFor({ state: 'detached' })
      expect(await focused()).toBe('Edit by hand')
    }
    await page.getByRole('button', { name: 'Back to my text' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Text of index.mdx')
    await type()

    await page.keyboard.press('Control+s')
    await page.getByRole('region', { name: 'Conflict' }).waitFor()
    await expect.poll(focused).toContain('changed the same lines')
    await type()
    await page.getByRole('button', { name: 'Keep yours' }).click()
    await page.getByRole('button', { name: 'Save the result' }).focus()
    await page.keyboard.press('Enter')
    await state(person, /^Saved$/).waitFor()
    await expect.poll(focused).toBe('Text of index.mdx')
    await type()
    await expect.poll(() => textOf(person, 'index.mdx').innerText()).toMatch(/Mine, typed ongd\?gbc[^]*gd\?gbc/)
    person.expectNoProblems()
  })

  it('has what was decided and written of such lines when somebody saves once more, and after a reload', async () => {
    const desk = await desks.with({ 'index.mdx': 'One\n\nTwo\n\nThree\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'Mine at the end')
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Mine. ')
    await desk.saveElsewhere('index.mdx', 'Theirs. One\n\nTwo\n\nThree\nTheirs at the end\n')
    await page.keyboard.press('Control+s')
    const [first, last] = ['1 of 2', '2 of 2'].map((name) => page.getByRole('region', { name, exact: true }))
    const yours = first?.getByRole('button', { name: 'Keep yours', pressed: true })
    await first?.getByRole('button', { name: 'Keep yours' }).click()
    await last?.getByRole('button', { name: 'Edit by hand' }).click()
    const writing = page.getByRole('textbox', { name: 'Your text for 2 of 2' })
    await writing.fill('Half written')

    await desk.saveElsewhere('index.mdx', 'Theirs. One\n\nTwo, too\n\nThree\nTheirs at the end\n')
    await state(person, 'saved this file once more').waitFor()
    await page.keyboard.type(' by hand')
    expect(await writing.inputValue()).toBe('Half written by hand')
    await yours?.waitFor()
    await expect.poll(() => keptDrafts(page)).toContain('Half written by hand')
    await page.reload()
    await yours?.waitFor()
    expect(await writing.inputValue()).toBe('Half written by hand')

    await desk.saveElsewhere('index.mdx', 'Theirs. One\n\nTwo, too\n\nThree\nOthers at the end\n')
    await page.getByRole('group', { name: 'your text' }).getByText('Half written by hand').waitFor()
    await yours?.waitFor()
    await last?.getByText('to be decided').waitFor()
    await person.expectAccessible()
    await last?.getByRole('button', { name: 'Keep both' }).click()
    await page.getByRole('button', { name: 'Save the result' }).click()
    await state(person, /^Saved$/).waitFor()
    const result = 'Mine. One\n\nTwo, too\n\nThree\nMine at the end\nOthers at the end\n'
    expect(await desk.saved('index.mdx')).toBe(result)
    person.expectNoProblems()
  })

  it('shows what was written of such lines also when nobody disputes them any more', async () => {
    const desk = await desks.with({ 'index.mdx': 'One\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeAtEnd(person, 'index.mdx', 'Mine')
    await desk.saveElsewhere('index.mdx', 'One\nTheirs\n')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Edit by hand' }).click()
    await page.getByRole('textbox', { name: 'Your text for 1 of 1' }).fill('By hand')
    await desk.saveElsewhere('index.mdx', 'One\n')
    await page.getByRole('heading', { name: 'nothing is in conflict' }).waitFor()
    await page.getByRole('group', { name: 'your text' }).getByText('By hand').waitFor()
    await person.expectAccessible()
    await page.getByRole('button', { name: 'Save the result' }).click()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('One\nMine')
    person.expectNoProblems()
  })
})

/** What the browser keeps of drafts, as one text. */
function keptDrafts(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const opened = indexedDB.open('quire-drafts')
    await new Promise((resolve) => opened.addEventListener('success', resolve))
    const all = opened.result.transaction('drafts').objectStore('drafts').getAll()
    await new Promise((resolve) => all.addEventListener('success', resolve))
    opened.result.close()
    return JSON.stringify(all.result)
  })
}
