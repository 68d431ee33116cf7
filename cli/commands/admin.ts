import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import {
  operator,
  type CheckReport,
  type CollectedProject,
  type Finding,
  type RepairedProject,
} from '../../src/contract/operator.ts'
import { callOperator, failureOfBuilt, loadBuilt, withAdministration, type AdminOptions } from '../administration.ts'
import { addExamples } from '../help.ts'
import { bytesText, count, type Output } from '../output.ts'
import { runHere } from '../program.ts'
import { defineAccounts } from './admin-accounts.ts'
import { defineProjects } from './admin-projects.ts'

export function defineAdmin(admin: Command): void {
  addExamples(admin, [
    ['admin backup /mnt/backups/quire.tar.gz', 'while the service runs'],
    ['admin restore quire.tar.gz --into /srv/quire', 'into an empty directory'],
    ['admin check', 'is anything lost?'],
    ['admin disk', 'who uses the disk?'],
  ]).option('--data <dir>', 'the data directory (DATA_DIR)')

  defineAccounts(admin)
  defineProjects(admin)
  defineArchive(admin)

  admin
    .command('check')
    .description('look for anything that is lost or damaged; changes nothing')
    .action(() => runHere((output) => check(admin.opts<AdminOptions>(), output)))

  admin
    .command('repair')
    .description('build releases again from Git that cannot be read')
    .argument('[slug]', 'the project')
    .option('--all', 'all projects')
    .action((slug: string | undefined, { all }: { all?: boolean }) =>
      runHere((output) => repair({ slug, all: all === true }, admin.opts<AdminOptions>(), output)),
    )

  admin
    .command('restore-document')
    .description('put the version before the last one in the place of a document that cannot be read')
    .argument('<file>', 'name of its file, as check says it')
    .action((file: string) => runHere((output) => restoreDocument(file, admin.opts<AdminOptions>(), output)))

  admin
    .command('gc')
    .description('collect garbage now: unreachable objects, and releases that nobody can go back to')
    .argument('[slug]', 'one project (default: all)')
    .action((slug: string | undefined) => runHere((output) => collect(slug, admin.opts<AdminOptions>(), output)))
}

/** `quire admin check`: 1 when something is lost or damaged. */
async function check(options: AdminOptions, output: Output): Promise<number> {
  const report = await withAdministration(options, (administration) =>
    administration.check((at) => output.redraw(`checking ${at}`)),
  )
  output.result({ ok: report.problems.length === 0, ...report }, textOf(report, output))
  return report.problems.length === 0 ? exitCodes.ok : exitCodes.failed
}

function textOf({ problems, notes, checked }: CheckReport, output: Output): string {
  const { documents, projects, refs, releases, blobs, bytes } = checked
  const lines = problems.flatMap((finding) => linesOf(finding, output.paint('red', 'problem')))
  lines.push(...notes.flatMap((finding) => linesOf(finding, output.paint('yellow', 'note   '))))
  const what =
    `${count(documents, 'document')}, ${count(projects, 'project')}, ${count(refs, 'ref')}, ` +
    `${count(releases, 'release')}, ${count(blobs, 'published file')} (${bytesText(bytes)})`
  const verdict =
    problems.length === 0
      ? output.paint('green', 'Everything is as it should be')
      : output.paint('red', `${problems.length} ${problems.length === 1 ? 'thing is' : 'things are'} off`)
  return [...lines, `${verdict}: ${what}.`].join('\n')
}

function linesOf({ project, where, problem, next }: Finding, label: string): string[] {
  const place = project === undefined ? where : `${project}: ${where}`
  return [`${label}  ${place}: ${problem}`, `         ${next}`]
}

async function allSlugs(client: Client): Promise<string[]> {
  return (await client.call(operator.projects.list)).items.map(({ slug }) => slug)
}

/** A project that could not be collected. */
interface UncollectedProject {
  readonly project: string
  readonly problem: string
  readonly next?: string
}

