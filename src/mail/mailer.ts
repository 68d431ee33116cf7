/** A message to one person, finished. */
export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Sends letters in the background: nobody who causes one waits for it. */
export interface Mailer {
  /**
   * Throws Failure `rate_limited` when too many wait.
   *
   * @param party Whoever causes it, an account or a network: turns are shared among parties.
   * @param write Called in its turn, once; null where nobody is to be written to.
   */
  post(party: string, write: () => Promise<Letter | null>): void
}
