import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { sharedInWorker } from './worker.ts'

/**
 * Debian's: the one without a window takes less than half of the processor time. Tests that need one are skipped where
 * both are absent, and fail there in CI.
 */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? ''
export const hasBrowser = executablePath !== ''

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** A browser of its own, which asks nobody but the test's servers. @param more Arguments of the command. */
export function launchBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...args, ...more] })
}

/** One for all tests of the worker: each has contexts of its own, and nobody closes it. */
export const sharedBrowser = sharedInWorker(
  () => launchBrowser(),
  (browser) => browser.close(),
)

/** As `launchBrowser`, with what it keeps in a folder: another one goes on with that. */
export function launchProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, { executablePath, args, reducedMotion: 'reduce' })
}

/**
 * Told of errors that scripts of a page did not catch. Not of what the browser says of itself: it gives up a transition
 * between two pages where a loaded machine shows the second one late, and reports that as one, although no script has
 * asked for a transition.
 */
export function onPageError(page: Page, tell: (error: Error) => void): void {
  page.on('pageerror', (error) => {
    if (!error.message.includes('Transition was aborted because of invalid state')) tell(error)
  })
}
