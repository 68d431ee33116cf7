import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { allParts, partsOf } from '../../access/parts.ts'
import { Failure } from '../../contract/failure.ts'
import { operator } from '../../contract/operator.ts'
import { sha256 } from '../../lib/digest.ts'
import type { Hold } from '../../operator/projects.ts'
import { documentOf } from '../../storage/documents/document-files.ts'
import { defaultBodyBounds } from '../api/held-body.ts'
import { useJsonBodies } from '../api/json-body.ts'
import { useProblems } from '../api/problems.ts'
import { Router } from '../api/route.ts'
import { projectRoutes } from './projects.ts'
import type { OperatorRooms } from './rooms.ts'

const hour = 60 * 60_000

/** The header `Authorization` of who has a key. */
export const bearer = (key: string): string => `Bearer ${key}`

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

const noParts = { owned: [], written: [] }

/** People of the service, each change with a note in the audit logs of the projects that it concerns. */
function accountRoutes(router: Router, rooms: () => Promise<OperatorRooms>): void {
  router.route(operator.accounts.list, async () => {
    const { accounts, projects } = await rooms()
    const parts = await allParts(projects)
    const items = (await accounts.list()).map((account) => {
      const { owned, written } = parts.get(account.id) ?? noParts
      return {
        ...account,
        issuers: [...account.issuers],
        owns: owned.map(({ slug }) => slug),
        writes: written.map(({ slug }) => slug),
      }
    })
    return { items }
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
