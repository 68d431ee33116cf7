/**
 * `npm run soak:webhooks`: kills the service again and again while deploys end and receivers misbehave, and counts what
 * was not told and what was told twice. Prints one table; the exit code is 1 when anything is off. Takes some minutes.
 *
 *   --events 1000     deploys that come to an end
 *   --kills 50        how often
 *   --seconds 0.5-2   of life between a start and its kill
 *   --seed 1          of what is left to chance
 */
import { parseArgs } from 'node:util'
import { machine } from '#scripts/tools/bench/machine.ts'
import { webhookStorm } from './webhook-storm.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '0.5-2' },
    seed: { type: 'string', default: '1' },
  },
})

function wholeNumber(name: 'events' | 'kills' | 'seed'): number {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a whole number; it is ${values[name]}`)
}

const [from = 0.5, to = from] = values.seconds.split('-').map(Number)
console.log(machine())
const { figures, problems } = await webhookStorm({
  events: wholeNumber('events'),
  kills: wholeNumber('kills'),
  seed: wholeNumber('seed'),
  seconds: [from, to],
  onProgress: (line) => console.error(line),
})
const width = Math.max(...figures.map(([label]) => label.length))
for (const [label, value] of figures)
  console.log(`${label.padEnd(width)}  ${typeof value === 'number' ? value.toLocaleString('en') : value}`)
for (const problem of problems.slice(0, 40)) console.log(`- ${problem}`)
console.log(problems.length === 0 ? '\nNothing was lost.' : `\n${problems.length} problems.`)
process.exitCode = problems.length > 0 ? 1 : 0
