/**
 * `npm run soak`: kills the service again and again while branches are written, pushed and published, and counts what
 * was lost. Prints one table; the exit code is 1 when anything is off. Takes about ten minutes.
 *
 *   --kills 200       how often
 *   --seconds 1-3     of life between a start and its kill
 *   --deadline 1800   seconds after which nobody is killed any more
 *   --seed 1          of what is left to chance
 *   --writers 12 --pushers 4 --publishers 2
 */
import { parseArgs } from 'node:util'
import { machine } from '#scripts/tools/bench/machine.ts'
import { storm, type StormReport } from './storm.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '1-3' },
    deadline: { type: 'string', default: '1800' },
    seed: { type: 'string', default: '1' },
    writers: { type: 'string', default: '12' },
    pushers: { type: 'string', default: '4' },
    publishers: { type: 'string', default: '2' },
  },
})

function wholeNumber(name: keyof typeof values): number {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a whole number; it is ${values[name]}`)
}

function lifeOf(text: string): [from: number, to: number] {
  const [, from, to] = /^(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?$/.exec(text) ?? []
  if (from === undefined) throw new Error(`--seconds must be like 2 or 1-3; it is ${text}`)
  return [Number(from), Number(to ?? from)]
}

const shownProblems = 40

function print({ figures, problems }: StormReport): void {
  const width = Math.max(...figures.map(([label]) => label.length))
  const cells = figures.map(([, value]) => (typeof value === 'number' ? value.toLocaleString('en') : value))
  const right = Math.max(...cells.map((cell) => cell.length))
  for (const [index, [label]] of figures.entries())
    console.log(`${label.padEnd(width)}  ${(cells[index] ?? '').padStart(right)}`)
  if (problems.length === 0) return console.log('\nNothing was lost.')
  console.log(`\n${problems.length} problems:`)
  for (const problem of problems.slice(0, shownProblems)) console.log(`- ${problem}`)
}

console.log(machine())
const result = await storm({
  kills: wholeNumber('kills'),
  seconds: lifeOf(values.seconds),
  deadline: wholeNumber('deadline'),
  seed: wholeNumber('seed'),
  writers: wholeNumber('writers'),
  pushers: wholeNumber('pushers'),
  publishers: wholeNumber('publishers'),
  onProgress: (line) => console.error(line),
})
print(result)
process.exitCode = result.problems.length > 0 ? 1 : 0
