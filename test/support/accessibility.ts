import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const options = { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], iframes: false }

/** What axe says of rules that a page breaks. */
interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/**
 * The rules of axe that a page breaks as it is shown now, each in words with its elements.
 *
 * @param within a selector: what is looked at, else the whole page
 */
export async function violationsOf(page: Page, within = 'html'): Promise<string[]> {
  // The page’s policy lets no script in; what the debugger evaluates is not asked.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  // Observers of sizes have run when the second frame begins, which is late on a machine with much to do.
  await page.evaluate(
    'Promise.race([new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))), new Promise((done) => setTimeout(done, 2000))]).then(() => undefined)',
  )
  const result = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)}).then(({ violations }) => ({ violations }))`,
  )
  return result.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary ?? ''}`).join('\n')}`,
  )
}
