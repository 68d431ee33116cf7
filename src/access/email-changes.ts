import type { Account } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import { networkOf } from '../lib/network.ts'
import {
  assertEmail,
  normaliseEmail,
  presentAccount,
  type AccountRecords,
  type StoredAccount,
} from './account-records.ts'
import type { AccountMail } from './letters.ts'
import type { Credentials, PasswordCheck } from './password-check.ts'
import { dropProof, expiredLink, mintProof, noteProof, proofOf } from './proofs.ts'
import { GuessThrottle, letterRequests } from './throttles.ts'

export interface EmailChangesOptions {
  readonly records: AccountRecords
  readonly check: Pick<PasswordCheck, 'isRight'>
  /** By network, with those who sign up: how often somebody is told that an address has an account. */
  readonly knownAddresses: GuessThrottle
  /** By address, with all others that write: how many letters it is sent. */
  readonly addressees: GuessThrottle
  /** Undefined: the service sends no mail. */
  readonly mail: AccountMail | undefined
  readonly now: () => Date
}

/** An address that was changed. */
export interface ChangedEmail {
  readonly account: Account
  readonly before: string
}

/** Other addresses for accounts. Where the service sends mail, whoever has the address says so first. */
export class EmailChanges {
  readonly #options: EmailChangesOptions
  readonly #accounts: GuessThrottle

  constructor(options: EmailChangesOptions) {
    this.#options = options
    this.#accounts = new GuessThrottle(letterRequests.ofAccount, options.now)
  }

  /**
   * Mails a link to the new address, and a notice to the old one: null then, whether the address has an account already
   * or not. Without mail the address changes at once, and nobody vouches for it.
   * Throws Failure `invalid_request`, `rate_limited`; without mail `account_exists`, as a sign-up does.
   *
   * @param address IP address that asks.
   */
  async request(id: string, { email, password }: Credentials, address: string): Promise<ChangedEmail | null> {
    const { records, check, mail } = this.#options
    assertEmail(email)
    const wanted = normaliseEmail(email)
    const account = await records.find(id)
    if (account === undefined || account.password === null) throw noPassword()
    if (account.email === wanted) {
      throw new Failure('invalid_request', `${wanted} is the address of your account already.`, {
        errors: [{ pointer: '/email', message: 'is your address already' }],
      })
    }
    if (!(await check.isRight({ email: account.email, password }, account, address))) throw wrongPassword()
    if (mail === undefined) return this.#changeNow(account, wanted, networkOf(address))
    await this.#ask(mail, account, wanted)
    return null
  }

  /** Changes the address that a link was mailed to. Throws Failure `expired_token`, `account_exists`. */
  async confirm(token: string): Promise<ChangedEmail> {
    const { records, now } = this.#options
    const link = { token, purpose: 'email', now: now() } as const
    const known = await records.findByProof(link)
    const proof = known === undefined ? undefined : proofOf(known, link)
    if (known === undefined || proof === undefined) throw expiredLink()
    const changed = await records.changeEmail(known.id, proof.email, (draft) => {
      if (proofOf(draft, link) === undefined) throw expiredLink()
      draft.vouched = true
      // Links to the mailbox that it had are not good any more.
      delete draft.proofs
    })
    return { account: presentAccount(changed), before: known.email }
  }

  async #changeNow(account: Readonly<StoredAccount>, wanted: string, network: string): Promise<ChangedEmail> {
    const { records, knownAddresses } = this.#options
    knownAddresses.assertAllowed(network)
    try {
      const changed = await records.changeEmail(account.id, wanted, (draft) => {
        assertSame(draft, account)
        delete draft.vouched
        delete draft.proofs
      })
      return { account: presentAccount(changed), before: account.email }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'account_exists') throw error
      // Of many at once, no more are told than of one after the other.
      knownAddresses.assertAllowed(network)
      knownAddresses.note(network)
      throw error
    }
  }

  async #ask({ mailer, letters }: AccountMail, account: Readonly<StoredAccount>, wanted: string): Promise<void> {
    const { records, addressees, now } = this.#options
    this.#accounts.assertAllowed(account.id)
    addressees.assertAllowed(wanted)
    this.#accounts.note(account.id)
    addressees.note(wanted)
    const token = mintProof()
    await records.change(account.id, (draft) => {
      assertSame(draft, account)
      noteProof(draft, { token, purpose: 'email', email: wanted, now: now() })
    })
    try {
      this.#write({ mailer, letters }, { account, wanted, token })
    } catch (error) {
      await records.change(account.id, (draft) => dropProof(draft, token))
      throw error
    }
  }

  #write(
    { mailer, letters }: AccountMail,
    {
      account,
      wanted,
      token,
    }: { readonly account: Readonly<StoredAccount>; readonly wanted: string; readonly token: string },
  ): void {
    const { records } = this.#options
    // Whoever has the address may know that it has an account; whoever asks may not.
    mailer.post(account.id, async () => {
      const isTaken = (await records.findByEmail(wanted)) !== undefined
      return isTaken ? letters.addressTaken(wanted) : letters.confirmEmail(wanted, token)
    })
    mailer.post(account.id, async () => letters.emailChanges(account.email, wanted))
  }
}

/** Throws Failure `invalid_request` when the password or the address was changed meanwhile. */
function assertSame(draft: Readonly<StoredAccount>, account: Readonly<StoredAccount>): void {
  if (draft.password !== account.password || draft.email !== account.email) throw wrongPassword()
}

function noPassword(): Failure {
  return new Failure('invalid_request', 'This account has no password, which changing its address takes.', {
    hint: 'You sign in through your identity provider. The operator of the service can give the account a password.',
  })
}

function wrongPassword(): Failure {
  return new Failure('invalid_request', 'The password is wrong.', {
    errors: [{ pointer: '/password', message: 'is wrong' }],
  })
}
