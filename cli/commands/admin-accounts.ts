import type { Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { operator, type ListedAccount } from '../../src/contract/operator.ts'
import type { Plan } from '../../src/contract/projects.ts'
import { confirmed } from '../terminal.ts'
import type { Output } from '../output.ts'
import { passwordOf } from '../password-input.ts'
import { callOperator, type AdminOptions } from '../administration.ts'
import { runHere } from '../program.ts'

export function defineAccounts(admin: Command): void {
  const accounts = admin.command('accounts').description('the people of the service')

  accounts
    .command('list', { isDefault: true })
    .description('list all accounts with their projects')
    .action(() => runHere((output) => listAccounts(admin.opts<AdminOptions>(), output)))

  accounts
    .command('create')
    .description('create an account, also where signing up is closed; prints a random password')
    .argument('<email>', 'address of the account')
    .option('--password-stdin', 'take the password from standard input')
    .action((email: string, options: { passwordStdin?: boolean }) =>
      runHere((output) => createAccount(email, { ...options, ...admin.opts<AdminOptions>() }, output)),
    )

  accounts
    .command('reset-password')
    .description('give an account a new password and end its sessions; prints a random one')
    .argument('<email>', 'address of the account')
    .option('--password-stdin', 'take the password from standard input')
    .action((email: string, options: { passwordStdin?: boolean }) =>
      runHere((output) => resetPassword(email, { ...options, ...admin.opts<AdminOptions>() }, output)),
    )

  accounts
    .command('remove')
    .description('remove an account that owns no project, with its sessions and its part in projects of others')
    .argument('<email>', 'address of the account')
    .option('--yes', 'do not ask')
    .action((email: string, options: { yes?: boolean }) =>
      runHere((output) => removeAccount(email, { ...options, ...admin.opts<AdminOptions>() }, output)),
    )

  admin
    .command('transfer')
    .description('make an account the owner of a project, and its owner a writer')
    .argument('<slug>', 'the project')
    .argument('<email>', 'address of the account')
    .action((slug: string, email: string) =>
      runHere((output) => transferProject(slug, email, admin.opts<AdminOptions>(), output)),
    )

  admin
    .command('plan')
    .description('put an account, and so its projects, on a plan')
    .argument('<email>', 'address of the account')
    .argument('<plan>', 'free or pro')
    .action((email: string, plan: string) =>
      runHere((output) => setPlan(email, plan, admin.opts<AdminOptions>(), output)),
    )
}

interface PasswordOptions extends AdminOptions {
  readonly passwordStdin?: boolean
}

/** Slugs of projects in one line. */
const mostShown = 20

function rows({ email, plan, createdAt, hasPassword, issuers, ...its }: ListedAccount, width: number): string[] {
  const ways = [...(hasPassword ? ['password'] : []), ...issuers].join(', ')
  const row = [email.padEnd(width), plan.padEnd(4), createdAt.slice(0, 10), ways].join('  ').trimEnd()
  return [row, ...projectLine('owns', its.owns), ...projectLine('writes', its.writes)]
}

function projectLine(part: string, slugs: readonly string[]): string[] {
  if (slugs.length === 0) return []
  const more = slugs.length > mostShown ? ` and ${slugs.length - mostShown} more` : ''
  return [`  ${part} ${slugs.slice(0, mostShown).join(', ')}${more}`]
}

/** `quire admin accounts list`. */
async function listAccounts(options: AdminOptions, output: Output): Promise<number> {
  const { items } = await callOperator(options, (client) => client.call(operator.accounts.list))
  const width = Math.max(...items.map(({ email }) => email.length), 0)
  output.result(
    { items },
    items.length === 0 ? 'There are no accounts.' : items.flatMap((account) => rows(account, width)).join('\n'),
  )
  return exitCodes.ok
}

/** `quire admin accounts create <email>`. */
async function createAccount(email: string, options: PasswordOptions, output: Output): Promise<number> {
  const given = await passwordOf(options)
  const { account, password } = await callOperator(options, (client) =>
    client.call(operator.accounts.create, { body: bodyOf(email, given) }),
  )
  // Who sent a password knows it.
  const shown = given === undefined ? { account, password } : { account }
  output.result(shown, [`Created ${account.email}.`, ...passwordLines(given, password)].join('\n'))
  return exitCodes.ok
}

/** `quire admin accounts reset-password <email>`. */
async function resetPassword(email: string, options: PasswordOptions, output: Output): Promise<number> {
  const given = await passwordOf(options)
  const { password } = await callOperator(options, (client) =>
    client.call(operator.accounts.resetPassword, { body: bodyOf(email, given) }),
  )
  output.result(
    given === undefined ? { email, password } : { email },
    [`${email} has a new password; all sessions have ended.`, ...passwordLines(given, password)].join('\n'),
  )
  return exitCodes.ok
}

/** `quire admin plan <email> <plan>`. */
async function setPlan(email: string, plan: string, options: AdminOptions, output: Output): Promise<number> {
  const wanted = plan.toLowerCase()
  if (wanted !== 'free' && wanted !== 'pro')
    throw new Failure('invalid_request', `There is no plan ${JSON.stringify(plan)}.`, { hint: 'Say free or pro.' })
  const account = await callOperator(options, (client) =>
    client.call(operator.accounts.setPlan, { body: { email, plan: wanted satisfies Plan } }),
  )
  output.result({ account }, `${account.email} has the plan ${account.plan}.`)
  return exitCodes.ok
}

/** `quire admin accounts remove <email>`: a second one finds nothing to do. */
async function removeAccount(
  email: string,
  options: AdminOptions & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  if (!(await confirmed(`Removing the account ${email}`, options, output))) {
    output.note(`${email} stays.`)
    return exitCodes.failed
  }
  const removal = await callOperator(options, (client) => client.call(operator.accounts.remove, { query: { email } }))
  const { removed, left = [] } = removal
  const projects = left.length === 0 ? '' : ` It was a writer of ${left.join(', ')}.`
  output.result(
    removal,
    removed ? `Removed ${removal.email}.${projects}` : `There is no account ${email}: nothing to remove.`,
  )
  return exitCodes.ok
}

/** `quire admin transfer <slug> <email>`. */
async function transferProject(slug: string, email: string, options: AdminOptions, output: Output): Promise<number> {
  const owner = await callOperator(options, (client) =>
    client.call(operator.projects.transfer, { params: { slug }, body: { email } }),
  )
  output.result({ project: slug, owner }, `${owner.email} owns ${slug} now; who did is a writer.`)
  return exitCodes.ok
}

function bodyOf(email: string, password: string | undefined): { email: string; password?: string } {
  return password === undefined ? { email } : { email, password }
}

function passwordLines(given: string | undefined, password: string): string[] {
  return given === undefined ? [`Password: ${password}`, 'It is shown only here.'] : []
}
