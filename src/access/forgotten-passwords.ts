import { Failure } from '../contract/failure.ts'
import { networkOf, wideNetworkOf } from '../lib/network.ts'
import type { Letter } from '../mail/mailer.ts'
import { normaliseEmail, type AccountRecords } from './account-records.ts'
import type { AccountMail } from './letters.ts'
import type { PasswordCheck } from './password-check.ts'
import type { Passwords } from './passwords.ts'
import { expiredLink, mintProof, noteProof, proofOf } from './proofs.ts'
import type { Sessions } from './sessions.ts'
import { GuessThrottle, letterRequests } from './throttles.ts'

export interface ForgottenPasswordsOptions {
  readonly records: AccountRecords
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessions: Pick<Sessions, 'endAll'>
  readonly check: Pick<PasswordCheck, 'forgive'>
  /** By address, with all others that write: how many letters it is sent. */
  readonly addressees: GuessThrottle
  /** Undefined: the service sends no mail. */
  readonly mail: AccountMail | undefined
  readonly now: () => Date
}

/** New passwords for those who forgot theirs, by a link to the address of the account. */
export class ForgottenPasswords {
  readonly #options: ForgottenPasswordsOptions
  readonly #networks: GuessThrottle
  readonly #wideNetworks: GuessThrottle

  constructor(options: ForgottenPasswordsOptions) {
    this.#options = options
    this.#networks = new GuessThrottle(letterRequests.ofNetwork, options.now)
    this.#wideNetworks = new GuessThrottle(letterRequests.ofWideNetwork, options.now)
  }

  /**
   * Has a link mailed to the account of an address. Whether there is one is looked at in the background: neither what
   * is answered nor how long that takes tells it. Throws Failure `mail_not_configured`, `rate_limited`.
   *
   * @param address IP address that asks.
   */
  request(email: string, address: string): void {
    const { mail, addressees } = this.#options
    if (mail === undefined) {
      throw new Failure('mail_not_configured', 'This service sends no mail.', {
        hint: 'Ask its operator for a new password (quire admin accounts reset-password).',
      })
    }
    const counted = [
      [this.#networks, networkOf(address)],
      [this.#wideNetworks, wideNetworkOf(address)],
      [addressees, normaliseEmail(email)],
    ] as const
    for (const [throttle, party] of counted) throttle.assertAllowed(party)
    mail.mailer.post(wideNetworkOf(address), () => this.#write(mail, email))
    for (const [throttle, party] of counted) throttle.note(party)
  }

  /**
   * Gives the account of a link a new password, and ends all its sessions. Who follows the link has the address, and
   * nobody else comes in any more: neither who only claimed it, nor through an identity that was there before. One of
   * this address is joined again by signing in with it.
   * Throws Failure `expired_token`, `rate_limited`.
   *
   * @param address IP address that asks.
   */
  async reset({ token, newPassword }: { readonly token: string; readonly newPassword: string }, address: string) {
    const { records, passwords, sessions, check, now } = this.#options
    const link = { token, purpose: 'password', now: now() } as const
    const known = await records.findByProof(link)
    if (known === undefined) throw expiredLink()
    const hash = await passwords.hash(newPassword, { name: wideNetworkOf(address), isKnown: false })
    // Also before, so that a crash in between leaves no session of whoever had the password.
    await sessions.endAll(known.id)
    await records.change(known.id, (draft) => {
      if (proofOf(draft, link) === undefined) throw expiredLink()
      draft.password = hash
      delete draft.identities
      draft.vouched = true
      delete draft.proofs
    })
    await sessions.endAll(known.id)
    check.forgive(known.email)
  }

  async #write({ letters }: AccountMail, email: string): Promise<Letter | null> {
    const { records, now } = this.#options
    const account = await records.findByEmail(email)
    if (account === undefined) return null
    if (account.password === null) return letters.noPassword(account.email)
    const token = mintProof()
    await records.change(account.id, (draft) => {
      noteProof(draft, { token, purpose: 'password', email: draft.email, now: now() })
    })
    return letters.resetPassword(account.email, token)
  }
}
