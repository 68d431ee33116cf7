// `npm run check`: everything that is checked without running the program. All checks run; the exit code is 1 if any failed.
import { spawnSync } from 'node:child_process'

/** @type {[name: string, command: string, args: string[]][]} */
const steps = [
  ['types and lint', 'oxlint', ['--type-aware', '--type-check']],
  ['format', 'oxfmt', ['--check', '.']],
  ['imports', 'depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src', 'cli']],
  ['dead code', 'knip', []],
]

const run = (command, args) =>
  spawnSync('npx', ['--no-install', command, ...args], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 64 * 1024 * 1024,
  })

/** A tool that looked at nothing also finds nothing: the import check says how many modules it saw. */
const cruisedEnough = (output) => Number(/\((\d+) modules/.exec(output)?.[1] ?? 0) > 80

let failed = 0
for (const [name, command, args] of steps) {
  const { status, stdout, stderr } = run(command, args)
  const output = `${stdout}${stderr}`
  const ok = status === 0 && (name !== 'imports' || cruisedEnough(output))
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}`)
  if (!ok) {
    console.log(output)
    failed++
  }
}
console.log(`${steps.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
