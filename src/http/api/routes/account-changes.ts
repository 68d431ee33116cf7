import type { EmailChanges, ChangedEmail } from '#access/email-changes.ts'
import type { ForgottenPasswords } from '#access/forgotten-passwords.ts'
import type { OwnRemoval } from '#access/own-removal.ts'
import { partsOf } from '#access/parts.ts'
import { linkMinutes } from '#contract/account-changes.ts'
import { contract } from '#contract/index.ts'
import type { Projects } from '#projects/projects.ts'
import type { SessionCookie } from '../../auth/session-cookie.ts'
import type { AuditNote } from '../audit.ts'
import type { Router } from '../route.ts'
import { accountOf } from './accounts.ts'

export interface AccountChangeServices {
  readonly forgottenPasswords: ForgottenPasswords
  readonly emailChanges: EmailChanges
  readonly ownRemoval: OwnRemoval
  readonly projects: Projects
}

/** What people change about their own accounts. */
export function accountChangeRoutes(
  router: Router,
  { forgottenPasswords, emailChanges, ownRemoval, projects }: AccountChangeServices,
  cookie: SessionCookie,
): void {
  /** For each project that the account has a part in: its members see the address. */
  const noteOf = async ({ account, before }: ChangedEmail): Promise<AuditNote> => {
    const { owned, written } = await partsOf(projects, account.id)
    const projectIds = [...owned, ...written].map(({ id }) => id)
    return { projectIds, by: account, target: account.email, detail: `was ${before}` }
  }

  router.route(contract.accounts.forgotPassword, async ({ body, request }) => {
    forgottenPasswords.request(body.email, request.ip)
    return { linkMinutes }
  })
  router.route(contract.accounts.resetPassword, async ({ body, request }) => {
    await forgottenPasswords.reset(body, request.ip)
    return undefined
  })
  router.route(contract.accounts.changeEmail, async (call) => {
    const account = accountOf(call)
    const changed = await emailChanges.request(account.id, call.body, call.request.ip)
    if (changed === null) return { account, pending: true }
    call.request.audit = await noteOf(changed)
    return { account: changed.account, pending: false }
  })
  router.route(contract.accounts.confirmEmail, async ({ body, request }) => {
    const changed = await emailChanges.confirm(body.token)
    request.audit = await noteOf(changed)
    return { email: changed.account.email }
  })
  router.route(contract.accounts.readRemoval, (call) => ownRemoval.read(accountOf(call).id))
  router.route(contract.accounts.remove, async (call) => {
    const { account, left } = await ownRemoval.remove(accountOf(call).id, call.body, call.request.ip)
    call.request.audit = { projectIds: left.map(({ id }) => id), target: account.email }
    cookie.clear(call.reply)
    return undefined
  })
}
