import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { ProjectUsage } from '../../src/contract/usage.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { alarmOf, modelsText, planText, usageRows } from '../usage-words.ts'

const barCells = 20

export function defineUsage(command: Command): void {
  command.action(() => run((output, url) => showUsage({ url }, output)))
}

/** Shows what is used of the project's plan. */
async function showUsage({ url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const usage = await withRetry(() => client.call(contract.usage.read, { params: { slug } }), policy)
  output.result(usage, usageText(usage, { slug, now: new Date() }, output))
  return exitCodes.ok
}

/** The meters of a project's plan, for a terminal of any width from 80 columns. */
export function usageText(
  usage: ProjectUsage,
  about: { readonly slug: string; readonly now: Date },
  output: Pick<Output, 'paint'>,
): string {
  const paint: Output['paint'] = (style, text) => output.paint(style, text)
  const rows = usageRows(usage, about.now)
  const width = Math.max(...rows.map(({ title }) => title.length))
  const head = `${paint('bold', about.slug)}  ${planText(usage)}`
  const lines = rows.flatMap(({ title, counts, taken, note }) => [
    `  ${title.padEnd(width)}  ${taken === undefined ? '' : barOf(taken, paint)}${counts}`,
    `  ${' '.repeat(width)}  ${paint('dim', note)}`,
  ])
  const models = modelsText(usage.models)
  const read = models === undefined ? [] : [`  ${'Models'.padEnd(width)}  ${models}`]
  return [head, '', ...lines, ...read].join('\n')
}

const barColors = { none: 'green', soon: 'yellow', over: 'red' } as const

function barOf(taken: number, paint: Output['paint']): string {
  const full = Math.round(taken * barCells)
  return `${paint(barColors[alarmOf(taken)], '█'.repeat(full))}${paint('dim', '░'.repeat(barCells - full))}  `
}