/** `quire admin gc [slug]`: 1 when it failed in a project, after the others. */
async function collect(slug: string | undefined, options: AdminOptions, output: Output): Promise<number> {
  const items: CollectedProject[] = []
  const failed: UncollectedProject[] = []
  await callOperator(options, async (client) => {
    const slugs = slug === undefined ? await allSlugs(client) : [slug]
    for (const [index, project] of slugs.entries()) {
      output.redraw(`collecting ${project} (${index + 1} of ${slugs.length})`)
      try {
        items.push(await client.call(operator.projects.collect, { params: { slug: project } }))
      } catch (error) {
        const failure = failureOfBuilt(error)
        // Removed since the list was made.
        if (failure instanceof Failure && failure.code === 'not_found' && slug === undefined) continue
        if (!(failure instanceof Failure) || failure.code !== 'internal') throw error
        const next = failure.hint === undefined ? {} : { next: failure.hint }
        failed.push({ project, problem: failure.message, ...next })
      }
    }
  })
  const lines = failed.flatMap((one) => failureLines(one, output))
  output.result({ items, failed }, [...lines, ...freedText(items)].join('\n'))
  return failed.length === 0 ? exitCodes.ok : exitCodes.failed
}

function failureLines({ project, problem, next }: UncollectedProject, output: Output): string[] {
  const label = output.paint('red', 'failed')
  return [`${label}  ${project}: ${problem}`, ...(next === undefined ? [] : [`        ${next}`])]
}

/** `quire admin repair`: 1 when something could not be built again. */
async function repair(
  { slug, all }: { readonly slug: string | undefined; readonly all: boolean },
  options: AdminOptions,
  output: Output,
): Promise<number> {
  if ((slug === undefined) !== all)
    throw new Failure('invalid_request', 'Say which project, or --all.', { hint: 'quire admin repair docs' })
  const items: RepairedProject[] = []
  await callOperator(options, async (client) => {
    const slugs = slug === undefined ? await allSlugs(client) : [slug]
    for (const [index, project] of slugs.entries()) {
      output.redraw(`repairing ${project} (${index + 1} of ${slugs.length})`)
      items.push(await client.call(operator.projects.repair, { params: { slug: project } }))
    }
  })
  const failed = items.flatMap((item) => item.failed)
  output.result({ ok: failed.length === 0, items }, items.flatMap(repairLines).join('\n'))
  return failed.length === 0 ? exitCodes.ok : exitCodes.failed
}

function repairLines({ project, damagedFiles, rebuilt, previews, dropped, failed }: RepairedProject): string[] {
  const done = [
    ...(damagedFiles === 0 ? [] : [count(damagedFiles, 'damaged file')]),
    ...(rebuilt.length === 0 ? [] : [`${count(rebuilt.length, 'release')} built again`]),
    ...(previews === 0 ? [] : [`${count(previews, 'preview')} dropped, which the service builds again`]),
    ...(dropped === 0 ? [] : [`${count(dropped, 'release')} dropped, to which nobody goes back`]),
  ]
  return [
    `${project}: ${done.length === 0 && failed.length === 0 ? 'every release can be read' : done.join(', ')}`,
    ...failed.map(({ release, reason }) => `${project}: release ${release} was not built again: ${reason}`),
  ]
}

/** `quire admin restore-document <file>`. */
async function restoreDocument(file: string, options: AdminOptions, output: Output): Promise<number> {
  const restored = await callOperator(options, (client) => client.call(operator.documents.restore, { body: { file } }))
  const { lost } = restored
  const what =
    lost === null ? 'some of its last changes are' : lost === 1 ? 'its last change is' : `its last ${lost} changes are`
  output.result(
    restored,
    `${file} is the version before the last one now; ${what} lost. What was there is in ${file}.damaged.\n` +
      'Start the service again, and run quire admin check.',
  )
  return exitCodes.ok
}

