/**
 * `npm run descriptions`: what descriptions of APIs have, and pages lack.
 *
 *     npm run descriptions -- openapi.yaml other/openapi.json --json report.json
 *
 * Makes a site of each description by the real children, reads the description by code of its own, and prints how many
 * operations, parameters, fields, values, responses and examples it has, and which of them no page shows. A description
 * may be in several files: those below its folder, or it `--alone`; `--lines` says how many of each kind are printed. Ends with 1 where something is missing that no page says
 * is left out. OpenAPI 3 alone.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { openRenderPool } from '#site/render/pool.ts'
import { compareDescription, type Comparison, type Count } from './compare.ts'
import { filesOf } from './files.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    alone: { type: 'boolean', default: false },
    lines: { type: 'string', default: '10' },
  },
})

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const pool = await openRenderPool({ children: 2 })
const reports: Record<string, Comparison> = {}
let isWhole = true
try {
  for (const file of positionals) {
    const since = Date.now()
    const name = basename(file)
    const texts = values.alone ? { [name]: readFileSync(file, 'utf8') } : filesOf(dirname(file))
    const { said, took, pageBytes, ...counts } = await compareDescription(pool, name, texts)
    reports[file] = { ...counts, said, took, pageBytes }
    say(`\n${file}: ${((Date.now() - since) / 1000).toFixed(1)} s, of these ${(took / 1000).toFixed(1)} s of the build`)
    const bytes = pageBytes.reduce((sum, each) => sum + each, 0)
    say(
      `  pages ${pageBytes.length}, mean ${kilobytes(bytes / pageBytes.length)}, largest ${kilobytes(Math.max(...pageBytes))}`,
    )
    for (const message of said.slice(0, Number(values.lines))) say(`  says: ${message.slice(0, 300)}`)
    if (said.length > Number(values.lines)) say(`  and ${said.length - Number(values.lines)} more`)
    for (const [kind, { wanted, missing, cut }] of Object.entries<Count>(counts)) {
      say(
        `  ${kind.padEnd(10)} ${String(wanted).padStart(7)}, missing ${missing.length}, on pages that say so ${cut.length}`,
      )
      for (const line of missing.slice(0, Number(values.lines))) say(`    ${line.slice(0, 300)}`)
      if (missing.length > 0) isWhole = false
    }
  }
} finally {
  await pool.close()
}
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(reports, null, 2))
process.exitCode = isWhole ? 0 : 1
