import { setTimeout as sleep } from 'node:timers/promises'
import type { Branch } from '#contract/branches.ts'
import type { UnsentMessage } from '../../data/drafts/message.ts'
import type { Context } from '../shared/context.ts'

/** A disk that hangs must not keep anybody from writing. */
const patienceMs = 1_500

/** What a publish says that it changes. It is kept on this machine until it is published. */
export class PublishMessage {
  readonly #context: Pick<Context, 'app' | 'workspace'>
  readonly #slug: string
  readonly #branch: Branch
  #kept: UnsentMessage | undefined
  #text = ''

  constructor(context: Pick<Context, 'app' | 'workspace'>, slug: string, branch: Branch) {
    this.#context = context
    this.#slug = slug
    this.#branch = branch
  }

  /** Undefined: the person said nothing. */
  get text(): string | undefined {
    return this.#text.trim() || undefined
  }

  /** What was written before, and not published. */
  async remember(): Promise<void> {
    const { workspace } = this.#context
    this.#kept ??= await workspace.project(this.#slug).message?.('publish', this.#branch)
    if (this.#text === '') this.#text = this.#kept?.text ?? ''
    this.#kept?.changed(this.#text)
  }

  async ask(): Promise<void> {
    // Else what is typed now would take the place of what was written before.
    await Promise.race([this.remember().catch(() => undefined), sleep(patienceMs, undefined, { ref: false })])
    const before = this.#text
    const values = await this.#context.app.dialogs.ask({
      title: 'What changes',
      fields: [
        {
          name: 'message',
          label: 'Message',
          value: before,
          placeholder: `Publish ${this.#branch.name}`,
          help: 'It stands in the list of deploys and in the history of main.',
          optional: true,
          onChange: (text) => this.#become(text),
        },
      ],
      act: 'Keep it',
    })
    this.#become(values?.['message'] ?? before)
  }

  /** It is published, or the branch is gone. */
  forget(): void {
    this.#become('')
    void this.#kept?.flush()
  }

  #become(text: string): void {
    this.#text = text
    this.#kept?.changed(text)
  }
}