function defineArchive(admin: Command): void {
  admin
    .command('backup')
    .description('write everything into one archive, while the service goes on')
    .argument('<file>', 'or - for standard output')
    .action((file: string) => runHere((output) => backup(file, admin.opts<AdminOptions>(), output)))

  admin
    .command('restore')
    .description('make a data directory of an archive')
    .argument('<file>', 'or - for standard input')
    .option('--into <dir>', 'an empty or absent directory (default: the data directory)')
    .action((file: string, options: { into?: string }) =>
      runHere((output) => restore(file, { ...options, ...admin.opts<AdminOptions>() }, output)),
    )
}

/** `quire admin backup <file>`. */
async function backup(file: string, options: AdminOptions, output: Output): Promise<number> {
  const summary = await withAdministration(options, (administration) =>
    untilInterrupted((signal) =>
      administration.backup(file, { onProgress: (at) => output.redraw(`backing up ${at}`), signal }),
    ),
  )
  const { projects, bytes, archiveBytes, removed } = summary
  const text =
    `Backed up ${count(projects, 'project')}: ${bytesText(bytes)} in an archive of ${bytesText(archiveBytes)}.` +
    (removed.length === 0 ? '' : `\nRemoved meanwhile, and not in it: ${removed.join(', ')}.`)
  // Standard output is the archive.
  if (file === '-') output.note(text)
  else output.result({ file, ...summary }, text)
  return exitCodes.ok
}

/** `quire admin restore <file>`. */
async function restore(
  file: string,
  options: AdminOptions & { readonly into?: string },
  output: Output,
): Promise<number> {
  const summary = await withAdministration(options, (administration) =>
    untilInterrupted((signal) =>
      administration.restore(file, options.into, { onProgress: (at) => output.redraw(`restoring ${at}`), signal }),
    ),
  )
  const { projects, bytes, createdAt, directory, missingKeys } = summary
  output.result(
    summary,
    `Restored ${count(projects, 'project')} (${bytesText(bytes)}) as of ${createdAt} into ${directory}.\n` +
      `Check it with quire admin check --data ${directory}, and start the service with DATA_DIR=${directory}.` +
      (missingKeys.length === 0
        ? ''
        : `\nStart it with the SECRET_KEY of the service that was backed up, too: signing secrets of webhooks are encrypted with it (${missingKeys.join(', ')}), and it is in no backup.`),
  )
  return exitCodes.ok
}

/** Ctrl-C ends the work in its own way, and then the program: no half archive and no half directory stays. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  process.removeAllListeners('SIGINT')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  try {
    return await work(stop.signal)
  } catch (error) {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted)
    throw error
  }
}

export function defineServe(command: Command): void {
  command.action(() => runHere(() => serve()))
}

/** `quire serve`: what `npm start` runs, which ends by itself: this process is the one that stays. */
async function serve(): Promise<number> {
  // The service ends in its own way: deploys come to their end first.
  process.removeAllListeners('SIGINT')
  await loadBuilt('server')
  return new Promise<number>(() => undefined)
}

/** What `quire admin gc` has freed, a line for each project that it changed. */
export function freedText(items: readonly CollectedProject[]): string[] {
  const total = items.reduce((sum, { repositoryBytes, releaseBytes }) => sum + repositoryBytes + releaseBytes, 0)
  return [...items.flatMap(lineOf), endOf(total)]
}

function lineOf({ project, repositoryBytes, releases, releaseBytes }: CollectedProject): string[] {
  const parts = [
    ...(repositoryBytes > 0 ? [`repository ${bytesText(repositoryBytes)}`] : []),
    ...(repositoryBytes < 0 ? [`repository ${bytesText(-repositoryBytes)} more`] : []),
    ...(releases > 0 || releaseBytes > 0 ? [`${count(releases, 'release')} ${bytesText(releaseBytes)}`] : []),
  ]
  return parts.length === 0 ? [] : [`${project}: ${parts.join(', ')}`]
}

function endOf(total: number): string {
  if (total > 0) return `Freed ${bytesText(total)}.`
  if (total === 0) return 'Freed nothing.'
  // Git writes an index for each pack, and a graph of the commits, which a small repository had no use for.
  return `Freed nothing: packed anew, with what finds objects in them faster, repositories take ${bytesText(-total)} more.`
}
