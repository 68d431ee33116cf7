import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { ProjectUsage, UsageMeter } from '../../src/contract/usage.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { confirmed } from '../terminal.ts'

export function defineLeave(command: Command): void {
  command
    .option('--yes', 'do not ask')
    .action((options: { yes?: boolean }) => run((output, url) => leave({ ...options, url }, output)))
}

/** `quire leave`: a writer goes; only the owner could bring them back. */
async function leave(
  { url, ...options }: { readonly url: string; readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const { client, credential, project, slug, policy } = await openProject(url, output)
  if (credential.kind === 'key') {
    throw new Failure('forbidden', 'An API key has no part in a project that it could leave.', {
      hint: 'Unset SERVICE_API_KEY to leave as the account of quire login.',
    })
  }
  if (project.role === 'owner') {
    throw new Failure('invalid_request', `You own ${slug}: an owner cannot leave.`, {
      hint: 'Give it to a writer first, in the dashboard, or delete it.',
    })
  }
  if (!(await confirmed(`Leaving ${slug}`, options, output))) {
    output.note(`You stay in ${slug}.`)
    return exitCodes.failed
  }
  const { account } = await withRetry(() => client.call(contract.accounts.me), policy)
  await withRetry(() => client.call(contract.members.remove, { params: { slug }, query: { id: account.id } }), policy)
  output.result({ project: slug, left: true }, `You left ${slug}.`)
  return exitCodes.ok
}

export function defineRename(command: Command): void {
  command
    .argument('<slug>', 'the new slug')
    .action((slug: string) => run((output, url) => rename(slug, { url }, output)))
}

/** `quire rename <slug>`. Not tried again: what was renamed is not there under its old slug. */
async function rename(wanted: string, { url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, slug } = await openProject(url, output)
  const project = await client.call(contract.projects.update, { params: { slug }, body: { slug: wanted } })
  output.note(output.paint('dim', `${slug} is ${project.slug} now; for a while its old addresses lead there`))
  output.result(project, project.url)
  return exitCodes.ok
}

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
  const { plan, period, generations, deploys, agentMessages, answers, models } = usage
  const month = wordsOf(new Date(period.start), { month: 'long', year: 'numeric' })
  const rows: Row[] = [
    { title: 'Generations', meter: generations, note: 'with branches and assistant' },
    { title: 'Deploys today', meter: deploys, note: `${deploys.inPeriod} in ${month}` },
    { title: 'Assistant', meter: agentMessages, note: 'counts among the generations' },
    ...(answers.used === 0 ? [] : [{ title: 'Answers', meter: answers, note: 'counts among the generations' }]),
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
  const read =
    models.inputTokens + models.outputTokens > 0 ? [`  ${'Models'.padEnd(width)}  ${modelsText(models)}`] : []
  return [head, '', ...lines, ...read].join('\n')
}

function modelsText({ inputTokens, outputTokens, costUsd }: ProjectUsage['models']): string {
  const tokens = `${inputTokens.toLocaleString('en')} tokens read, ${outputTokens.toLocaleString('en')} written`
  return costUsd === 0 ? tokens : `${tokens}, $${costUsd.toFixed(2)}`
}

function barOf({ limit, remaining }: UsageMeter, paint: Output['paint']): string {
  if (limit === null || remaining === null) return ''
  const taken = limit === 0 ? 1 : (limit - remaining) / limit
  const full = Math.round(taken * barCells)
  const color = taken >= 1 ? 'red' : taken >= 0.6 ? 'yellow' : 'green'
  return `${paint(color, '█'.repeat(full))}${paint('dim', '░'.repeat(barCells - full))}  `
}

/** The allowance is that of all of the owner’s projects. */
function countsOf({ used, ofProject, limit, remaining }: UsageMeter): string {
  const elsewhere = ofProject === used ? '' : `, ${ofProject} of them here`
  return limit === null || remaining === null
    ? `${used} used${elsewhere}, unlimited`
    : `${used} of ${limit} used${elsewhere}, ${remaining} left`
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
