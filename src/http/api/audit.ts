import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principal.ts'
import type { AuditLog } from '../../audit/audit-log.ts'
import type { Account } from '../../contract/accounts.ts'
import type { AuditActor } from '../../contract/audit.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { contract } from '../../contract/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the audit log says of the request; an endpoint fills in what its path does not tell. */
    audit: AuditNote | null
  }
}

/** Never a secret: the log is kept, and its readers may be others than those who may use what it speaks of. */
export interface AuditNote {
  /** Where the endpoint's path names none. */
  readonly projectIds?: readonly string[]
  /** Who did it, where anybody may call the endpoint, and the request itself tells whose it is. */
  readonly by?: Account
  readonly target?: string
  readonly detail?: string
}

const actions = new Map<Endpoint, string>(
  Object.entries(contract).flatMap(([noun, endpoints]) =>
    Object.entries(endpoints).map(([verb, endpoint]): [Endpoint, string] => [endpoint, `${noun}.${verb}`]),
  ),
)

export function useAudit(app: FastifyInstance): void {
  app.decorateRequest('audit', null)
}

/** Writes into the audit log what was done over HTTP: requests that change a project, once they have succeeded. */
export class AuditRecorder {
  readonly #log: Pick<AuditLog, 'record'>
  readonly #logger: FastifyBaseLogger

  constructor(log: Pick<AuditLog, 'record'>, logger: FastifyBaseLogger) {
    this.#log = log
    this.#logger = logger
  }

  /** @param answer The endpoint's; its id stands for what was made. */
  async endpoint(endpoint: Endpoint, request: FastifyRequest, answer: unknown): Promise<void> {
    const { audit, caller, project } = request
    const action = actions.get(endpoint)
    if (endpoint.method === 'GET' || endpoint.audit === false || action === undefined) return
    const actor = audit?.by === undefined ? caller && actorOf(caller) : actorOfAccount(audit.by)
    if (actor === null) return
    const done = { actor, action, target: audit?.target ?? targetOf(request, answer), detail: audit?.detail }
    for (const projectId of audit?.projectIds ?? (project === null ? [] : [project.id]))
      await this.#record(projectId, request, done)
  }

  /** @param ref The branch that was pushed to, or removed. */
  async push(
    projectId: string,
    request: FastifyRequest,
    push: { readonly caller: Principal; readonly ref: string; readonly to: string | null },
  ): Promise<void> {
    const { caller, ref, to } = push
    if (caller === null) return
    const detail = to === null ? 'removed' : `to ${to}`
    await this.#record(projectId, request, {
      actor: actorOf(caller),
      action: 'git.push',
      target: ref.replace(/^refs\/heads\//, ''),
      detail,
    })
  }

  /** What was done is done, and its caller is told so: a disk that fails here must not make it look refused. */
  async #record(
    projectId: string,
    request: FastifyRequest,
    done: {
      readonly actor: AuditActor
      readonly action: string
      readonly target?: string | undefined
      readonly detail?: string | undefined
    },
  ): Promise<void> {
    const entry = { ...done, address: request.ip, client: request.headers['user-agent'] }
    try {
      await this.#log.record(projectId, entry)
    } catch (error) {
      this.#logger.error({ err: error, projectId, ...done, actor: done.actor.id }, 'an audit entry could not be kept')
    }
  }
}

function actorOf(caller: NonNullable<Principal>): AuditActor {
  if (caller.kind === 'key') return { kind: 'key', id: caller.key.id, name: caller.key.name }
  return actorOfAccount(caller.account)
}

function actorOfAccount({ id, email }: Account): AuditActor {
  return { kind: 'account', id, name: email }
}

/** What the path names beside the project, or the id in the query, or that of what was made. */
function targetOf(request: FastifyRequest, answer: unknown): string | undefined {
  const { slug: _slug, ...named } = request.params as Record<string, string>
  const { id } = request.query as { id?: unknown }
  const words = [...Object.values(named), ...(typeof id === 'string' ? [id] : [])]
  if (words.length > 0) return words.join(' ')
  const made = (answer as { id?: unknown } | undefined)?.id
  return typeof made === 'string' ? made : undefined
}
