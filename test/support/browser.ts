import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** Debian's. Tests that need it are skipped where it is absent, and fail there in CI. */
const executablePath = '/usr/bin/chromium'
export const hasBrowser = existsSync(executablePath)

/** A browser of its own, which asks nobody but the test's servers. @param more Arguments of the command. */
export function launchBrowser(...more: readonly string[]): Promise<Browser> {
  const quiet = ['--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update']
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', ...quiet, '--disable-sync', '--no-first-run', ...more],
  })
}
