import type { Command } from 'commander'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Invitation, ReceivedInvitation } from '../../src/contract/invitations.ts'
import type { Member } from '../../src/contract/members.ts'
import { printable, type Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject, retryPolicy } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { withService } from '../service/service.ts'
import { confirmed } from '../terminal.ts'

interface Options {
  readonly url: string
}

export function defineMembers(members: Command): void {
  members
    .command('list', { isDefault: true })
    .description('list the members of the project, and who is invited')
    .action(() => run((output, url) => listMembers({ url }, output)))

  members
    .command('invite')
    .description('invite somebody as a writer; prints the link to give them, once')
    .argument('<email>', 'their email address')
    .option('--owner', 'to take the project over: you become a writer')
    .action((email: string, options: { owner?: boolean }) =>
      run((output, url) => invite(email, { ...options, url }, output)),
    )

  members
    .command('remove')
    .description('remove a writer from the project')
    .argument('<member>', 'their email address, or the id of their account')
    .option('--yes', 'do not ask')
    .action((member: string, options: { yes?: boolean }) =>
      run((output, url) => removeMember(member, { ...options, url }, output)),
    )

  members
    .command('revoke')
    .description('take an invitation back')
    .argument('<id>', 'id of the invitation')
    .action((id: string) => run((output, url) => revoke(id, { url }, output)))
}

/** `quire members`: invitations, too, where the credential may see them. */
async function listMembers({ url }: Options, output: Output): Promise<number> {
  const { client, slug, policy, project, credential } = await openProject(url, output)
  const params = { slug }
  const { items } = await withRetry(() => client.call(contract.members.list, { params }), policy)
  const administers = credential.kind === 'session' && project.role === 'owner'
  const invited = administers
    ? (await withRetry(() => client.call(contract.invitations.list, { params }), policy)).items
    : []
  output.result(
    { items, invitations: invited },
    [...items.map((member) => memberLine(member)), ...invited.map((each) => invitationLine(each))].join('\n'),
  )
  return exitCodes.ok
}

function memberLine({ role, email, name }: Member): string {
  return `${role.padEnd(8)}${email ?? name}`
}

function invitationLine({ id, email, role, expiresAt }: Invitation): string {
  return `invited ${email} as ${role} until ${expiresAt.slice(0, 10)}  ${id}`
}

/** `quire members invite <email>`. Not tried again: the answer is the only one with the link. */
async function invite(
  email: string,
  { url, owner }: Options & { readonly owner?: boolean },
  output: Output,
): Promise<number> {
  const { client, slug } = await openProject(url, output)
  const role = owner === true ? 'owner' : 'writer'
  const created = await client.call(contract.invitations.create, { params: { slug }, body: { email, role } })
  const how = created.mailed
    ? `This link was mailed to ${created.email}`
    : `Give this link to ${created.email}: no mail was sent`
  output.note(`${how}. It is shown once, and good until`)
  output.note(
    `${created.expiresAt.slice(0, 10)}; in a terminal: quire invitations accept ${created.id} ${created.code}`,
  )
  output.result(created, created.url)
  return exitCodes.ok
}

/** `quire members remove <member>`. */
async function removeMember(
  wanted: string,
  options: Options & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const params = { slug }
  const { items } = await withRetry(() => client.call(contract.members.list, { params }), policy)
  const member = items.find(({ id, email }) => id === wanted || email === wanted)
  if (member === undefined)
    throw new Failure('not_found', `${slug} has no member ${wanted}.`, { hint: 'quire members lists them.' })
  const name = member.email ?? member.name
  if (!(await confirmed(`Removing ${name} from ${slug}`, options, output))) {
    output.note(`${name} stays.`)
    return exitCodes.failed
  }
  await withRetry(() => client.call(contract.members.remove, { params, query: { id: member.id } }), policy)
  output.result({ removed: member.id, project: slug }, `removed ${name}`)
  return exitCodes.ok
}

/** `quire members revoke <id>`. */
async function revoke(id: string, { url }: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(url, output)
  await client.call(contract.invitations.revoke, { params: { slug }, query: { id } })
  output.result({ id, revoked: true }, `The invitation ${id} is taken back.`)
  return exitCodes.ok
}

export function defineInvitations(invitations: Command): void {
  invitations
    .command('list', { isDefault: true })
    .description('list the invitations to you')
    .action(() => run((output, url) => listReceived({ url }, output)))

  invitations
    .command('accept')
    .description('accept an invitation')
    .argument('<id>', 'id of the invitation')
    .argument('[code]', 'what the link ends in; not needed where somebody vouches for your address')
    .action((id: string, code: string | undefined) => run((output, url) => accept(id, code, { url }, output)))

  invitations
    .command('decline')
    .description('decline an invitation')
    .argument('<id>', 'id of the invitation')
    .action((id: string) => run((output, url) => decline(id, { url }, output)))
}

async function listReceived(options: Options, output: Output): Promise<number> {
  const { items } = await withService(options.url, output, (client) =>
    withRetry(() => client.call(contract.invitations.received), retryPolicy(output)),
  )
  output.result({ items }, items.length === 0 ? 'Nobody has invited you.' : items.map(receivedLine).join('\n'))
  return exitCodes.ok
}

function receivedLine({ id, project, title, role, expiresAt }: ReceivedInvitation): string {
  return `${id}  ${project} as ${role} until ${expiresAt.slice(0, 10)}  ${printable(title)}`
}

async function accept(id: string, code: string | undefined, options: Options, output: Output): Promise<number> {
  const joined = await withService(options.url, output, (client) =>
    client.call(contract.invitations.accept, { params: { id }, body: code === undefined ? {} : { code } }),
  )
  const what = joined.member.role === 'owner' ? 'the owner' : 'a writer'
  output.result(joined, `You are ${what} of ${joined.project} now.`)
  return exitCodes.ok
}

async function decline(id: string, options: Options, output: Output): Promise<number> {
  await withService(options.url, output, (client) => client.call(contract.invitations.decline, { params: { id } }))
  output.result({ id, declined: true }, `The invitation ${id} is declined.`)
  return exitCodes.ok
}
