import { once } from 'node:events'
import type { Accounts } from '../../access/accounts.ts'
import type { AccountRemoval } from '../../access/account-removal.ts'
import type { Members } from '../../access/members.ts'
import type { Projects } from '../../access/projects.ts'
import { operator } from '../../contract/operator.ts'
import type { AuditNotes } from '../../operator/audit-notes.ts'
import type { Hold, OperatedProjects } from '../../operator/projects.ts'
import type { Router } from '../api/route.ts'

/** What an operator's endpoints work with. */
export interface OperatorRooms {
  readonly accounts: Pick<Accounts, 'list' | 'createByOperator' | 'resetPassword' | 'setPlan' | 'readByEmail'>
  readonly removal: Pick<AccountRemoval, 'remove'>
  readonly members: Pick<Members, 'add' | 'transfer'>
  readonly projects: Pick<Projects, 'slugs' | 'find'>
  readonly operated: Pick<OperatedProjects, 'collect'>
  readonly notes: AuditNotes
}

/**
 * People of the service, each change with a note in the audit logs of the projects that it concerns.
 *
 * @param rooms opened at the first question that needs them.
 */
export function operatorAccountRoutes(router: Router, rooms: () => Promise<OperatorRooms>): void {
  router.route(operator.accounts.list, async () => {
    const { accounts } = await rooms()
    return { items: (await accounts.list()).map((account) => ({ ...account, issuers: [...account.issuers] })) }
  })

  // Concerns no project yet.
  router.route(operator.accounts.create, async ({ body: { email, password } }) => {
    const { accounts } = await rooms()
    return accounts.createByOperator(email, password)
  })

  router.route(operator.accounts.resetPassword, async ({ body: { email, password } }) => {
    const opened = await rooms()
    const given = await opened.accounts.resetPassword(email, password)
    const { owned, written } = await projectsOf(email, opened)
    await opened.notes.write([...owned, ...written], 'resetPassword', { target: email })
    return { email, password: given }
  })

  router.route(operator.accounts.setPlan, async ({ body: { email, plan } }) => {
    const opened = await rooms()
    const account = await opened.accounts.setPlan(email, plan)
    const { owned } = await projectsOf(email, opened)
    await opened.notes.write(owned, 'plan', { target: account.email, detail: plan })
    return { ...account, issuers: [...account.issuers] }
  })

  router.route(operator.accounts.remove, async ({ query: { email } }) => {
    const { removal, notes } = await rooms()
    const removed = await removal.remove(email)
    if (removed === null) return { email, removed: false }
    await notes.write(removed.left, 'removeAccount', { target: removed.account.email })
    return { email: removed.account.email, removed: true, left: [...removed.left] }
  })
}

async function projectsOf(
  email: string,
  { accounts, projects }: Pick<OperatorRooms, 'accounts' | 'projects'>,
): Promise<{ readonly owned: readonly string[]; readonly written: readonly string[] }> {
  const account = await accounts.readByEmail(email)
  const owned: string[] = []
  const written: string[] = []
  for (const slug of account === null ? [] : await projects.slugs()) {
    const project = await projects.find(slug)
    if (project?.owner === account?.id) owned.push(slug)
    else if (account !== null && project?.writers.includes(account.id) === true) written.push(slug)
  }
  return { owned, written }
}

export interface HoldOptions {
  /** Throws what cannot be read of the project. */
  readonly hold: (slug: string) => Promise<Hold>
  /** Milliseconds: whoever forgets to let go must not keep a project's garbage for ever. */
  readonly longestHold: number
}

/** What an operator does to whole projects. */
export function operatorProjectRoutes(
  router: Router,
  rooms: () => Promise<OperatorRooms>,
  { hold, longestHold }: HoldOptions,
): void {
  router.route(operator.projects.list, async () => {
    const { projects } = await rooms()
    return { slugs: [...(await projects.slugs())].sort() }
  })

  router.route(operator.projects.transfer, async ({ params: { slug }, body: { email } }) => {
    const { members, notes } = await rooms()
    const { id } = await members.add(slug, email)
    const owner = await members.transfer(slug, id)
    await notes.write([slug], 'transfer', { target: owner.email, detail: 'is the owner now' })
    return owner
  })

  router.route(operator.projects.collect, async ({ params: { slug } }) => {
    const { operated } = await rooms()
    return operated.collect(slug)
  })

  router.route(operator.projects.hold, async ({ params: { slug }, reply }) => {
    // Nobody listens any more, perhaps before there is anything to tell.
    const gone = once(reply.raw, 'close')
    const { snapshot, release } = await hold(slug)
    const timer = setTimeout(() => reply.raw.destroy(), longestHold)
    void gone.then(() => {
      clearTimeout(timer)
      release()
    })
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.raw.write(`data: ${JSON.stringify(snapshot)}\n\n`)
    return reply
  })
}
