import type { Letter, Mailer } from '#mail/mailer.ts'

/** Keeps letters instead of sending them, in the order in which they were posted. */
export class PostedLetters implements Mailer {
  readonly #letters: Promise<Letter | null>[] = []
  /** Thrown at whoever posts. */
  refusal: Error | null = null

  post(_party: string, write: () => Promise<Letter | null>): void {
    if (this.refusal !== null) throw this.refusal
    this.#letters.push(write())
  }

  /** Takes what was posted; null where nobody was written to. */
  async take(): Promise<(Letter | null)[]> {
    return Promise.all(this.#letters.splice(0))
  }
}

/** The token in the link of a letter. */
export function tokenIn({ text }: Pick<Letter, 'text'>): string {
  const [, token] = /#token=([\w-]+)$/m.exec(text) ?? []
  if (token === undefined) throw new Error(`there is no link in ${text}`)
  return token
}
