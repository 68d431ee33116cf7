import { Argument, type Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { OnError, Project } from '../../src/contract/projects.ts'
import type { Output } from '../output.ts'
import { addExamples } from '../help.ts'
import { run } from '../program.ts'
import { firstItems, listProjects, openProject, retryPolicy } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { withService } from '../service/service.ts'
import { confirmed } from '../terminal.ts'
import { renameLink } from './link.ts'

const onErrorChoices: readonly OnError[] = ['refuse', 'keep-old-page']

interface Options {
  readonly url: string
}

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
      hint: `Give it away first, with quire members invite --owner, or delete it: quire projects delete ${slug}.`,
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
    .action((slug: string) => run((output, url) => renameOpen(slug, { url }, output)))
}

/** `quire rename <slug>`: the project that commands mean here. */
async function renameOpen(wanted: string, { url }: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(url, output)
  return rename(client, { slug, wanted }, output)
}

/** Not tried again: what was renamed is not there under its old slug. */
async function rename(
  client: Client,
  { slug, wanted }: { readonly slug: string; readonly wanted: string },
  output: Output,
): Promise<number> {
  const project = await client.call(contract.projects.update, { params: { slug }, body: { slug: wanted } })
  output.note(output.paint('dim', `${slug} is ${project.slug} now; for a while its old addresses lead there`))
  await renameLink(slug, project.slug, output)
  output.result(project, project.url)
  return exitCodes.ok
}

export function defineProjects(projects: Command): void {
  addExamples(projects, [
    ['projects', 'all of them'],
    ['projects create docs --title "Kettle"', 'a new one'],
    ['projects rename docs handbook', 'its site moves, too'],
    ['projects on-error docs keep-old-page', 'a broken page holds no other'],
    ['projects delete handbook', 'asks first'],
  ])

  projects
    .command('list', { isDefault: true })
    .description('list your projects, with what is live')
    .action(() => run((output, url) => list({ url }, output)))

  projects
    .command('create')
    .description('create a project; prints the address of its site')
    .argument('<slug>', 'its name in addresses: letters a to z, digits and hyphens')
    .option('--title <text>', 'its title (default: the slug)')
    .action((slug: string, options: { title?: string }) =>
      run((output, url) => create(slug, { ...options, url }, output)),
    )

  projects
    .command('rename')
    .description('give a project another slug, and its site another address')
    .argument('<project>', 'its slug')
    .argument('<slug>', 'the new one')
    .action((slug: string, wanted: string) =>
      run((output, url) => withService(url, output, (client) => rename(client, { slug, wanted }, output))),
    )

  projects
    .command('on-error')
    .description('choose what becomes of pages that cannot be compiled')
    .argument('<project>', 'its slug')
    .addArgument(
      new Argument(
        '<choice>',
        'refuse: nothing goes live; keep-old-page: the rest does, with the page as it was',
      ).choices(onErrorChoices),
    )
    .action((slug: string, choice: OnError) =>
      run((output, url) => withService(url, output, (client) => setOnError(client, { slug, choice }, output))),
    )

  projects
    .command('delete')
    .description('delete a project with its site, repository and keys')
    .argument('<project>', 'its slug')
    .option('--yes', 'do not ask')
    .action((slug: string, options: { yes?: boolean }) =>
      run((output, url) => remove(slug, { ...options, url }, output)),
    )
}

async function setOnError(
  client: Client,
  { slug, choice }: { readonly slug: string; readonly choice: OnError },
  output: Output,
): Promise<number> {
  const body = { onError: choice }
  const project = await withRetry(
    () => client.call(contract.projects.update, { params: { slug }, body }),
    retryPolicy(output),
  )
  const said =
    choice === 'refuse'
      ? 'A page that cannot be compiled keeps everything from going live.'
      : 'A page that cannot be compiled stays as it was; everything else goes live.'
  output.note(output.paint('dim', `${said} This holds from the next deploy on.`))
  output.result(project, choice)
  return exitCodes.ok
}

/** `quire projects`. */
async function list({ url }: Options, output: Output): Promise<number> {
  const items = await withService(url, output, (client) => withRetry(() => listProjects(client), retryPolicy(output)))
  const sorted = items.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
  const width = Math.max(0, ...sorted.map(({ slug }) => slug.length))
  const lines = sorted.map((project) => projectLine(project, width, output))
  output.result(
    { items: sorted },
    lines.length === 0 ? 'You have no project yet: quire projects create <slug> makes one.' : lines.join('\n'),
  )
  return exitCodes.ok
}

function projectLine({ slug, url, live, latest, role }: Project, width: number, output: Output): string {
  const day = live?.finishedAt?.slice(0, 10) ?? ''
  const state = latest?.status === 'failed' ? output.paint('red', 'failed') : live === undefined ? 'empty ' : 'live  '
  const whose = role === 'writer' ? '  (writer)' : ''
  return `${slug.padEnd(width)}  ${state}  ${day.padEnd(10)}  ${url}${whose}`
}

/** `quire projects create <slug>`. Not tried again: the second time it would be there. */
async function create(
  slug: string,
  { url, title }: Options & { readonly title?: string },
  output: Output,
): Promise<number> {
  const body = { slug, ...(title === undefined ? {} : { title }) }
  const project = await withService(url, output, (client) => client.call(contract.projects.create, { body }))
  output.note(output.paint('dim', `created ${project.slug}; deploy to it with: quire deploy --project ${project.slug}`))
  output.result(project, project.url)
  return exitCodes.ok
}

/** `quire projects delete <project>`: the one that is named, never the one of the folder. */
async function remove(slug: string, options: Options & { readonly yes?: boolean }, output: Output): Promise<number> {
  const policy = retryPolicy(output)
  return withService(options.url, output, async (client) => {
    const params = { slug }
    const project = await withRetry(() => client.call(contract.projects.read, { params }), policy)
    const branches = await firstItems((query) =>
      withRetry(() => client.call(contract.branches.list, { params, query }), policy),
    )
    const act = `Deleting ${slug} with its site ${project.url}, repository, keys and ${branches.length === 1 ? '1 branch' : `${branches.length} branches`}`
    if (!(await confirmed(act, { ...options, word: slug }, output))) {
      output.note(`${slug} stays.`)
      return exitCodes.failed
    }
    await client.call(contract.projects.remove, { params })
    output.result({ deleted: slug }, `deleted ${slug}`)
    return exitCodes.ok
  })
}
