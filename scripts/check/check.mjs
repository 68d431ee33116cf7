// `npm run check`: everything that is checked without running the program. The checks run side by side, each prints its
// result as it ends; the exit code is 1 if any failed.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'

/** The longest first. @type {[name: string, command: string, args: string[]][]} */
const steps = [
  ['types and lint', 'oxlint', ['--type-aware', '--type-check']],
  ['imports', 'depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src', 'cli']],
  ['dead code', 'knip', []],
  ['format', 'oxfmt', ['--check', '.']],
]

/** @returns whether the command succeeded, and what it printed */
const run = (command, args) =>
  new Promise((resolve) => {
    const options = { shell: process.platform === 'win32', maxBuffer: 64 * 1024 * 1024 }
    execFile('npx', ['--no-install', command, ...args], options, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}` }),
    )
  })

/** A tool that looked at nothing also finds nothing: the import check says how many modules it saw. */
const cruisedEnough = (output) => Number(/\((\d+) modules/.exec(output)?.[1] ?? 0) > 80

const atOnce = pLimit(availableParallelism())
const results = await Promise.all(
  steps.map(([name, command, args]) =>
    atOnce(async () => {
      const began = Date.now()
      const { ok: succeeded, output } = await run(command, args)
      const ok = succeeded && (name !== 'imports' || cruisedEnough(output))
      console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${Math.round((Date.now() - began) / 1000)} s)`)
      if (!ok) console.log(output)
      return ok
    }),
  ),
)
const failed = results.filter((ok) => !ok).length
console.log(`${steps.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
