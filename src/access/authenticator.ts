import type { Accounts } from './accounts.ts'
import type { Keys } from './keys.ts'
import type { Principal } from './principal.ts'
import type { Sessions } from './sessions.ts'
import { tokenKind } from './tokens.ts'

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
    if (kind === null) return null
    if (kind === 'session') return this.#session(bearer)
    const key = await this.#options.keys.find(bearer)
    return key === null ? null : { kind: 'key', ...key }
  }

  async #session(token: string): Promise<Principal> {
    const id = await this.#options.sessions.find(token)
    const account = id === null ? null : await this.#options.accounts.read(id)
    return account === null ? null : { kind: 'account', account, token }
  }
}
