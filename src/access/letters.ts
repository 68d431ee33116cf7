import { confirmEmailPage, linkMinutes, resetPasswordPage } from '../contract/account-changes.ts'
import { letterOf } from '../mail/letter.ts'
import type { Letter, Mailer } from '../mail/mailer.ts'

/** How people are written to, where the service sends mail. */
export interface AccountMail {
  readonly mailer: Mailer
  readonly letters: Letters
}

export interface InvitationLetter {
  readonly email: string
  readonly slug: string
  readonly role: 'owner' | 'writer'
  /** Opens the invitation. */
  readonly url: string
  readonly expiresAt: string
  /** Address of whoever invites, where somebody vouches for it. */
  readonly by: string | undefined
}

/** What people are written, each letter for one of them. Only links have secrets, behind their #, which no log has. */
export class Letters {
  readonly #publicUrl: string
  readonly #host: string

  /** @param publicUrl Origin of the dashboard. */
  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl
    this.#host = new URL(publicUrl).host
  }

  resetPassword(to: string, token: string): Letter {
    return letterOf({
      to,
      subject: `Choose a new password for ${this.#host}`,
      opening: [`Somebody, probably you, asked for a new password for your account at ${this.#host}.`],
      link: { label: 'Choose a new password', url: this.#link(resetPasswordPage, token) },
      closing: [
        `The link is good for ${linkMinutes} minutes, and once. It also ends all your sessions.`,
        'If it was not you, do nothing: your password stays as it is.',
      ],
    })
  }

  noPassword(to: string): Letter {
    return letterOf({
      to,
      subject: `Your account at ${this.#host} has no password`,
      opening: [
        `Somebody, probably you, asked for a new password for your account at ${this.#host}. It has none: you sign in through your identity provider.`,
      ],
      link: { label: 'Sign in', url: `${this.#publicUrl}/dashboard` },
      closing: ['The operator of the service can give it a password.'],
    })
  }

  confirmEmail(to: string, token: string): Letter {
    return letterOf({
      to,
      subject: `Confirm your address for ${this.#host}`,
      opening: [`An account at ${this.#host} is to have this address from now on: ${to}.`],
      link: { label: 'Confirm the address', url: this.#link(confirmEmailPage, token) },
      closing: [
        `The link is good for ${linkMinutes} minutes, and once.`,
        'If it was not you, do nothing: nothing changes.',
      ],
    })
  }

  /** Instead of the link: nobody else hears of it. */
  addressTaken(to: string): Letter {
    return letterOf({
      to,
      subject: `You have an account at ${this.#host} already`,
      opening: [
        `Somebody, probably you, asked that another account at ${this.#host} have this address. It has an account of its own already, and an address is of one account only.`,
        'To have it, sign in to the account of this address, and change its address or delete it first.',
      ],
      link: { label: 'Sign in', url: `${this.#publicUrl}/dashboard` },
      closing: ['If it was not you, do nothing: nothing changes.'],
    })
  }

  /** To the address that an account had until now. */
  emailChanges(to: string, wanted: string): Letter {
    return letterOf({
      to,
      subject: `The address of your account at ${this.#host} is to change`,
      opening: [
        `Somebody, probably you, signed in to your account at ${this.#host} and asked that it have the address ${wanted}. It changes when that address is confirmed.`,
        'If it was not you, change your password now: that also takes the request back.',
      ],
      link: { label: 'Open your account', url: `${this.#publicUrl}/dashboard` },
    })
  }

  invitation({ email: to, slug, role, url, expiresAt, by }: InvitationLetter): Letter {
    const inviter = by === undefined ? 'You are invited' : `${by} invites you`
    const what = role === 'owner' ? `to take over the project ${slug}` : `to write the documentation of ${slug}`
    return letterOf({
      to,
      subject: `Invitation to ${slug} at ${this.#host}`,
      opening: [`${inviter} ${what} at ${this.#host}.`],
      link: { label: 'Open the invitation', url },
      closing: [
        `It is open until ${expiresAt.slice(0, 10)}. Sign in, or create an account, with the address ${to}.`,
        'If you do not know what this is about, do nothing.',
      ],
    })
  }

  #link(page: string, token: string): string {
    return `${this.#publicUrl}${page}#token=${token}`
  }
}
