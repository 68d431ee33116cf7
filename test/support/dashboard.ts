import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, TestRunner } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { Overrides } from '#wire.ts'
import { FakeTexts } from './changelog/support.ts'
import { violationsOf } from './accessibility.ts'
import { launchBrowser } from './browser.ts'
import { isDeep } from './depth.ts'
import { FakeBuilder } from './fake-builder.ts'
import { startTestService, type TestService } from './service.ts'

export const password = 'correct horse battery'

/** Widths of a phone and of a desktop. */
export const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const
export type Size = keyof typeof sizes

/** The deep run shows each flow in every size, and has axe judge each step in both themes. */
export const shownSizes: readonly Size[] = isDeep ? ['phone', 'desktop'] : ['desktop']

/** What makes a page wider than its window, if it is. */
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] : ['as a whole', ...[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth)
  .map((element) => element.outerHTML.slice(0, 120))]`

/** Somebody with a browser of their own, who is signed in. */
export class Person {
  readonly email: string
  /** What they could do without a browser. */
  readonly client: Client
  readonly context: BrowserContext
  readonly page: Page
  readonly #url: string
  /** What the pages wrote as errors to the console, exceptions among it. */
  readonly problems: string[] = []

  constructor(email: string, client: Client, context: BrowserContext, page: Page, url: string) {
    this.email = email
    this.client = client
    this.context = context
    this.page = page
    this.#url = url
    this.watch(page)
  }

  /** Notes the errors of another tab, too. */
  watch(page: Page): void {
    page.on('console', (message) => {
      // What the service refuses a browser writes by itself; the page tells it in words of its own.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.problems.push(message.text())
    })
    page.on('pageerror', (error) => this.problems.push(error.stack ?? error.message))
  }

  /** @param path of the dashboard, such as `/dashboard/docs` */
  async open(path: string): Promise<void> {
    await this.page.goto(this.#url + path)
  }

  /**
   * The page is no wider than its window and breaks no rule of axe.
   *
   * @param themes with axe: by default both in the deep run and none else, since every-page.test.ts has each page judged
   */
  async expectAccessible(
    page: Page = this.page,
    themes: readonly ('light' | 'dark')[] = isDeep ? ['light', 'dark'] : [],
  ): Promise<void> {
    // Until what it is about is loaded, there is nothing to judge.
    await page.locator('h1').first().waitFor({ state: 'attached' })
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
      const found = await violationsOf(page)
      expect(found, `${page.url()} in ${colorScheme}`).toEqual([])
    }
    expect(await this.tooWide(page), `${page.url()} is wider than its window`).toEqual([])
  }

  /** What makes the page wider than its window; nothing where it fits. */
  tooWide(page: Page = this.page): Promise<string[]> {
    return page.evaluate(tooWide)
  }

  expectNoProblems(): void {
    expect(this.problems).toEqual([])
  }
}

/** A service with a browser in front of it: another one for a test that is tried again. */
export class DashboardTest {
  readonly #startService: () => Promise<TestService>
  readonly #services: TestService[]
  readonly browser: Browser
  #retry: string | undefined

  private constructor(startService: () => Promise<TestService>, service: TestService, browser: Browser) {
    this.#startService = startService
    this.#services = [service]
    this.browser = browser
  }

  /** @param overrides without a builder, sites are made by one that only copies: quick */
  static start(environment: Record<string, string> = {}, overrides: Overrides = {}): Promise<DashboardTest> {
    const quick = { builder: new FakeBuilder(), texts: new FakeTexts(), ...overrides }
    return DashboardTest.#open(() => startTestService(environment, quick))
  }

  /** As above, where sites are made as they are for everybody. */
  static startRendering(): Promise<DashboardTest> {
    return DashboardTest.#open(() => startTestService())
  }

  static async #open(startService: () => Promise<TestService>): Promise<DashboardTest> {
    return new DashboardTest(startService, await startService(), await launchBrowser())
  }

  get service(): TestService {
    return this.#services.at(-1) as TestService
  }

  /** Origin of the dashboard. */
  get url(): string {
    return `http://localhost:${this.service.port}`
  }

  async close(): Promise<void> {
    await this.browser.close()
    for (const service of this.#services) await service.close()
  }

  /** What the first try made has the names that the next one gives. */
  async #beginAgain(): Promise<void> {
    const test = TestRunner.getCurrentTest()
    const tries = test?.result?.retryCount ?? 0
    const retry = `${test?.id} ${tries}`
    if (tries === 0 || retry === this.#retry) return
    this.#retry = retry
    this.#services.push(await this.#startService())
  }

  /** Somebody who is not signed in. @param name before the @ of an address that has no account yet */
  async stranger(name: string, size: Size = 'desktop'): Promise<Person> {
    await this.#beginAgain()
    const context = await this.browser.newContext({
      viewport: sizes[size],
      hasTouch: size === 'phone',
      // What fades in has not yet its colours.
      reducedMotion: 'reduce',
    })
    const client = createClient({ baseUrl: this.url })
    return new Person(`${name}@example.com`, client, context, await context.newPage(), this.url)
  }

  /** A new account, signed in in a browser of its own. @param name before the @ of its address */
  async person(name: string, size: Size = 'desktop'): Promise<Person> {
    const { email, client, context, page } = await this.stranger(name, size)
    const { token } = await client.call(contract.accounts.signup, { body: { email, password } })
    await context.addCookies([
      { name: 'quire_session', value: token, domain: 'localhost', path: '/', httpOnly: true, sameSite: 'Lax' },
    ])
    return new Person(email, createClient({ baseUrl: this.url, token }), context, page, this.url)
  }
}
