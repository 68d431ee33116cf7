import { mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, launchProfile } from '#test/support/browser.ts'
import { shownSizes } from '#test/support/dashboard.ts'
import { Desks, state, textOf, turnTo, typeAtEnd } from '#test/support/desk.ts'

let desks: Desks

beforeAll(async () => {
  if (hasBrowser) desks = await Desks.start()
})
afterAll(async () => {
  if (hasBrowser) await desks.close()
})

/** Types at the end of the text, for which the database is not reached any more, and then at once: `leave`, a script. */
async function typeWithoutDatabase(page: Page, words: string, leave: string): Promise<void> {
  await textOf({ page }, 'index.mdx').click()
  await page.keyboard.press('Control+End')
  await page.evaluate(`new Promise((resolve) => {
    IDBDatabase.prototype.transaction = () => {
      throw new DOMException('The database is closed.', 'InvalidStateError')
    }
    document.execCommand('insertText', false, '${words}')
    setTimeout(() => {
      ${leave}
      resolve()
    })
  })`)
}

describe.skipIf(!hasBrowser).each(shownSizes)('a draft on a %s', (size) => {
  it('goes on without a connection, and keeps each word for when there is one', async () => {
    const desk = await desks.with({ 'index.mdx': 'Words\n' }, size)
    const { person } = desk
    const { page, context } = person
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').waitFor()
    await context.setOffline(true)
    await typeAtEnd(person, 'index.mdx', 'Offline')
    await state(person, 'Draft kept in this browser').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'This was not saved' }).waitFor()
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('Words\nOffline')
    person.expectNoProblems()
  })

  it('is the same in two tabs, which tell so, until one of them saves or discards it', async () => {
    const desk = await desks.with({ 'index.mdx': 'Words\n' }, size)
    const { person } = desk
    const other = { page: await person.context.newPage() }
    person.watch(other.page)
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').waitFor()
    await other.page.goto(person.page.url())
    await state(other, 'open in another tab of yours').waitFor()
    await state(person, 'open in another tab of yours').waitFor()
    await person.expectAccessible()

    await typeAtEnd(person, 'index.mdx', 'Of the first')
    await textOf(other, 'index.mdx').getByText('Of the first').waitFor()
    await typeAtEnd(other, 'index.mdx', ' and the second')
    await textOf(person, 'index.mdx').getByText('Of the first and the second').waitFor()
    await other.page.keyboard.press('Control+s')
    await state(other, /^Saved$/).waitFor()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('Words\nOf the first and the second')

    await typeAtEnd(person, 'index.mdx', ' for nothing')
    await textOf(other, 'index.mdx').getByText('for nothing').waitFor()
    await other.page.getByRole('button', { name: 'This file' }).click()
    await other.page.getByRole('menuitem', { name: 'Discard my changes' }).click()
    await state(person, 'You discarded these changes in another tab').waitFor()
    await expect.poll(() => textOf(person, 'index.mdx').innerText()).not.toContain('for nothing')
    await other.page.getByRole('button', { name: 'Undo' }).last().click()
    await textOf(person, 'index.mdx').getByText('for nothing').waitFor()
    person.expectNoProblems()
  })

  it('has the words of two tabs that did not hear of each other', async () => {
    const desk = await desks.with({ 'index.mdx': 'One\n\nTwo\n' }, size)
    const { person } = desk
    const deaf = { page: await person.context.newPage() }
    person.watch(deaf.page)
    await deaf.page.addInitScript(() => {
      BroadcastChannel.prototype.addEventListener = () => undefined
    })
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').waitFor()
    await deaf.page.goto(person.page.url())
    await textOf(deaf, 'index.mdx').waitFor()
    await typeAtEnd(person, 'index.mdx', 'Of the first')
    await state(person, 'Draft kept in this browser').waitFor()
    await typeAtEnd(deaf, 'index.mdx', 'Of the second')
    await state(deaf, 'You wrote in two tabs at the same time').waitFor()
    for (const tab of [person, deaf])
      await expect
        .poll(async () => (await textOf(tab, 'index.mdx').innerText()).replaceAll(/\s+/g, ' '))
        .toBe('One Two Of the second Of the first')
    await deaf.page.keyboard.press('Control+s')
    await state(deaf, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('One\n\nTwo\nOf the second\nOf the first')
    person.expectNoProblems()
  })

  it.each(['throws', 'fails', 'never answers'] as const)(
    'that the browser does not keep, whose database %s, is told to be nowhere else, and is saved',
    async (how) => {
      const desk = await desks.with({ 'index.mdx': 'Words\n', 'other.mdx': 'Other\n' }, size)
      const { person } = desk
      const { page } = person
      await page.addInitScript((way) => {
        IDBFactory.prototype.open = () => {
          if (way === 'throws') throw new DOMException('Not here.', 'SecurityError')
          const request = new EventTarget() as IDBOpenDBRequest
          if (way === 'fails') setTimeout(() => request.onerror?.(new Event('error')))
          return request
        }
      }, how)
      await desk.open('index.mdx')
      await typeAtEnd(person, 'index.mdx', 'Nowhere else')
      await page.getByText('This browser keeps no copy of what you type').waitFor()
      await state(person, 'Not kept').waitFor()
      await person.expectAccessible()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await state(person, /^Saved$/).waitFor()
      expect(await desk.saved('index.mdx')).toBe('Words\nNowhere else')
      await page.getByText('This browser keeps no copy of what you type').waitFor({ state: 'detached' })

      // Files are moved and deleted as anywhere.
      await turnTo(person, size, 'Files')
      await page.getByRole('button', { name: 'Actions for other.mdx' }).click()
      await page.getByRole('menuitem', { name: 'Rename or move' }).click()
      await page.getByRole('textbox', { name: 'File' }).fill('moved.mdx')
      await page.getByRole('button', { name: 'Move file' }).click()
      await page.getByRole('button', { name: 'Actions for moved.mdx' }).click()
      await page.getByRole('menuitem', { name: 'Delete file' }).click()
      await page.getByText('moved.mdx is deleted.').waitFor()
      person.expectNoProblems()
    },
  )

  it('has what was typed as the page went, also where the browser did not write it any more', async () => {
    const desk = await desks.with({ 'index.mdx': 'Words\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeWithoutDatabase(page, 'Last words', `dispatchEvent(new PageTransitionEvent('pagehide'))`)
    await page.goto('about:blank')
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').getByText('Last words').waitFor()
    await page.keyboard.press('Control+s')
    await state(person, /^Saved$/).waitFor()
    await desk.open('index.mdx')
    await textOf(person, 'index.mdx').getByText('Last words').waitFor()
    await state(person, /^Saved$/).waitFor()
    expect(await desk.saved('index.mdx')).toBe('Words\nLast words')
    expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('quire-draft '))`)).toEqual([])
    person.expectNoProblems()
  })

  it('does not come back after a save, also where the browser could not forget it', async () => {
    const desk = await desks.with({ 'index.mdx': 'Words\n' }, size)
    const { person } = desk
    const { page } = person
    await desk.open('index.mdx')
    await typeWithoutDatabase(page, 'First words', `document.dispatchEvent(new Event('visibilitychange'))`)
    await page.keyboard.press('Control+s')
    await state(person, /^Saved$/).waitFor()
    await page.keyboard.type(' and more')
    await page.keyboard.press('Control+s')
    await expect.poll(() => desk.saved('index.mdx')).toBe('Words\nFirst words and more')
    await page.reload()
    await textOf(person, 'index.mdx').getByText('First words and more').waitFor()
    await state(person, /^Saved$/).waitFor()
    person.expectNoProblems()
  })

  it('has what was typed up to the last second when the tab crashes', async () => {
    const desk = await desks.with({ 'index.mdx': '' }, size)
    const { person } = desk
    const { page, context } = person
    await desk.open('index.mdx')
    const session = await context.newCDPSession(page)
    const typed = await typeUntil(page, () => session.send('Page.crash'))
    const next = await context.newPage()
    await next.goto(page.url())
    await expectKept({ page: next }, typed)
    await page.close()
  })
})

describe.skipIf(!hasBrowser)('a browser that is killed', () => {
  it('has the draft with what was typed up to the last second when it begins again', async () => {
    const desk = await desks.with({ 'index.mdx': '' })
    const profile = mkdtempSync(join(tmpdir(), 'quire-profile-'))
    const cookies = await desk.person.context.cookies()
    await desk.open('index.mdx')
    const address = desk.person.page.url()
    try {
      const context = await launchProfile(profile)
      await context.addCookies(cookies)
      const page = await context.newPage()
      await page.goto(address)
      const typed = await typeUntil(page, async () => {
        // The link that keeps a second browser out of the profile names the process of the first.
        process.kill(Number(/\d+$/.exec(readlinkSync(join(profile, 'SingletonLock')))?.[0]), 'SIGKILL')
      })
      await context.close().catch(() => undefined)

      const after = await launchProfile(profile)
      await after.addCookies(cookies)
      const next = await after.newPage()
      await next.goto(address)
      await expectKept({ page: next }, typed)
      await after.close()
    } finally {
      // Its helpers may write for a moment yet.
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
    }
  })
})

/** Letters, each with when it was typed. */
type Typed = readonly { readonly letter: string; readonly at: number }[]

/** Types until enough is old enough to be kept, and goes on while it is ended. @returns what was typed until then */
async function typeUntil(page: Page, end: () => Promise<unknown>): Promise<Typed> {
  await textOf({ page }, 'index.mdx').click()
  const typed: { letter: string; at: number }[] = []
  const old = () => typed.filter(({ at }) => at <= Date.now() - 1_000).length
  for (let count = 0; count < 30 || old() <= 10; count++) {
    const letter = 'abcdefghijklmnopqrstuvwxyz'.charAt(count % 26)
    await page.keyboard.type(letter)
    typed.push({ letter, at: Date.now() })
  }
  // Whoever crashes does not answer.
  void end().catch(() => undefined)
  void page.keyboard.type('...').catch(() => undefined)
  await page.waitForEvent('crash', { timeout: 3_000 }).catch(() => undefined)
  return typed
}

/** All but what was typed in the last second is there. */
async function expectKept(tab: { readonly page: Page }, typed: Typed): Promise<void> {
  const last = typed.at(-1)?.at ?? 0
  const safe = typed.filter(({ at }) => at <= last - 1_000).map(({ letter }) => letter)
  expect(safe.length).toBeGreaterThan(10)
  await state(tab, 'Draft kept in this browser').waitFor()
  const kept = (await textOf(tab, 'index.mdx').innerText()).trim()
  expect(kept.startsWith(safe.join(''))).toBe(true)
}
