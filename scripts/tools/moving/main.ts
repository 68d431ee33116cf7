/**
 * `npm run moving`: what sites of other frameworks lose when they move in.
 *
 *     npm run moving -- ~/redux-toolkit ~/vite/docs --lines 20 --json report.json
 *
 * Imports each folder as `quire import` does it, deploys the result to a service of its own, reads the original by code of
 * its own, and prints how many pages, notes, panels of tabs, pictures and entries of sidebars it has, how many of them
 * readers get, and what the import itself says that it left. `--to` keeps what was written. Ends with 1 where a page is
 * missing.
 */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { importSite } from '#cli/import/import.ts'
import { writeSite } from '#cli/import/write.ts'
import { deployFolder } from '#scripts/tools/crawl/site.ts'
import { startService } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'
import { compareSites, type Moved } from './compare.ts'
import { readOriginal } from './originals.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, lines: { type: 'string', default: '8' }, to: { type: 'string' } },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const list = (what: string, lines: readonly string[]): void => {
  for (const line of lines.slice(0, Number(values.lines))) say(`    ${what}: ${line.slice(0, 200)}`)
  if (lines.length > Number(values.lines)) say(`    and ${lines.length - Number(values.lines)} more`)
}

function print({ pages, kinds, pictures, sidebars }: Moved): void {
  say(`  pages      ${pages.wanted}, missing ${pages.missing.length}`)
  list('missing', pages.missing)
  for (const [name, { wanted, shown, fewer }] of Object.entries(kinds)) {
    say(`  ${name.padEnd(10)} ${wanted}, shown ${shown}, fewer on ${fewer.length} pages`)
    list('fewer', fewer)
  }
  say(`  pictures   ${pictures.wanted}, missing ${pictures.missing.length}`)
  list('missing', pictures.missing)
  say(`  sidebars   ${sidebars.wanted}, missing ${sidebars.missing.length}, out of order ${sidebars.moved.length}`)
  list('missing', sidebars.missing)
  list('out of order', sidebars.moved)
}

const directory = await mkdtemp(join(tmpdir(), 'quire-moving-'))
const service = await startService(join(directory, 'data'))
const reports: Record<string, unknown> = {}
let isWhole = true
try {
  for (const [index, folder] of positionals.entries()) {
    const since = Date.now()
    const imported = importSite(folder)
    const took = Date.now() - since
    const target = join(values.to ?? directory, `${basename(folder)}-${index}`)
    await writeSite(imported.files, { target, source: folder })
    say(`\n${folder}: ${imported.framework}, ${imported.counts.pages} pages in ${(took / 1000).toFixed(1)} s`)
    const site = await deployFolder(service, target, `moved-${index}`)
    const moved = await compareSites(readOriginal(folder, imported.framework), site)
    print(moved)
    const left = new Map<string, number>()
    for (const { kind, places = 1 } of imported.left) left.set(kind, (left.get(kind) ?? 0) + places)
    say(`  left       ${[...left].map(([kind, count]) => `${kind} ${count}`).join(', ')}`)
    reports[folder] = { ...moved, left: imported.left }
    isWhole &&= moved.pages.missing.length === 0
  }
} finally {
  await service.stop()
  await removeDirectory(directory)
}
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(reports, null, 2))
process.exitCode = isWhole ? 0 : 1
