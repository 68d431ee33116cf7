import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, TestRunner } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { Overrides } from '#wire.ts'
import { FakeTexts } from './changelog/support.ts'
import { violationsOf } from './accessibility.ts'
import { sharedBrowser } from './browser.ts'
import { isDeep } from './depth.ts'
import { FakeDns } from './domains/support.ts'
import { FakeBuilder } from './fake-builder.ts'
import { startTestService, type TestService } from './service.ts'
import { sharedInWorker } from './worker.ts'

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

/** What tests of one page need and no other page minds: receivers on loopback, and looking at DNS as often as one likes. */
const settings = {
  WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  WEBHOOK_RETRY_SCHEDULE: '0,1',
  SLUG_RESERVED_DAYS: '45',
  RATE_DOMAINS: '1000',
}

/** How sites are made. */
type Kind = 'copying' | 'rendering'

/** A service with the browser of the worker in front of it: another service for a test that is tried again. */
export class DashboardTest {
  /** Makes the sites, unless a test has another one: it only copies, which is quick. */
  readonly builder = new FakeBuilder()
  readonly dns = new FakeDns()
  readonly #startService: () => Promise<TestService>
  readonly #services: TestService[] = []
  readonly browser: Browser
  readonly #contexts: BrowserContext[] = []
  #isShared = false
  #retry: string | undefined

  private constructor(
    browser: Browser,
    environment: Readonly<Record<string, string>>,
    overrides: Overrides | 'rendering',
  ) {
    this.browser = browser
    const made = overrides === 'rendering' ? {} : { builder: this.builder, texts: new FakeTexts(), ...overrides }
    this.#startService = () =>
      startTestService({ ...settings, ...environment }, { lookupTxt: this.dns.lookup, ...made })
  }

  static async start(
    environment: Record<string, string> = {},
    overrides: Overrides | 'rendering' = {},
  ): Promise<DashboardTest> {
    const dashboard = new DashboardTest(await sharedBrowser(), environment, overrides)
    dashboard.#services.push(await dashboard.#startService())
    return dashboard
  }

  static #start(kind: Kind): Promise<DashboardTest> {
    return DashboardTest.start({}, kind === 'rendering' ? kind : {})
  }

  static #inWorker(kind: Kind): () => Promise<DashboardTest> {
    return sharedInWorker(
      async () => {
        const dashboard = await DashboardTest.#start(kind)
        dashboard.#isShared = true
        return dashboard
      },
      (dashboard) => dashboard.#end(),
    )
  }

  static readonly #shared = {
    copying: DashboardTest.#inWorker('copying'),
    rendering: DashboardTest.#inWorker('rendering'),
  }

  /**
   * One for all files of a worker: no two of their tests may give people and projects the same names. In the deep run,
   * where files have more tests, each in more sizes, whoever asks gets one of their own.
   *
   * @param kind `rendering`: sites are made as they are for everybody
   */
  static shared(kind: Kind = 'copying'): Promise<DashboardTest> {
    return isDeep ? DashboardTest.#start(kind) : DashboardTest.#shared[kind]()
  }

  get service(): TestService {
    return this.#services.at(-1) as TestService
  }

  /** Origin of the dashboard. */
  get url(): string {
    return `http://localhost:${this.service.port}`
  }

  /** Ends it, unless other files use it, too. */
  async close(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close()
    if (!this.#isShared) await this.#end()
  }

  async #end(): Promise<void> {
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

  /** An account of somebody who looks at no page. @param name before the @ of its address */
  async account(name: string): Promise<Pick<Person, 'email' | 'client'>> {
    await this.#beginAgain()
    return this.#signUp(`${name}@example.com`)
  }

  async #signUp(email: string) {
    const { token } = await createClient({ baseUrl: this.url }).call(contract.accounts.signup, {
      body: { email, password },
    })
    return { email, token, client: createClient({ baseUrl: this.url, token }) }
  }

  /** Somebody who is not signed in, whose browser goes with the test. @param name before the @ of an address that has no account yet */
  async stranger(name: string, size: Size = 'desktop'): Promise<Person> {
    await this.#beginAgain()
    const context = await this.browser.newContext({
      viewport: sizes[size],
      hasTouch: size === 'phone',
      // What fades in has not yet its colours.
      reducedMotion: 'reduce',
    })
    if (TestRunner.getCurrentTest() === undefined) this.#contexts.push(context)
    else onTestFinished(() => context.close())
    const client = createClient({ baseUrl: this.url })
    return new Person(`${name}@example.com`, client, context, await context.newPage(), this.url)
  }

  /** A new account, signed in in a browser of its own. @param name before the @ of its address */
  async person(name: string, size: Size = 'desktop'): Promise<Person> {
    const { email, context, page } = await this.stranger(name, size)
    const { token, client } = await this.#signUp(email)
    await context.addCookies([
      { name: 'quire_session', value: token, domain: 'localhost', path: '/', httpOnly: true, sameSite: 'Lax' },
    ])
    return new Person(email, client, context, page, this.url)
  }
}
