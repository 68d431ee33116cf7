import type { Account } from '../contract/accounts.ts'
import { scopes, type EndpointAccess, type Scope } from '../contract/endpoint.ts'
import { Failure } from '../contract/failure.ts'
import type { Role } from '../contract/members.ts'
import type { Accounts } from './accounts.ts'
import type { Keys } from './keys.ts'
import type { Sessions } from './sessions.ts'
import { tokenKind } from './tokens.ts'

/** Who makes a request: a signed-in account, or a key of one project; null is nobody. */
export type Principal =
  | { readonly kind: 'account'; readonly account: Account; readonly token: string }
  | {
      readonly kind: 'key'
      readonly key: { readonly id: string; readonly name: string; readonly scopes: readonly Scope[] }
      /** Id. */
      readonly project: string
    }
  | null

/** What a rule needs to know of a project. */
export interface ProjectAccess {
  readonly id: string
  /** Account id. */
  readonly owner: string
  /** Account ids of those who may write but not administer. */
  readonly writers: readonly string[]
}

/** What each role may do. */
const scopesOf: Readonly<Record<Role, readonly Scope[]>> = {
  owner: scopes,
  writer: ['read', 'write', 'deploy', 'generate'],
}

/** The part that an account has in a project; null for a stranger. */
export function roleOf(account: string, project: Pick<ProjectAccess, 'owner' | 'writers'>): Role | null {
  if (project.owner === account) return 'owner'
  return project.writers.includes(account) ? 'writer' : null
}

/** What a principal may do with a project; nothing, for a stranger. */
export function scopesIn(principal: Principal, project: ProjectAccess): readonly Scope[] {
  if (principal?.kind === 'key') return principal.project === project.id ? principal.key.scopes : []
  const role = principal === null ? null : roleOf(principal.account.id, project)
  return role === null ? [] : scopesOf[role]
}

export type Decision = 'ok' | 'unauthenticated' | 'forbidden' | 'not_found'

/**
 * Whether a principal may call an endpoint.
 *
 * @param project the project in the path: null when there is none of that slug, undefined when the path names none.
 * Whoever has no part in a project cannot tell it from one that does not exist.
 */
export function authorize(principal: Principal, access: EndpointAccess, project?: ProjectAccess | null): Decision {
  if (access === 'public') return 'ok'
  // The operator comes over a socket, without a credential.
  if (access === 'operator') return 'forbidden'
  if (principal === null) return 'unauthenticated'
  if (project === null) return 'not_found'
  if (principal.kind === 'account') {
    if (project === undefined) return 'ok'
    const role = roleOf(principal.account.id, project)
    if (role === null) return 'not_found'
    return access === 'account' || scopesOf[role].includes(access) ? 'ok' : 'forbidden'
  }
  if (project !== undefined && project.id !== principal.project) return 'not_found'
  return access !== 'account' && principal.key.scopes.includes(access) ? 'ok' : 'forbidden'
}

/** As `authorize`, but throws the refusal: Failure `unauthenticated`, `forbidden` or `not_found`. */
export function demand(principal: Principal, access: EndpointAccess, project?: ProjectAccess | null): void {
  const decision = authorize(principal, access, project)
  if (decision === 'unauthenticated') {
    throw new Failure('unauthenticated', 'This needs a credential.', {
      hint: 'Send `Authorization: Bearer <API key>`, or sign in.',
    })
  }
  if (decision === 'not_found') throw new Failure('not_found', 'There is no such project, or it is not yours.')
  if (decision === 'forbidden') throw forbidden(principal, access)
}

function forbidden(principal: Principal, access: EndpointAccess): Failure {
  if (principal?.kind === 'account')
    return new Failure('forbidden', 'Only the owner of the project may do this.', { hint: 'Ask the project’s owner.' })
  const scope = scopes.find((known) => known === access)
  if (scope === undefined)
    return new Failure('forbidden', 'An API key cannot do this.', { hint: 'Sign in with your account.' })
  return new Failure('forbidden', `The API key lacks the scope ${scope}.`, {
    hint: `Use a key that has the scope ${scope}.`,
  })
}

export interface AuthenticatorOptions {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly keys: Keys
}

/** Finds out who makes a request. */
export class Authenticator {
  readonly #options: AuthenticatorOptions

  constructor(options: AuthenticatorOptions) {
    this.#options = options
  }

  /**
   * @param bearer API key or session token, without `Bearer `.
   * @returns null for everything that is not valid (now): unknown, revoked, expired, mistyped.
   */
  async identify(bearer: string): Promise<Principal> {
    const kind = tokenKind(bearer)
    if (kind === 'session') return this.#session(bearer)
    if (kind !== 'key') return null
    const key = await this.#options.keys.find(bearer)
    return key === null ? null : { kind: 'key', ...key }
  }

  async #session(token: string): Promise<Principal> {
    const id = await this.#options.sessions.find(token)
    const account = id === null ? null : await this.#options.accounts.read(id)
    return account === null ? null : { kind: 'account', account, token }
  }
}
