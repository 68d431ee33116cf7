import type { Command } from 'commander'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { ShareLink } from '../../src/contract/visibility.ts'
import { expiryHelp, expiryOf } from '../expiry.ts'
import { addExamples, addRemarks } from '../help.ts'
import { printable, type Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject, type OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { confirmed } from '../terminal.ts'

interface Options {
  readonly url: string
}

export function defineShare(share: Command): void {
  addExamples(share, [
    ['share create Reviewers --expires 30d', 'prints the link, once'],
    ['share revoke Reviewers', 'ends it at once'],
  ])

  share
    .command('list', { isDefault: true })
    .description('list the share links of a private site')
    .action(() => run((output, url) => listLinks({ url }, output)))

  const create = share
    .command('create')
    .description('create a link to a private site; prints it, once')
    .argument('<name>', 'for whom it is')
    .option('--expires <when>', expiryHelp)
    .action((name: string, options: { expires?: string }) =>
      run((output, url) => createLink(name, { ...options, url }, output)),
    )
  addRemarks(create, 'Whoever has the link sees the site. Standard output is the link alone, so that it can be piped.')

  share
    .command('revoke')
    .description('revoke a link; who came in by it is out at once')
    .argument('<link>', 'its id or name')
    .option('--yes', 'do not ask')
    .action((link: string, options: { yes?: boolean }) =>
      run((output, url) => revokeLink(link, { ...options, url }, output)),
    )
}

async function linksOf({ client, slug, policy }: OpenProject): Promise<readonly ShareLink[]> {
  return (await withRetry(() => client.call(contract.visibility.read, { params: { slug } }), policy)).links
}

/** `quire share`. */
async function listLinks({ url }: Options, output: Output): Promise<number> {
  const project = await openProject(url, output)
  const items = await linksOf(project)
  output.result({ items }, items.length === 0 ? `${project.slug} has no share links.` : items.map(lineOf).join('\n'))
  return exitCodes.ok
}

function lineOf({ id, name, createdAt, expiresAt }: ShareLink): string {
  const until = expiresAt === undefined ? '' : `, until ${expiresAt.slice(0, 10)}`
  return `${id}  of ${createdAt.slice(0, 10)}${until}  ${printable(name)}`
}

/** `quire share create <name>`. Not tried again: the answer is the only one with the link. */
async function createLink(
  name: string,
  { url, expires }: Options & { readonly expires?: string },
  output: Output,
): Promise<number> {
  const body = { name, ...(expires === undefined ? {} : { expiresAt: expiryOf(expires) }) }
  const { client, slug } = await openProject(url, output)
  const created = await client.call(contract.visibility.createLink, { params: { slug }, body })
  const until = created.expiresAt === undefined ? '' : ` until ${created.expiresAt.slice(0, 10)}`
  output.note(output.paint('dim', `${created.id}: whoever has it sees ${slug}${until}; it is shown this once`))
  output.result(created, created.url)
  return exitCodes.ok
}

/** Ids go before names. @throws Failure not_found; invalid_request where several have the name */
async function findLink(project: OpenProject, wanted: string): Promise<ShareLink> {
  const items = await linksOf(project)
  const found = items.filter(({ id }) => id === wanted)
  const [link, second] = found.length === 0 ? items.filter(({ name }) => name === wanted) : found
  if (link === undefined)
    throw new Failure('not_found', `${project.slug} has no share link ${wanted}.`, { hint: 'quire share lists them.' })
  if (second === undefined) return link
  throw new Failure('invalid_request', `Several share links of ${project.slug} are called ${wanted}.`, {
    hint: `Name one by its id: quire share lists them, such as ${link.id}.`,
  })
}

/** `quire share revoke <link>`. */
async function revokeLink(
  wanted: string,
  options: Options & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const { id, name } = await findLink(project, wanted)
  if (!(await confirmed(`Revoking the share link ${printable(name)}`, options, output))) {
    output.note(`${printable(name)} stays.`)
    return exitCodes.failed
  }
  await withRetry(() => client.call(contract.visibility.revokeLink, { params: { slug }, query: { id } }), policy)
  output.result({ revoked: id }, `revoked ${printable(name)}`)
  return exitCodes.ok
}
