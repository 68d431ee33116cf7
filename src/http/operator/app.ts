import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { AccountRemoval } from '../../access/account-removal.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Members } from '../../access/members.ts'
import { partsOf } from '../../access/parts.ts'
import { Failure } from '../../contract/failure.ts'
import { operator } from '../../contract/operator.ts'
import { sha256 } from '../../lib/digest.ts'
import { EventStream } from '../../lib/event-stream.ts'
import type { AuditNotes } from '../../operator/audit-notes.ts'
import type { Hold, OperatedProjects } from '../../operator/projects.ts'
import type { Projects } from '../../projects/projects.ts'
import { documentOf } from '../../storage/documents/document-files.ts'
import type { Store } from '../../storage/store.ts'
import { defaultBodyBounds } from '../api/held-body.ts'
import { useJsonBodies } from '../api/json-body.ts'
import { useProblems } from '../api/problems.ts'
import { Router } from '../api/route.ts'

const hour = 60 * 60_000

/** The header `Authorization` of who has a key. */
export const bearer = (key: string): string => `Bearer ${key}`

/** What an operator's endpoints work with. */
export interface OperatorRooms {
  readonly accounts: Pick<Accounts, 'list' | 'createByOperator' | 'resetPassword' | 'setPlan' | 'readByEmail'>
  readonly removal: Pick<AccountRemoval, 'removeByEmail'>
  readonly members: Pick<Members, 'add' | 'transfer'>
  readonly projects: Pick<Projects, 'ids' | 'find' | 'resolve' | 'slugOf' | 'isSetAside' | 'ownerOf'>
  readonly operated: Pick<OperatedProjects, 'collect' | 'repair'>
  readonly store: Pick<Store, 'putBack'>
  readonly notes: AuditNotes
}

export interface OperatorAppOptions {
  /** Opens what accounts and projects need, at the first question that needs it. */
  readonly rooms: () => Promise<OperatorRooms>
  /** Throws what cannot be read of the project. */
  readonly hold: (projectId: string) => Promise<Hold>
  /** Milliseconds: whoever forgets to let go must not keep a project's garbage for ever. */
  readonly longestHold?: number
  /** Who asks must show it; without one, whoever can ask is an operator. */
  readonly key?: string
  readonly logger: FastifyBaseLogger
}

/** The endpoints of an operator. */
export async function createOperatorApp(options: OperatorAppOptions): Promise<FastifyInstance> {
  const { rooms, hold, longestHold = hour, key, logger } = options
  const app = Fastify({
    logController: new LogController({ disableRequestLogging: true }),
    loggerInstance: logger,
    routerOptions: { maxParamLength: 1024 },
  })
  if (key !== undefined) {
    const shown = sha256(bearer(key))
    app.addHook('onRequest', async ({ headers }) => {
      // Of hashes, how long a comparison takes tells nothing.
      if (sha256(headers.authorization ?? '') === shown) return
      throw new Failure('unauthenticated', 'Only who may read the data directory is its operator.', {
        hint: 'Use `quire admin`, as the user that the service runs as.',
      })
    })
  }
  useJsonBodies(app, defaultBodyBounds())
  const router = new Router(app, { admit: () => () => Promise.resolve() })
  useProblems(app, (path) => router.allowed(path))
  accountRoutes(router, rooms)
  documentRoutes(router, rooms)
  projectRoutes(router, rooms, { hold, longestHold })
  await app.ready()
  return app
}

/** People of the service, each change with a note in the audit logs of the projects that it concerns. */
function accountRoutes(router: Router, rooms: () => Promise<OperatorRooms>): void {
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
    const removed = await removal.removeByEmail(email)
    if (removed === null) return { email, removed: false }
    await notes.write(
      removed.left.map(({ id }) => id),
      'removeAccount',
      { target: removed.account.email },
    )
    return { email: removed.account.email, removed: true, left: removed.left.map(({ slug }) => slug) }
  })
}

/** Ids of the projects in which an account has a part. */
async function projectsOf(
  email: string,
  { accounts, projects }: Pick<OperatorRooms, 'accounts' | 'projects'>,
): Promise<{ readonly owned: readonly string[]; readonly written: readonly string[] }> {
  const account = await accounts.readByEmail(email)
  if (account === null) return { owned: [], written: [] }
  const { owned, written } = await partsOf(projects, account.id)
  return { owned: owned.map(({ id }) => id), written: written.map(({ id }) => id) }
}

/** The operator, too, calls projects by their slugs; what is not there is refused by whoever looks for it. */
function idOf(projects: Pick<Projects, 'resolve'>, slug: string): string {
  return projects.resolve(slug)?.id ?? slug
}

function documentRoutes(router: Router, rooms: () => Promise<OperatorRooms>): void {
  router.route(operator.documents.restore, async ({ body: { file } }) => {
    const { store } = await rooms()
    const document = documentOf(file)
    if (document === null) {
      throw new Failure('invalid_request', `${JSON.stringify(file)} is not the file of a document.`, {
        hint: 'Name it as quire admin check does: docs.json, _service.json.',
      })
    }
    return { file, ...(await store.putBack(document)) }
  })
}

/** What an operator does to whole projects. */
function projectRoutes(
  router: Router,
  rooms: () => Promise<OperatorRooms>,
  { hold, longestHold }: Required<Pick<OperatorAppOptions, 'hold' | 'longestHold'>>,
): void {
  router.route(operator.projects.list, async () => {
    const { projects } = await rooms()
    return { slugs: (await projects.ids()).map((id) => projects.slugOf(id)).sort() }
  })

  router.route(operator.projects.transfer, async ({ params: { slug }, body: { email } }) => {
    const { members, projects, notes } = await rooms()
    const projectId = idOf(projects, slug)
    const { id } = await members.add(projectId, email)
    const owner = await members.transfer(projectId, id)
    await notes.write([projectId], 'transfer', { target: owner.email, detail: 'is the owner now' })
    return owner
  })

  router.route(operator.projects.collect, async ({ params: { slug } }) => {
    const { operated, projects } = await rooms()
    const projectId = idOf(projects, slug)
    const freed = await operated.collect(projectId)
    return { project: projects.slugOf(projectId), ...freed }
  })

  router.route(operator.projects.repair, async ({ params: { slug } }) => {
    const { operated, projects } = await rooms()
    const projectId = idOf(projects, slug)
    return { project: projects.slugOf(projectId), ...(await operated.repair(projectId)) }
  })

  // A backup finds projects in the data directory, where they are called by their ids.
  router.route(operator.projects.hold, async ({ params: { id: projectId }, reply }) => {
    const { snapshot, release } = await hold(projectId)
    const timer = setTimeout(() => reply.raw.destroy(), longestHold)
    reply.hijack()
    const stream = new EventStream(reply.raw, () => {
      clearTimeout(timer)
      release()
    })
    stream.send('snapshot', snapshot)
    return reply
  })
}
