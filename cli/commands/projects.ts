import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { ProjectUsage } from '../../src/contract/usage.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { confirmed } from '../terminal.ts'
import { renameLink } from './link.ts'
import { alarmOf, modelsText, planText, usageRows } from '../usage-words.ts'

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
  await renameLink(slug, project.slug, output)
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
