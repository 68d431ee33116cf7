import { Failure, exitCodes } from '../../../src/contract/failure.ts'
import type { OperatorAccount } from '../../../src/contract/operator.ts'
import type { Plan } from '../../../src/contract/projects.ts'
import type { Output } from '../../output.ts'
import { withAdministration, type AdminOptions } from './administration.ts'

/** More than this on standard input is no password. */
const maxPassword = 4096

interface PasswordOptions extends AdminOptions {
  readonly passwordStdin?: boolean
}

function row({ email, plan, createdAt, hasPassword, issuers }: OperatorAccount, width: number): string {
  const ways = [...(hasPassword ? ['password'] : []), ...issuers].join(', ')
  return [email.padEnd(width), plan.padEnd(4), createdAt.slice(0, 10), ways].join('  ').trimEnd()
}

/** `quire admin accounts list`. */
export async function listAccounts(options: AdminOptions, output: Output): Promise<number> {
  const items = await withAdministration(options, (administration) => administration.accounts())
  const width = Math.max(...items.map(({ email }) => email.length), 0)
  output.result(
    { items },
    items.length === 0 ? 'There are no accounts.' : items.map((account) => row(account, width)).join('\n'),
  )
  return exitCodes.ok
}

/** `quire admin accounts create <email>`. */
export async function createAccount(email: string, options: PasswordOptions, output: Output): Promise<number> {
  const given = await passwordOf(options)
  const { account, password } = await withAdministration(options, (administration) =>
    administration.createAccount(email, given),
  )
  // Who sent a password knows it.
  const shown = given === undefined ? { account, password } : { account }
  output.result(shown, [`Created ${account.email}.`, ...passwordLines(given, password)].join('\n'))
  return exitCodes.ok
}

/** `quire admin accounts reset-password <email>`. */
export async function resetPassword(email: string, options: PasswordOptions, output: Output): Promise<number> {
  const given = await passwordOf(options)
  const password = await withAdministration(options, (administration) => administration.resetPassword(email, given))
  output.result(
    given === undefined ? { email, password } : { email },
    [`${email} has a new password; all sessions have ended.`, ...passwordLines(given, password)].join('\n'),
  )
  return exitCodes.ok
}

/** `quire admin plan <email> <plan>`. */
export async function setPlan(email: string, plan: string, options: AdminOptions, output: Output): Promise<number> {
  const wanted = plan.toLowerCase()
  if (wanted !== 'free' && wanted !== 'pro')
    throw new Failure('invalid_request', `There is no plan ${JSON.stringify(plan)}.`, { hint: 'Say free or pro.' })
  const account = await withAdministration(options, (administration) =>
    administration.setPlan(email, wanted satisfies Plan),
  )
  output.result({ account }, `${account.email} has the plan ${account.plan}.`)
  return exitCodes.ok
}

function passwordLines(given: string | undefined, password: string): string[] {
  return given === undefined ? [`Password: ${password}`, 'It is shown only here.'] : []
}

/** One line of standard input, when that is asked for. */
async function passwordOf({ passwordStdin }: PasswordOptions): Promise<string | undefined> {
  if (passwordStdin !== true) return undefined
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin as AsyncIterable<string>) {
    text += chunk
    if (text.length > maxPassword) break
  }
  const password = text.replace(/\r?\n$/, '')
  if (password !== '' && password.length <= maxPassword && !/[\r\n]/.test(password)) return password
  throw new Failure('invalid_request', 'Standard input does not hold a password.', {
    hint: 'Send one line, or leave --password-stdin out for a random password.',
  })
}
