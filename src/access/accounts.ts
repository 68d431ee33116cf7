import type { Account } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import { networkOf, wideNetworkOf } from '../lib/network.ts'
import { assertEmail, presentAccount, type AccountRecords, type StoredAccount } from './account-records.ts'
import type { Credentials, PasswordCheck } from './password-check.ts'
import { assertPassword, randomPassword, type Passwords } from './passwords.ts'
import { pendingEmailOf } from './proofs.ts'
import type { SessionClient, Sessions } from './sessions.ts'
import type { GuessThrottle } from './throttles.ts'

export interface AccountsOptions {
  readonly records: AccountRecords
  readonly passwords: Passwords
  readonly check: PasswordCheck
  readonly sessions: Sessions
  /** By network: how often somebody is told that an address has an account. */
  readonly knownAddresses: GuessThrottle
  /** Who may create an account. */
  readonly signup: 'open' | 'closed'
  /** Of who is not found any more. */
  readonly defaultPlan: Plan
  readonly now: () => Date
}

export interface SignedIn {
  readonly token: string
  readonly account: Account
}

/** An account as its operator sees it. */
export interface AccountSummary extends Account {
  readonly plan: Plan
  readonly hasPassword: boolean
  /** Issuers of the identity providers that it signs in through. */
  readonly issuers: readonly string[]
}

/** People by email address and password. */
export class Accounts {
  readonly #options: AccountsOptions

  constructor(options: AccountsOptions) {
    this.#options = options
  }

  /**
   * Creates an account and signs in. Throws Failure `signup_closed`, `account_exists`, `rate_limited`.
   *
   * Whoever signs up is signed in at once, so the answer cannot hide that an address has an account already. It is told
   * to one network a few times an hour; after that its sign-ups are refused, whatever the address.
   */
  async signup({ email, password }: Credentials, from: SessionClient): Promise<SignedIn> {
    const { records, passwords, signup, knownAddresses } = this.#options
    if (signup === 'closed') throw signupClosed()
    const network = networkOf(from.address)
    knownAddresses.assertAllowed(network)
    const hash = await passwords.hash(password, { name: wideNetworkOf(from.address), isKnown: false })
    try {
      return await this.#signIn(await records.create({ email, password: hash }), from)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'account_exists') throw error
      // Of many at once, no more are told than of one after the other.
      knownAddresses.assertAllowed(network)
      knownAddresses.note(network)
      throw error
    }
  }

  /** Throws Failure `unauthenticated`, not saying whether address or password is wrong, and `rate_limited`. */
  async login({ email, password }: Credentials, from: SessionClient): Promise<SignedIn> {
    const account = await this.#options.records.findByEmail(email)
    const right = await this.#options.check.isRight({ email, password }, account, from.address)
    if (!right || account === undefined) throw wrongCredentials()
    return this.#signIn(account, from)
  }

  /** Ends the session of a token. */
  async logout(token: string): Promise<void> {
    await this.#options.sessions.end(token)
  }

