import { Failure } from '../contract/failure.ts'
import type { AccountRecords } from './account-records.ts'
import type { AccountMail, InvitationLetter } from './letters.ts'
import { GuessThrottle, letterRequests } from './throttles.ts'

export interface InvitationMailOptions {
  readonly records: Pick<AccountRecords, 'find'>
  /** By address, with all others that write: how many letters it is sent. */
  readonly addressees: GuessThrottle
  /** Undefined: the service sends no mail. */
  readonly mail: AccountMail | undefined
  readonly now: () => Date
}

/** Mails invitations to those who are invited, beside the link that whoever invites is shown. */
export class InvitationMail {
  readonly #options: InvitationMailOptions
  readonly #accounts: GuessThrottle

  constructor(options: InvitationMailOptions) {
    this.#options = options
    this.#accounts = new GuessThrottle(letterRequests.invitations, options.now)
  }

  /**
   * Whether the letter is on its way: not where the service sends none, or was asked for too many.
   *
   * @param from Account ids: of the project’s owner, and of whoever invites, if that is no key.
   */
  async send(
    letter: Omit<InvitationLetter, 'by'>,
    from: { readonly owner: string; readonly inviter: string | undefined },
  ): Promise<boolean> {
    const { records, addressees, mail } = this.#options
    if (mail === undefined) return false
    const inviter = from.inviter === undefined ? undefined : await records.find(from.inviter)
    const by = inviter?.vouched === true ? inviter.email : undefined
    try {
      this.#accounts.assertAllowed(from.owner)
      addressees.assertAllowed(letter.email)
      mail.mailer.post(from.owner, async () => mail.letters.invitation({ ...letter, by }))
    } catch (error) {
      // The invitation stands, and its link can be handed over.
      if (error instanceof Failure && error.code === 'rate_limited') return false
      throw error
    }
    this.#accounts.note(from.owner)
    addressees.note(letter.email)
    return true
  }
}
