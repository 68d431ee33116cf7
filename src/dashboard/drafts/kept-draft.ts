import pLimit from 'p-limit'
import { isSameDraft, type FileDraft, type DraftNews } from './file-draft.ts'
import type { FileDrafts } from './file-drafts.ts'

/** Where drafts are kept. */
export type FileDraftStore = Pick<FileDrafts, 'read' | 'keep' | 'keepAtOnce' | 'forget' | 'tell' | 'onNews'>

/** A draft that another tab kept, or that it has none any more; and what was seen before. */
export interface OtherDraft {
  readonly draft: FileDraft | undefined
  readonly before: FileDraft | undefined
}

/** The draft of one file that is open here: what is asked of it is done in order, and other tabs are heard of. */
export class KeptDraft {
  readonly #drafts: FileDraftStore
  readonly #path: string
  readonly #writer = `${Date.now()}-${Math.random()}`
  #turn = 0
  readonly #inOrder = pLimit(1)
  #seen: FileDraft | undefined
  /** What was kept here was seen to be gone, and nothing has been kept since. */
  #isSeenTaken = false

  private constructor(drafts: FileDraftStore, path: string, seen: FileDraft | undefined) {
    this.#drafts = drafts
    this.#path = path
    this.#seen = seen
  }

  static async open(drafts: FileDraftStore, path: string): Promise<KeptDraft> {
    // Where the browser keeps nothing, the state of the file says so at the first key.
    return new KeptDraft(drafts, path, await drafts.read(path).catch(() => undefined))
  }

  /** As it was read or kept here last. */
  get seen(): FileDraft | undefined {
    return this.#seen
  }

  /** @param version asked when its turn comes. @returns what another tab kept instead; it counts as seen from now on */
  keep(version: () => FileDraft): Promise<OtherDraft | undefined> {
    return this.#inOrder(async () => {
      const draft = this.#signed(version())
      const before = this.#seen
      this.#isSeenTaken = false
      const other = await this.#drafts.keep(this.#path, draft, before)
      // What was kept at once, meanwhile, is newer.
      if (this.#seen === before || other !== undefined) this.#seen = other ?? draft
      return other === undefined ? undefined : { draft: other, before }
    })
  }

  /** For a page that may be gone before the next step. */
  async keepAtOnce(version: FileDraft): Promise<OtherDraft | undefined> {
    const draft = this.#signed(version)
    const before = this.#seen
    this.#seen = draft
    this.#isSeenTaken = false
    const other = await this.#drafts.keepAtOnce(this.#path, draft, before)
    return other === undefined ? undefined : { draft: other, before }
  }

  /** What was kept here is not here any more, and it was not this file that forgot it. */
  isTaken(): Promise<boolean> {
    return this.#inOrder(
      async () =>
        this.#isSeenTaken || (this.#seen !== undefined && (await this.#drafts.read(this.#path)) === undefined),
    )
  }

  forget(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#drafts.forget(this.#path, this.#seen, this.#writer)
      this.#seen = undefined
    })
  }

  /** What another tab made of it, which counts as seen from now on; undefined: nothing. */
  other(): Promise<OtherDraft | undefined> {
    return this.#inOrder(async () => {
      const draft = await this.#drafts.read(this.#path)
      const before = this.#seen
      if (isSameDraft(draft, before) || draft?.writer === this.#writer) return undefined
      this.#seen = draft
      this.#isSeenTaken = draft === undefined
      return { draft, before }
    })
  }

  /** @returns ends it */
  onNews(listener: (news: DraftNews) => void): () => void {
    const end = this.#drafts.onNews(this.#path, this.#writer, listener)
    this.#drafts.tell(this.#path, 'opened')
    return end
  }

  /** Tells who asked that it is open here, too. */
  answer(): void {
    this.#drafts.tell(this.#path, 'here')
  }

  #signed(draft: FileDraft): FileDraft {
    this.#turn += 1
    return { ...draft, writer: this.#writer, turn: this.#turn }
  }
}