  /**
   * Changes the password, and ends all other sessions of the account.
   *
   * @param session the one that asks: its token and address.
   * Throws Failure `invalid_request` when the current password is wrong or there is none, `rate_limited`.
   */
  async changePassword(
    id: string,
    change: { readonly currentPassword: string; readonly newPassword: string },
    session: { readonly token: string; readonly address: string },
  ): Promise<void> {
    const { records, passwords, sessions } = this.#options
    const account = await records.find(id)
    if (account === undefined || account.password === null) {
      throw new Failure('invalid_request', 'This account has no password.', {
        hint: 'Sign in as before, through your identity provider. The operator of the service can give it a password.',
      })
    }
    const { email, password: before } = account
    const wrong = (): Failure =>
      new Failure('invalid_request', 'The current password is wrong.', {
        errors: [{ pointer: '/currentPassword', message: 'is wrong' }],
      })
    const right = await this.#options.check.isRight(
      { email, password: change.currentPassword },
      account,
      session.address,
    )
    if (!right) throw wrong()
    const hash = await passwords.hash(change.newPassword, { name: id, isKnown: true })
    await records.change(id, (draft) => {
      // Somebody else has changed it meanwhile.
      if (draft.password !== before) throw wrong()
      draft.password = hash
      // Somebody who knew the one before may have asked for them.
      delete draft.proofs
    })
    await sessions.endAll(id, session.token)
  }

  /** The account, or null. */
  async read(id: string): Promise<Account | null> {
    const account = await this.#options.records.find(id)
    return account === undefined ? null : presentAccount(account)
  }

  /** The account of an email address, or null. */
  async readByEmail(email: string): Promise<Account | null> {
    const account = await this.#options.records.findByEmail(email)
    return account === undefined ? null : presentAccount(account)
  }

  /** How an account signs in, and the address that it is to have once that is confirmed. */
  async credentialsOf(id: string): Promise<{ readonly hasPassword: boolean; readonly pendingEmail?: string }> {
    const { records, now } = this.#options
    const account = await records.find(id)
    if (account === undefined) return { hasPassword: false }
    const pendingEmail = pendingEmailOf(account, now())
    return { hasPassword: account.password !== null, ...(pendingEmail === undefined ? {} : { pendingEmail }) }
  }

  /** Plan of an account, and so of its projects. */
  async planOf(id: string): Promise<Plan> {
    return (await this.#options.records.find(id))?.plan ?? this.#options.defaultPlan
  }

  /**
   * Creates an account for somebody else, whoever may sign up.
   *
   * @param password a random one without it. It is told once, here.
   * Throws Failure `invalid_request` for the address or the password, `account_exists`.
   */
  async createByOperator(
    email: string,
    password: string = randomPassword(),
  ): Promise<{ readonly account: Account; readonly password: string }> {
    const { records, passwords } = this.#options
    assertEmail(email)
    assertPassword(password)
    const hash = await passwords.hash(password)
    return { account: presentAccount(await records.create({ email, password: hash, vouched: true })), password }
  }

  /**
   * Gives an account a new password and ends all its sessions.
   *
   * @param password a random one without it.
   * @returns the password. Throws Failure `not_found`, `invalid_request`.
   */
  async resetPassword(email: string, password: string = randomPassword()): Promise<string> {
    const { records, passwords, sessions } = this.#options
    assertPassword(password)
    const { id } = await records.require(email)
    const hash = await passwords.hash(password)
    await records.change(id, (account) => {
      account.password = hash
      delete account.proofs
    })
    await sessions.endAll(id)
    return password
  }

  /** Throws Failure `not_found`. */
  async setPlan(email: string, plan: Plan): Promise<AccountSummary> {
    const { records } = this.#options
    const { id } = await records.require(email)
    return summarise(
      await records.change(id, (account) => {
        account.plan = plan
      }),
    )
  }

  /** All accounts, the oldest first. */
  async list(): Promise<readonly AccountSummary[]> {
    return (await this.#options.records.list()).map(summarise)
  }

  /** Throws Failure `unauthenticated` when the password of the account is not any more what it was. */
  async #signIn(account: Readonly<StoredAccount>, from: SessionClient): Promise<SignedIn> {
    const { records, sessions } = this.#options
    const token = await sessions.begin(account.id, from)
    // A change of password ends all sessions of the old one, also a session that was begun at the same moment.
    if ((await records.find(account.id))?.password === account.password)
      return { token, account: presentAccount(account) }
    await sessions.end(token)
    throw wrongCredentials()
  }
}

/** The refusal to create an account. */
export function signupClosed(): Failure {
  return new Failure('signup_closed', 'This service does not let people create accounts.', {
    hint: 'Ask its operator, who may set SIGNUP=open.',
  })
}

function wrongCredentials(): Failure {
  return new Failure('unauthenticated', 'Email address or password is wrong.')
}

function summarise(account: Readonly<StoredAccount>): AccountSummary {
  const { plan, password, identities = [] } = account
  const issuers = identities.map(({ issuer }) => issuer)
  return { ...presentAccount(account), plan, hasPassword: password !== null, issuers }
}
