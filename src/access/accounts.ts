import type { Account } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { Store } from '../metadata/store.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import { newId } from './tokens.ts'

/** An account as it is stored. */
export interface StoredAccount {
  id: string
  /** Normalised; see normaliseEmail. */
  email: string
  /** See Passwords.hash. */
  password: string
  plan: Plan
  createdAt: string
}

interface ServiceDocument {
  accounts: Record<string, StoredAccount>
}

export interface AccountsOptions {
  readonly store: Store
  readonly passwords: Passwords
  readonly sessions: Sessions
  /** Who may create an account. */
  readonly signup: 'open' | 'closed'
  /** Plan of a new account and of its projects. */
  readonly defaultPlan: Plan
  readonly now: () => Date
}

export interface SignedIn {
  readonly token: string
  readonly account: Account
}

const serviceDocument = 'service'

/** People by email address and password. */
export class Accounts {
  readonly #options: AccountsOptions

  constructor(options: AccountsOptions) {
    this.#options = options
  }

  /** Creates an account and signs in. Throws Failure `signup_closed`, `account_exists`, `rate_limited`. */
  async signup(email: string, password: string): Promise<SignedIn> {
    const { store, passwords, signup, defaultPlan, now } = this.#options
    if (signup === 'closed') {
      throw new Failure('signup_closed', 'This service does not let people create accounts', {
        hint: 'Ask its operator, who may set SIGNUP=open.',
      })
    }
    const normal = normaliseEmail(email)
    const account: StoredAccount = {
      id: newId('acc'),
      email: normal,
      password: await passwords.hash(password),
      plan: defaultPlan,
      createdAt: now().toISOString(),
    }
    await store.mutate<ServiceDocument, void>(serviceDocument, (draft) => {
      const document = draft ?? { accounts: {} }
      if (findByEmail(document, normal) !== undefined) {
        throw new Failure('account_exists', `There is an account for ${normal} already`, { hint: 'Sign in with it.' })
      }
      document.accounts[account.id] = account
      return { document, result: undefined }
    })
    return this.#signIn(account)
  }

  /** Throws Failure `unauthenticated`, not saying whether address or password is wrong, and `rate_limited`. */
  async login(email: string, password: string): Promise<SignedIn> {
    const { store, passwords } = this.#options
    const document = await store.read<ServiceDocument>(serviceDocument)
    const account = document === undefined ? undefined : findByEmail(document, normaliseEmail(email))
    const right = await passwords.verify(password, account?.password ?? null)
    if (!right || account === undefined) throw new Failure('unauthenticated', 'Email address or password is wrong')
    return this.#signIn(account)
  }

  /** Ends the session of a token. */
  async logout(token: string): Promise<void> {
    await this.#options.sessions.end(token)
  }

  /** The account, or null. */
  async read(id: string): Promise<Account | null> {
    const account = await this.#find(id)
    return account === undefined ? null : present(account)
  }

  /** Plan of an account, and so of its projects. */
  async planOf(id: string): Promise<Plan> {
    return (await this.#find(id))?.plan ?? this.#options.defaultPlan
  }

  async #find(id: string): Promise<StoredAccount | undefined> {
    const document = await this.#options.store.read<ServiceDocument>(serviceDocument)
    return document?.accounts[id]
  }

  async #signIn(account: StoredAccount): Promise<SignedIn> {
    return { token: await this.#options.sessions.begin(account.id), account: present(account) }
  }
}

/** Addresses that reach the same person are the same account: case and surrounding space do not count. */
function normaliseEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

function findByEmail(document: Readonly<ServiceDocument>, email: string): StoredAccount | undefined {
  return Object.values(document.accounts).find((account) => account.email === email)
}

function present({ id, email, createdAt }: StoredAccount): Account {
  return { id, email, createdAt }
}
