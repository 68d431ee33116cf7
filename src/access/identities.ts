import { Failure } from '../contract/failure.ts'
import { isEmail, presentAccount, type AccountRecords, type Identity, type StoredAccount } from './account-records.ts'
import { signupClosed, type SignedIn } from './accounts.ts'
import type { SessionClient, Sessions } from './sessions.ts'

/** What an identity provider says of who signed in there. */
export interface Claims extends Identity {
  readonly email: string | null
  readonly emailVerified: boolean
}

export interface IdentitiesOptions {
  readonly records: AccountRecords
  readonly sessions: Sessions
  readonly signup: 'open' | 'closed'
}

/** People who sign in through an identity provider. */
export class Identities {
  readonly #options: IdentitiesOptions

  constructor(options: IdentitiesOptions) {
    this.#options = options
  }

  /**
   * Signs in to the account of the identity; else to the one of its verified address, which it is joined to; else to a
   * new one. Throws Failure `email_not_verified`, `account_exists` when the address belongs to another identity of that
   * provider, `signup_closed`.
   */
  async signIn(claims: Claims, from: SessionClient): Promise<SignedIn> {
    const { records, sessions } = this.#options
    const account = (await records.findByIdentity(claims)) ?? (await this.#admit(claims))
    return { token: await sessions.begin(account.id, from), account: presentAccount(account) }
  }

  async #admit({ issuer, subject, email, emailVerified }: Claims): Promise<StoredAccount> {
    const { records, signup } = this.#options
    if (email === null || !emailVerified) {
      throw new Failure(
        'email_not_verified',
        'The identity provider does not say that the email address is verified.',
        {
          hint: 'Verify it at the identity provider.',
        },
      )
    }
    if (!isEmail(email)) {
      throw new Failure(
        'email_not_verified',
        'The identity provider gives an email address that cannot be used here.',
        {
          hint: 'Addresses have ASCII characters only.',
        },
      )
    }
    const known = await records.findByEmail(email)
    if (known !== undefined) return this.#join(known.id, { issuer, subject })
    if (signup === 'closed') throw signupClosed()
    return records.create({ email, password: null, identities: [{ issuer, subject }], vouched: true })
  }

  /**
   * Whoever signed up with the address and a password may not be the one whom it belongs to: their password and
   * sessions end, before the identity is joined, so that a crash in between cannot leave them. What the operator gave
   * out stays.
   */
  async #join(id: string, identity: Identity): Promise<StoredAccount> {
    const { records, sessions } = this.#options
    const { vouched } = await records.change(id, (draft) => {
      assertNoOther(draft, identity)
      if (draft.vouched === true) return
      draft.password = null
      delete draft.proofs
    })
    if (vouched !== true) await sessions.endAll(id)
    return records.change(id, (draft) => {
      assertNoOther(draft, identity)
      draft.vouched = true
      const { identities = [] } = draft
      // Two windows may have begun at once.
      if (!identities.some(({ issuer }) => issuer === identity.issuer)) draft.identities = [...identities, identity]
    })
  }
}

/** An address that the provider gave to somebody else does not take the account along. Throws Failure `account_exists`. */
function assertNoOther({ identities = [] }: Readonly<StoredAccount>, { issuer, subject }: Identity): void {
  if (identities.every((known) => known.issuer !== issuer || known.subject === subject)) return
  throw new Failure('account_exists', 'The account of this address belongs to another identity.', {
    hint: 'Ask the operator of the service.',
  })
}
