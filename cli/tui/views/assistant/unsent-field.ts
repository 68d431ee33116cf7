import { createHash } from 'node:crypto'
import type { UnsentMessage } from '../../data/drafts/message.ts'
import type { MessageField } from './message-field.ts'

/** Tells a message among those that the service has. */
export function markOf(text: string): string {
  return createHash('sha256').update(text.toWellFormed()).digest('hex')
}

/**
 * What is typed to the assistant until the service has it: in the field, or on its way. It is kept on this machine, and
 * so is whether an answer is missed.
 */
export class UnsentField {
  readonly #field: MessageField
  #kept: UnsentMessage | undefined
  /** On its way. */
  #sending = ''
  #doubt: string | undefined
  /** What was noted last. */
  #noted = ''
  #isLeft = false

  constructor(field: MessageField) {
    this.#field = field
  }

  get isKept(): boolean {
    return this.#kept !== undefined
  }

  get trouble(): string | undefined {
    return this.#kept?.trouble
  }

  /** Mark of a message that was sent, and of which no answer came. */
  get doubt(): string | undefined {
    return this.#doubt
  }

  /** From now on. What is kept comes before what was typed meanwhile. */
  keepIn(message: UnsentMessage): void {
    const { text, sent } = message
    const now = this.#kept === undefined ? joined(text, this.#field.value) : text
    this.#kept = message
    // Where there is none, the doubt is of what is on its way.
    if (text !== '') this.#doubt = sent
    if (this.#field.value !== now) this.#field.value = now
    this.#note()
  }

  changed(): void {
    if (!this.#isLeft || this.#kept?.text === this.#noted) this.#note()
  }

  /** Its view is closed: what becomes of the message is still noted, but over nothing that another view has noted since. */
  leave(): void {
    this.#isLeft = true
  }

  /** It goes: the field is that of the next one. */
  take(text: string): void {
    this.#sending = text
    this.#field.value = ''
    this.changed()
  }

  /** It is about to be sent: that outlasts the end of this UI, too. */
  async begin(): Promise<void> {
    this.#doubt = markOf(this.#sending)
    this.changed()
    await this.#kept?.flush()
  }

  /** The service has it. @param rest what it does not have */
  arrived(rest = ''): void {
    this.#sending = rest
    this.#doubt = undefined
    this.changed()
    void this.#kept?.flush()
  }

  /** It is to be sent again. @param isDoubted the service may have it */
  failed(text: string, { isDoubted }: { readonly isDoubted: boolean }): void {
    this.#sending = text
    this.#doubt = isDoubted ? markOf(text) : undefined
    this.changed()
  }

  /** Whatever is not known to be there goes back to the field. */
  giveBack(): void {
    if (this.#sending === '') return
    const text = joined(this.#sending, this.#field.value)
    this.#sending = ''
    this.#field.value = text
    this.changed()
  }

  #note(): void {
    const text = joined(this.#sending, this.#field.value)
    if (text === '') this.#doubt = undefined
    this.#noted = text
    this.#kept?.changed(text, this.#doubt ?? null)
  }
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}
