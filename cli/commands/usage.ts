import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { ProjectUsage, UsageMeter } from '../../src/contract/usage.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject } from '../project.ts'
import { withRetry } from '../retry.ts'

const barCells = 20

export function define(command: Command): void {
  command.action(() => run((output, url) => showUsage({ url }, output)))
}

/** Shows what is used of the project's plan. */
async function showUsage({ url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const usage = await withRetry(() => client.call(contract.usage.read, { params: { slug } }), policy)
  output.result(usage, usageText(usage, { slug, now: new Date() }, output))
  return exitCodes.ok
}

interface Row {
  readonly title: string
  readonly meter: UsageMeter
  /** What else is to be said of it. */
  readonly note?: string
}

/** The meters of a project's plan, for a terminal of any width from 80 columns. */
export function usageText(
  usage: ProjectUsage,
  about: { readonly slug: string; readonly now: Date },
  output: Pick<Output, 'paint'>,
): string {
  const paint: Output['paint'] = (style, text) => output.paint(style, text)
  const { plan, period, generations, deploys, agentMessages } = usage
  const month = wordsOf(new Date(period.start), { month: 'long', year: 'numeric' })
  const rows: Row[] = [
    { title: 'Generations', meter: generations, note: 'with branches and assistant' },
    { title: 'Deploys today', meter: deploys, note: `${deploys.inPeriod} in ${month}` },
    { title: 'Assistant', meter: agentMessages, note: 'counts among the generations' },
  ]
  const width = Math.max(...rows.map(({ title }) => title.length))
  const head = `${paint('bold', about.slug)}  ${plan === 'pro' ? 'Pro' : 'Free'} plan, ${month}`
  const lines = rows.flatMap(({ title, meter, note }) => {
    const counts = `  ${title.padEnd(width)}  ${barOf(meter, paint)}${countsOf(meter)}`
    const more = [note, meter.limit === null ? undefined : resetOf(meter, about.now)].filter(
      (part) => part !== undefined,
    )
    return [counts, `  ${' '.repeat(width)}  ${paint('dim', more.join('; '))}`]
  })
  return [head, '', ...lines].join('\n')
}

function barOf({ limit, remaining }: UsageMeter, paint: Output['paint']): string {
  if (limit === null || remaining === null) return ''
  const taken = limit === 0 ? 1 : (limit - remaining) / limit
  const full = Math.round(taken * barCells)
  const color = taken >= 1 ? 'red' : taken >= 0.6 ? 'yellow' : 'green'
  return `${paint(color, '█'.repeat(full))}${paint('dim', '░'.repeat(barCells - full))}  `
}

function countsOf({ used, limit, remaining }: UsageMeter): string {
  return limit === null || remaining === null
    ? `${used} used, unlimited`
    : `${used} of ${limit} used, ${remaining} left`
}

/** `starts anew tomorrow at 00:00 UTC, in 6 hours`. */
function resetOf({ resetsAt }: UsageMeter, now: Date): string {
  const at = new Date(resetsAt)
  const minutes = Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 60_000))
  if (minutes > 48 * 60) return `starts anew on ${wordsOf(at, { day: 'numeric', month: 'long' })}`
  const left = minutes > 90 ? `${Math.round(minutes / 60)} hours` : minutes === 1 ? 'a minute' : `${minutes} minutes`
  return `starts anew at 00:00 UTC, in ${left}`
}

function wordsOf(date: Date, format: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' }).format(date)
}
