import type { Command } from 'commander'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { operator, type DiskReport, type OperatorProject, type ProjectDisk } from '../../src/contract/operator.ts'
import { callOperator, withAdministration, type AdminOptions } from '../administration.ts'
import { bytesText, count, type Output } from '../output.ts'
import { runHere } from '../program.ts'
import { ask } from '../terminal.ts'

export function defineProjects(admin: Command): void {
  const projects = admin.command('projects').description('the projects of the service')
  const options = (): AdminOptions => admin.opts<AdminOptions>()

  projects
    .command('list', { isDefault: true })
    .description('list all projects: owner, plan, live deploy, disk use, state')
    .action(() => runHere((output) => listProjects(options(), output)))

  projects
    .command('suspend')
    .description('show a project to nobody but its members, and let nothing of it change')
    .argument('<slug>', 'the project')
    .option('--reason <text>', 'why, for its members')
    .action((slug: string, { reason }: { reason?: string }) =>
      runHere((output) => suspend({ slug, reason }, options(), output)),
    )

  projects
    .command('resume')
    .description('end the suspension of a project')
    .argument('<slug>', 'the project')
    .action((slug: string) => runHere((output) => resume(slug, options(), output)))

  projects
    .command('delete')
    .description('delete a project with its repository and site')
    .argument('<slug>', 'the project')
    .option('--yes', 'do not ask')
    .action((slug: string, { yes }: { yes?: boolean }) =>
      runHere((output) => remove({ slug, yes: yes === true }, options(), output)),
    )

  admin
    .command('disk')
    .description('what the disk gives for each project, the largest first')
    .action(() => runHere((output) => disk(options(), output)))
}

/** `quire admin projects`. */
async function listProjects(options: AdminOptions, output: Output): Promise<number> {
  const { items, report } = await withAdministration(options, async (administration) => {
    const list = await administration.call((client) => client.call(operator.projects.list))
    return { ...list, report: await administration.disk((at) => output.redraw(`measuring ${at}`)) }
  })
  const bytes = new Map(report.items.map(({ project, total }) => [project, total]))
  const shown = items.map((item) => ({ ...item, diskBytes: bytes.get(item.slug) ?? 0 }))
  const rows = shown.map(({ slug, owner, plan = '–', live, diskBytes, ...item }) => [
    slug,
    owner ?? 'nobody',
    plan,
    live === undefined ? 'never deployed' : `#${live.number} of ${live.createdAt.slice(0, 10)}`,
    bytesText(diskBytes),
    stateOf(item),
  ])
  const heads = ['Project', 'Owner', 'Plan', 'Live deploy', 'Disk', 'State']
  output.result({ items: shown }, rows.length === 0 ? 'There are no projects.' : table([heads, ...rows], [4]))
  return exitCodes.ok
}

function stateOf({ suspended, isDamaged }: Pick<OperatorProject, 'suspended' | 'isDamaged'>): string {
  if (isDamaged) return 'damaged: quire admin check'
  if (suspended === undefined) return 'active'
  const { since, reason } = suspended
  return `suspended since ${since.slice(0, 10)}${reason === undefined ? '' : `: ${reason}`}`
}

/** `quire admin projects suspend <slug>`: a second one changes the reason. */
async function suspend(
  { slug, reason }: { readonly slug: string; readonly reason: string | undefined },
  options: AdminOptions,
  output: Output,
): Promise<number> {
  const body = reason === undefined ? {} : { reason }
  const project = await callOperator(options, (client) =>
    client.call(operator.projects.suspend, { params: { slug }, body }),
  )
  output.result(
    { project },
    `${project.slug} is suspended: its site, previews, feeds and changelog are shown to nobody, nothing of it changes, and its webhooks rest. Its members read and clone it.\n` +
      `quire admin projects resume ${project.slug} ends that.`,
  )
  return exitCodes.ok
}

/** `quire admin projects resume <slug>`. */
async function resume(slug: string, options: AdminOptions, output: Output): Promise<number> {
  const project = await callOperator(options, (client) => client.call(operator.projects.resume, { params: { slug } }))
  output.result({ project }, `${project.slug} is active.`)
  return exitCodes.ok
}

/** `quire admin projects delete <slug>`. */
async function remove(
  { slug, yes }: { readonly slug: string; readonly yes: boolean },
  options: AdminOptions,
  output: Output,
): Promise<number> {
  if (!yes && !(await isTyped(slug, output))) {
    output.note(`${slug} stays.`)
    return exitCodes.failed
  }
  await callOperator(options, (client) => client.call(operator.projects.remove, { params: { slug } }))
  output.result({ project: slug, removed: true }, `Deleted ${slug}. Its slug is kept for its owner for a while.`)
  return exitCodes.ok
}

/** Whether the person types the slug of what is to go. Throws Failure `invalid_request` where nobody can. */
async function isTyped(slug: string, output: Output): Promise<boolean> {
  const act = `Deleting ${slug} with its repository, site and changelog`
  if (!output.environment.interactive)
    throw new Failure('invalid_request', `${act} cannot be undone.`, { hint: 'Add --yes to do it.' })
  return (await ask(`${act} cannot be undone. Type its slug to go on: `)) === slug
}

/** `quire admin disk`. */
async function disk(options: AdminOptions, output: Output): Promise<number> {
  const report = await withAdministration(options, (administration) =>
    administration.disk((at) => output.redraw(`measuring ${at}`)),
  )
  output.result({ ...report }, diskText(report))
  return exitCodes.ok
}

function diskText({ items, service, total, free, size }: DiskReport): string {
  const share = (bytes: number): string => `${total === 0 ? 0 : Math.round((bytes / total) * 100)} %`
  const row = ({ project, owner, ...use }: ProjectDisk): string[] => [
    project,
    owner ?? 'nobody',
    ...[use.repository, use.releases, use.records, use.documents, use.total].map(bytesText),
    share(use.total),
  ]
  const heads = ['Project', 'Owner', 'Repository', 'Releases', 'Records', 'Documents', 'Total', 'Share']
  const own = ['(service)', '', '', '', '', bytesText(service), bytesText(service), share(service)]
  return [
    table([heads, ...items.map(row), own], [2, 3, 4, 5, 6, 7]),
    `${count(items.length, 'project')}: ${bytesText(total)} in all. The disk has ${bytesText(free)} of ${bytesText(size)} free.`,
  ].join('\n')
}

/** Columns as wide as what is in them. @param right Numbers of those that end at the same place. */
function table(rows: readonly (readonly string[])[], right: readonly number[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cell = (text: string, column: number): string =>
    right.includes(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
