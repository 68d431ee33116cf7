/**
 * `npm run bench`: figures of this machine, as medians. Bounded: some minutes at most.
 * `npm run bench -- deploys`, `-- commands`, `-- serving`, `-- branches`, `-- webhooks`,
 * `-- changelog`, `-- tenants`, `-- generation`, `-- tui` or `-- dashboard` runs a part; `--repeat N` changes the number of runs.
 * Two run only when they are named. `-- growth`: sites of 500, 5,000 and 20,000 pages, five minutes; a number behind it
 * chooses one. `-- neighbours`: a minute and a half for each attack; the names of attacks behind it choose some.
 */
import { deployStages } from '#contract/deploys.ts'
import { benchBranches } from './branches.ts'
import { benchChangelog } from './changelog.ts'
import { benchCommands } from './commands.ts'
import { load500, variantsOf } from './corpus.ts'
import { benchDashboard } from './dashboard.ts'
import { benchDeploys, benchGrowth, format, type Row } from './deploys.ts'
import { benchGeneration, rowsOfGeneration } from './generation.ts'
import { machine } from './machine.ts'
import { attackNames, benchNeighbours, rowsOf } from './neighbours/neighbours.ts'
import { benchServing } from './serving.ts'
import { benchTenants } from './tenants.ts'
import { formatTiming } from './timing.ts'
import { benchTui, rowOfTui } from './tui/tui.ts'
import { benchWebhooks } from './webhooks.ts'

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n')
}

/** The table of what some deploys took. */
async function rowsOfDeploys(measure: (onRow: (row: Row) => void) => Promise<void>): Promise<string> {
  const rows = [['', 'runs', 'wall', 'worst', 'service', ...deployStages, 'server MB', 'children MB']]
  await measure((row) => {
    rows.push(format(row))
    console.error(`measured: ${row.name}`)
  })
  return table(rows)
}

const words = process.argv.slice(2)
const repeat = Number(words[words.indexOf('--repeat') + 1] ?? NaN)
const runs = words.includes('--repeat') && Number.isInteger(repeat) && repeat > 0 ? repeat : 5
const known = [
  'deploys',
  'commands',
  'serving',
  'branches',
  'webhooks',
  'changelog',
  'tenants',
  'generation',
  'tui',
  'dashboard',
  'growth',
  'neighbours',
] as const
const parts = known.filter((part) => words.includes(part))
const wants = (part: (typeof known)[number]): boolean =>
  parts.includes(part) || (parts.length === 0 && part !== 'growth' && part !== 'neighbours')

console.log(machine())
if (wants('deploys')) {
  const { name, pages } = await load500()
  console.log(`\nDeploys of ${name}: milliseconds, medians; memory: peak resident MB`)
  console.log(await rowsOfDeploys((onRow) => benchDeploys(pages, variantsOf(pages, 10), runs, onRow)))
}
if (wants('growth')) {
  const { name, pages } = await load500()
  const chosen = [1, 10, 40].filter((copies) => words.includes(String(copies * pages.size)))
  const sites = (chosen.length > 0 ? chosen : [1, 10, 40]).map((copies) => variantsOf(pages, copies))
  console.log(`\nDeploys of variants of ${name}: milliseconds, medians; memory: peak resident MB`)
  console.log(await rowsOfDeploys((onRow) => benchGrowth(sites, runs, onRow)))
}
if (wants('commands')) {
  const { pages } = await load500()
  console.log('\nThe command line, whole processes: milliseconds')
  const rows = (await benchCommands(pages, runs)).map(formatTiming)
  console.log(table([['', 'runs', 'median', 'p99', 'worst', ''], ...rows]))
}
if (wants('serving')) console.log(`\n${await benchServing()}`)
if (wants('branches')) {
  const { name, pages } = await load500()
  console.log(`\nBranches, on ten variants of ${name}: milliseconds`)
  const rows: string[][] = []
  await benchBranches(variantsOf(pages, 10), runs, (timing) => {
    rows.push(formatTiming(timing))
    console.error(`measured: ${timing.name}`)
  })
  console.log(table([['', 'runs', 'median', 'p99', 'worst', ''], ...rows]))
}
if (wants('webhooks')) {
  console.log('\nDeploys with webhooks: milliseconds')
  const rows: string[][] = []
  await benchWebhooks(runs, (timing) => rows.push(formatTiming(timing)))
  console.log(table([['', 'runs', 'median', 'p99', 'worst', ''], ...rows]))
}
if (wants('changelog')) {
  console.log('\nA changelog of 100,000 entries: milliseconds, then requests over 32 connections')
  const rows: string[][] = []
  const requests = await benchChangelog(100_000, runs, (timing) => rows.push(formatTiming(timing)))
  console.log(table([['', 'runs', 'median', 'p99', 'worst', ''], ...rows]))
  console.log(requests.join('\n'))
}
if (wants('tenants')) {
  const { deploys, deploysPerSecond, medianMs, worstMs, cpuMs, serverCpuMs } = await benchTenants(runs)
  console.log(`\n${deploys} deploys of 1 to 3 pages, each another project's than the one before, 4 clients:`)
  console.log(
    `${deploysPerSecond.toFixed(1)}/s, median ${medianMs.toFixed(0)} ms, worst ${worstMs.toFixed(0)} ms, ` +
      `${cpuMs.toFixed(0)} ms of processor time each, all processes, until they are idle again ` +
      `(${serverCpuMs.toFixed(0)} of it the server’s own)`,
  )
}
if (wants('generation')) {
  console.log('\nStreams of a model, 100 pieces each: milliseconds')
  console.log(table([['', 'runs', 'median', 'p99', 'worst', ''], ...rowsOfGeneration(await benchGeneration(runs))]))
}
if (wants('tui')) {
  console.log('\nThe terminal UI, from a key to the screen: milliseconds')
  const rows: string[][] = []
  await benchTui(runs, (figure) => {
    rows.push(rowOfTui(figure))
    console.error(`measured: ${rowOfTui(figure).join('  ')}`)
  })
  console.log(table([['', 'runs', 'median', 'p95', 'worst', 'aim'], ...rows]))
}
if (wants('dashboard')) {
  console.log('\nThe dashboard, in a browser: milliseconds')
  const rows: string[][] = []
  await benchDashboard(runs, (timing) => rows.push(formatTiming(timing)))
  console.log(table([['', 'runs', 'median', 'p99', 'worst', ''], ...rows]))
}
if (wants('neighbours')) {
  console.log('\nA neighbour alone, and beside an account that attacks: milliseconds')
  const chosen = attackNames.filter((name) => words.includes(name))
  await benchNeighbours(chosen.length > 0 ? chosen : attackNames, (figures) => {
    console.log(table([['', '', 'quiet', 'worst', 'attacked', 'worst', 'runs', ''], ...rowsOf(figures)]))
    const answers = [...figures.answers].map(([status, count]) => `${count} × ${status === 0 ? 'none' : status}`)
    console.log(`longest stall ${figures.stallMs} ms; the attacker was answered ${answers.join(', ') || 'nothing'}`)
    for (const refusal of new Set(figures.refusals)) console.log(`the neighbour was refused: ${refusal}`)
  })
}
