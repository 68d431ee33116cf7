import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Draft, DraftState, KeptVersion, Lent, Theirs } from '#cli/tui/data/drafts/draft.ts'
import { temporaryDirectory } from './temporary.ts'

/** A draft that is kept nowhere: the branch answers as a test says. */
export class FakeDraft implements Draft {
  readonly path = 'guides/start.mdx'
  base: { oid: string | null; text: string }
  cursor = 0
  recovered = false
  state: DraftState = 'saved'
  theirs: Theirs | undefined
  trouble: string | undefined
  notice: string | undefined
  others: KeptVersion[] = []
  closed = false
  /** Files that another program has had. */
  readonly returned: string[] = []
  /** What the branch got. */
  readonly saved: string[] = []
  /** What the next save comes to. */
  next: { state: DraftState; theirs?: Theirs } = { state: 'saved' }
  #text: () => string
  #listeners: (() => void)[] = []

  constructor(text: string) {
    this.base = { oid: 'one', text }
    this.#text = () => text
  }
  get text(): string {
    return this.#text()
  }
  onChange(listener: () => void): () => void {
    this.#listeners.push(listener)
    return () => undefined
  }
  changed(text: () => string): void {
    this.#text = text
    if (this.state !== 'conflict') this.become('changed')
  }
  async lend(name: string, text: string): Promise<Lent> {
    const file = join(await temporaryDirectory(), name)
    await writeFile(file, text)
    return { file, end: async () => void this.returned.push(file) }
  }
  async save(): Promise<void> {
    if (this.next.state === 'saved') {
      this.saved.push(this.text)
      this.base = { oid: 'mine', text: this.text }
    }
    this.theirs = this.next.theirs
    this.become(this.next.state)
  }
  rebase(text: string): void {
    this.base = { oid: this.theirs?.oid ?? null, text: this.theirs?.text ?? '' }
    this.theirs = undefined
    this.#text = () => text
    this.become('changed')
  }
  async discard(): Promise<void> {
    const { text } = this.base
    this.#text = () => text
    this.become('saved')
  }
  async keep(): Promise<void> {
    if (this.trouble !== undefined) throw new Error(this.trouble)
  }
  async close(): Promise<void> {
    this.closed = true
  }
  become(state: DraftState): void {
    this.state = state
    for (const listener of this.#listeners) listener()
  }
}
