import type { MessageKind, UnsentMessage } from './message.ts'
import { cannotKeep } from './draft-failures.ts'
import type { DraftFiles, DraftHeader } from './draft-files.ts'
import { DraftKeeper, type Snapshot } from './draft-keeper.ts'
import type { FoundDrafts } from './found-drafts.ts'

export interface KeptMessageOptions {
  readonly kind: MessageKind
  /** For people. */
  readonly name: string
  readonly where: Pick<DraftHeader, 'service' | 'slug' | 'branchId' | 'branch' | 'path'>
  readonly files: DraftFiles
  readonly makeRoom: () => Promise<void>
  readonly onChange: () => void
}

/** A message that is kept on this machine until it is sent, as a draft of no file. */
export class KeptMessage implements UnsentMessage {
  readonly #options: KeptMessageOptions
  readonly #keeper: DraftKeeper
  #text = ''
  #sent: string | undefined
  #notice: string | undefined

  constructor(options: KeptMessageOptions) {
    const { files, where, makeRoom, onChange } = options
    this.#options = options
    const take = async (): Promise<Snapshot | undefined> => this.#take()
    this.#keeper = new DraftKeeper({ files, key: () => where, take, makeRoom, onTrouble: onChange })
  }

  get kind(): MessageKind {
    return this.#options.kind
  }
  get name(): string {
    return this.#options.name
  }
  get where(): KeptMessageOptions['where'] {
    return this.#options.where
  }
  get text(): string {
    return this.#text
  }
  get sent(): string | undefined {
    return this.#sent
  }
  get trouble(): string | undefined {
    return this.#keeper.trouble
  }
  get notice(): string | undefined {
    return this.#notice
  }
  /** It is on the disk, or there is nothing to be kept. */
  get isKept(): boolean {
    return this.#text === '' || this.#keeper.isKept
  }

  changed(text: string, sent: string | null | undefined = this.#sent): void {
    const doubted = text === '' || sent === null ? undefined : sent
    if (text === this.#text && doubted === this.#sent) return
    this.#text = text
    this.#sent = doubted
    this.#keeper.touch()
  }

  async flush(): Promise<void> {
    await this.#keeper.flushIfPossible()
  }

  /** @throws Failure when it cannot be kept */
  async keep(): Promise<void> {
    try {
      await (this.#text === '' ? this.#keeper.flush() : this.#keeper.keep())
    } catch (error) {
      if (this.#text !== '') throw cannotKeep(this.name, error)
    }
  }

  /** What was left here by an earlier time, with what has been typed since. */
  found({ ours, notice }: FoundDrafts): void {
    this.#notice = notice === undefined ? undefined : 'Another terminal has a message for it, too, that is not sent.'
    if (ours === undefined) return
    const text = [ours.text, this.#text].filter(Boolean).join('\n')
    this.changed(text, ours.draft.header.sent[0])
  }

  #take(): Snapshot | undefined {
    if (this.#text === '') return undefined
    const header: DraftHeader = {
      quire: 'draft',
      version: 1,
      ...this.#options.where,
      baseOid: null,
      cursor: this.#text.length,
      waiting: false,
      sent: this.#sent === undefined ? [] : [this.#sent],
      changedAt: new Date().toISOString(),
    }
    return { header, text: [this.#text], baseText: '' }
  }
}
