/**
 * `npm run crawl`: what readers of real documentation meet.
 *
 *     npm run crawl -- turso-docs ~/docs --landings 10 --browser 20 --json report.json
 *
 * Deploys each folder, or archive of real documentation by its name, to a service of its own, opens every page and every
 * link over HTTP, and prints what does not answer beside what the deploy has told. `--browser` opens as many pages in a
 * browser, `--landings` as many addresses of headings on pages with pictures, over a slow line.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ErrorDetail } from '#contract/common.ts'
import { launchBrowser } from '#test/support/browser.ts'
import { startService } from '#test/support/service-process.ts'
import { unpackCorpus } from '#test/support/shared.ts'
import { removeDirectory } from '#test/support/temporary.ts'
import { allowed, land } from './landings.ts'
import { crawl } from './links.ts'
import { open } from './opening.ts'
import { deployFolder, pathsOf } from './site.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    browser: { type: 'string', default: '0' },
    landings: { type: 'string', default: '0' },
    json: { type: 'string' },
  },
})

const countsOf = (details: readonly ErrorDetail[]): Record<string, number> => {
  const counts = new Map<string, number>()
  for (const { rule = 'other' } of details) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other - one))
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const directory = await mkdtemp(join(tmpdir(), 'quire-crawl-'))
const service = await startService(join(directory, 'data'))
const browser = await launchBrowser()
const reports: Record<string, unknown> = {}
try {
  for (const [index, given] of positionals.entries()) {
    const folder = existsSync(given) ? given : await unpackCorpus(given, await mkdtemp(join(directory, 'docs-')))
    const name = basename(given)
    say(`\n${name}`)
    const site = await deployFolder(service, folder, `site-${index}`).catch((error: Error) => error)
    if (site instanceof Error) {
      say(`  does not build: ${site.message.slice(0, 2000)}`)
      reports[name] = { failed: site.message }
      continue
    }
    const { warnings, pages } = site.deploy
    const found = await crawl(site)
    const told = warnings.map(({ message }) => message)
    const isUntold = ({ href }: { readonly href: string }): boolean => {
      const path = decodeURIComponent(href.replace(/[ ?].*$/s, ''))
      return !told.some((message) => message.includes(path.split('#')[0] ?? path))
    }
    say(`  pages: ${pages.total} built, ${found.pages} answer; ${found.links} links`)
    say(`  warnings: ${JSON.stringify(countsOf(warnings))}`)
    const lists = {
      'dead links': found.dead.map(({ from, href, status }) => `${from} → ${href}: ${status}`),
      'dead anchors': found.deadAnchors.map(({ from, href }) => `${from} → ${href}`),
      'of those, untold by the deploy': [...found.dead, ...found.deadAnchors].filter(isUntold).map(({ href }) => href),
      'entries of navigation that are not served': found.unserved,
      'pictures whose size nobody knew': found.unsized,
    }
    for (const [what, list] of Object.entries(lists)) {
      say(`  ${what}: ${list.length}`)
      for (const line of list.slice(0, 10)) say(`    ${line}`)
    }
    const paths = await pathsOf(folder)
    const troubles = await open(browser, site, paths, Number(values.browser))
    if (values.browser !== '0')
      say(`  in a browser: ${troubles.length} troubles\n${troubles.map((one) => `    ${one}\n`).join('')}`)
    const landings = await land(browser, site, paths, Number(values.landings))
    if (values.landings !== '0') {
      say(`  landings: ${landings.length}, ${landings.filter(({ miss }) => Math.abs(miss) > allowed).length} missed`)
      for (const { href, miss, above } of landings) say(`    ${String(miss).padStart(6)} px  ${above} above  ${href}`)
    }
    reports[name] = { pages, warnings: countsOf(warnings), ...lists, troubles, landings }
  }
} finally {
  await browser.close()
  await service.stop()
  await removeDirectory(directory)
}
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(reports, null, 2))
