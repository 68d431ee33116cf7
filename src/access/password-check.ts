import { networkOf, wideNetworkOf } from '../lib/network.ts'
import { normaliseEmail, type StoredAccount } from './account-records.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import { SignInThrottle } from './throttles.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
}

/** Whether a password is an account’s, wherever one is asked for: all guesses are counted together. */
export class PasswordCheck {
  readonly #passwords: Pick<Passwords, 'verify'>
  readonly #sessions: Pick<Sessions, 'list'>
  readonly #throttle: SignInThrottle

  constructor(options: {
    readonly passwords: Pick<Passwords, 'verify'>
    readonly sessions: Pick<Sessions, 'list'>
    readonly now: () => Date
  }) {
    this.#passwords = options.passwords
    this.#sessions = options.sessions
    this.#throttle = new SignInThrottle(options.now)
  }

  /**
   * Takes as long where there is no account. Who comes from where the account is signed in is counted apart, and does
   * not wait with others, so that strangers who guess cannot keep its owner out. Throws Failure `rate_limited`.
   *
   * @param address IP address that it comes from.
   */
  async isRight(
    { email, password }: Credentials,
    account: Readonly<StoredAccount> | undefined,
    address: string,
  ): Promise<boolean> {
    const own = account === undefined ? [] : await this.#sessions.list(account.id)
    const name = normaliseEmail(email)
    const network = networkOf(address)
    const isKnown = own.some((session) => networkOf(session.address) === network)
    const party = { name: wideNetworkOf(address), isKnown }
    return this.#throttle.guard(isKnown ? `${name} ${network}` : name, () =>
      this.#passwords.verify(password, account?.password ?? null, party),
    )
  }

  /** The account has another password, and whoever has it need not wait for who guessed the one before. */
  forgive(email: string): void {
    this.#throttle.forgive(email)
  }
}
