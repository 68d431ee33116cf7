import { IsEmail } from 'typebox/format'
import type { Account } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { Store } from '../storage/store.ts'
import { proofOf, type ProofPurpose, type StoredProof } from './proofs.ts'
import { newId } from './tokens.ts'

/** A person at an identity provider: OpenID Connect’s `iss` and `sub`. */
export interface Identity {
  issuer: string
  subject: string
}

/** An account as it is stored. */
export interface StoredAccount {
  id: string
  /** Normalised; see normaliseEmail. */
  email: string
  /** See Passwords.hash; null for who signs in through an identity provider only. */
  password: string | null
  /** Absent where there are none. */
  identities?: Identity[]
  /**
   * The operator, an identity provider or a link that was mailed to the address says that it is this person’s. Who signs
   * up by password only claims it.
   */
  vouched?: boolean
  /** Links that were mailed and not followed yet. Absent where there are none. */
  proofs?: StoredProof[]
  plan: Plan
  createdAt: string
  /** It is being removed: nobody finds it or signs in to it any more, and its address is still taken. */
  leaving?: true
}

interface ServiceDocument {
  accounts: Record<string, StoredAccount>
}

export interface AccountRecordsOptions {
  readonly store: Store
  /** Plan of a new account and of its projects. */
  readonly defaultPlan: Plan
  readonly now: () => Date
}

const serviceDocument = 'service'
const longestEmail = 254

/** The stored accounts: one for an email address and for an identity. */
export class AccountRecords {
  readonly #options: AccountRecordsOptions

  constructor(options: AccountRecordsOptions) {
    this.#options = options
  }

  async find(id: string): Promise<Readonly<StoredAccount> | undefined> {
    const accounts = await this.#read()
    // Own members only: an id comes from a request.
    const account = Object.hasOwn(accounts, id) ? accounts[id] : undefined
    return account?.leaving === true ? undefined : account
  }

  async findByEmail(email: string): Promise<Readonly<StoredAccount> | undefined> {
    const normal = normaliseEmail(email)
    return Object.values(await this.#read()).find(({ email: own, leaving }) => own === normal && leaving !== true)
  }

  async findByIdentity({ issuer, subject }: Identity): Promise<Readonly<StoredAccount> | undefined> {
    const isSame = (identity: Identity): boolean => identity.issuer === issuer && identity.subject === subject
    const all = Object.values(await this.#read())
    return all.find(({ identities = [], leaving }) => leaving !== true && identities.some(isSame))
  }

  /** The account of a link that was mailed, while it is good. */
  async findByProof(link: {
    readonly token: string
    readonly purpose: ProofPurpose
    readonly now: Date
  }): Promise<Readonly<StoredAccount> | undefined> {
    const all = Object.values(await this.#read())
    // Most have no link: the token is digested for those that do.
    return all.find(
      (account) => account.leaving !== true && account.proofs !== undefined && proofOf(account, link) !== undefined,
    )
  }

  /** All, the oldest first; also those that are being removed. */
  async list(): Promise<readonly Readonly<StoredAccount>[]> {
    return Object.values(await this.#read()).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  }

  /** Throws Failure `account_exists`. */
  async create(request: Pick<StoredAccount, 'email' | 'password' | 'identities' | 'vouched'>): Promise<StoredAccount> {
    const { defaultPlan: plan, now } = this.#options
    const email = normaliseEmail(request.email)
    const account: StoredAccount = { ...request, id: newId('acc'), email, plan, createdAt: now().toISOString() }
    return this.#mutate((accounts) => {
      assertFree(accounts, email)
      accounts[account.id] = account
      return account
    })
  }

  /** Edits an account in place; what `edit` throws leaves it as it was. Throws Failure `not_found`. */
  change(id: string, edit: (account: StoredAccount) => void): Promise<StoredAccount> {
    return this.#mutate((accounts) => {
      const account = required(accounts, id)
      edit(account)
      return { ...account }
    })
  }

  /**
   * Gives an account another address, and edits it as `change` does, in one step. Throws Failure `account_exists`,
   * `not_found`.
   */
  changeEmail(id: string, email: string, edit: (account: StoredAccount) => void): Promise<StoredAccount> {
    const normal = normaliseEmail(email)
    return this.#mutate((accounts) => {
      const account = required(accounts, id)
      assertFree(accounts, normal)
      edit(account)
      account.email = normal
      return { ...account }
    })
  }

  /** The account of an email address. Throws Failure `not_found`. */
  async require(email: string): Promise<Readonly<StoredAccount>> {
    const account = await this.findByEmail(email)
    if (account === undefined) throw new Failure('not_found', `There is no account for ${normaliseEmail(email)}.`)
    return account
  }

  /** From here on the account is not found any more; undefined where there is none. */
  beginRemoval(id: string): Promise<StoredAccount | undefined> {
    return this.#mutate((accounts) => {
      const account = accounts[id]
      if (account === undefined) return undefined
      account.leaving = true
      return { ...account }
    })
  }

  /** It is as before its removal began. */
  async cancelRemoval(id: string): Promise<void> {
    await this.change(id, (account) => {
      delete account.leaving
    })
  }

  /** Ends its removal. */
  remove(id: string): Promise<void> {
    return this.#mutate((accounts) => {
      delete accounts[id]
    })
  }

  async #read(): Promise<Readonly<ServiceDocument['accounts']>> {
    return (await this.#options.store.read<ServiceDocument>(serviceDocument))?.accounts ?? {}
  }

  #mutate<R>(change: (accounts: ServiceDocument['accounts']) => R): Promise<R> {
    return this.#options.store.mutate<ServiceDocument, R>(serviceDocument, (draft) => {
      const document = draft ?? { accounts: {} }
      return { result: change(document.accounts), document }
    })
  }
}

function required(accounts: ServiceDocument['accounts'], id: string): StoredAccount {
  const account = accounts[id]
  if (account === undefined) throw new Failure('not_found', `There is no account ${id}.`)
  return account
}

function assertFree(accounts: Readonly<ServiceDocument['accounts']>, email: string): void {
  if (Object.values(accounts).every((other) => other.email !== email)) return
  throw new Failure('account_exists', `There is an account for ${email} already.`, { hint: 'Sign in with it.' })
}

/** Addresses that reach the same person are the same account: case and surrounding space do not count. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase()
}

/**
 * Whether the API takes an address: of ASCII only. Other letters would become another person’s address in lower case,
 * as the Kelvin sign becomes a k, or look like it.
 */
export function isEmail(text: string): boolean {
  const address = text.trim()
  return address.length <= longestEmail && IsEmail(address)
}

/** Throws Failure `invalid_request` for what is not an email address. */
export function assertEmail(email: string): void {
  if (isEmail(email)) return
  throw new Failure('invalid_request', `${JSON.stringify(email)} is not an email address.`, {
    hint: 'Addresses have letters without accents, digits and signs of ASCII.',
  })
}

/** What others see of an account. */
export function presentAccount({ id, email, createdAt }: Readonly<StoredAccount>): Account {
  return { id, email, createdAt }
}
