import { Failure } from '#contract/failure.ts'
import { isKnown, type FileDraft } from '#dashboard/drafts/file-draft.ts'
import type { FileDraftStore } from '#dashboard/drafts/kept-draft.ts'
import { OpenFile } from '#dashboard/pages/editor/open-file.ts'
import type { OpenFileOptions } from '#dashboard/pages/editor/open-file-state.ts'
import type { Version } from '#dashboard/pages/editor/versions.ts'

/** A file of a branch in memory: a test does what others do to it. */
export class FakeFile {
  now: Version = { oid: null, text: '' }
  #count = 0

  /** @param text null: it is deleted */
  become(text: string | null): void {
    this.#count += 1
    this.now = text === null ? { oid: null, text: '' } : { oid: `oid-${this.#count}`, text }
  }

  readonly branch: OpenFileOptions['branch'] = {
    read: async () => this.now,
    save: async (text, oid) => {
      if (oid !== this.now.oid) throw new Failure('stale_file', 'Somebody changed it.')
      this.become(text)
      return this.now
    },
    author: async () => 'Grace',
  }
}

/** Drafts of one file, in memory. */
export class FakeDrafts implements FileDraftStore {
  kept: FileDraft | undefined
  /** As a browser without room. */
  refuses = false

  async read(): Promise<FileDraft | undefined> {
    return this.kept
  }
  async keep(_path: string, draft: FileDraft, seen: FileDraft | undefined): Promise<FileDraft | undefined> {
    this.#refuse()
    if (!isKnown(this.kept, seen, draft.writer)) return this.kept
    this.kept = draft
    return undefined
  }
  async keepAtOnce(_path: string, draft: FileDraft, seen: FileDraft | undefined): Promise<FileDraft | undefined> {
    this.#refuse()
    const found = this.kept
    this.kept = draft
    return isKnown(found, seen, draft.writer) ? undefined : found
  }
  async forget(_path: string, seen: FileDraft | undefined, writer: string | undefined): Promise<void> {
    if (isKnown(this.kept, seen, writer)) this.kept = undefined
  }
  tell(): void {}
  onNews(): () => void {
    return () => undefined
  }

  #refuse(): void {
    if (this.refuses) throw new Error('There is no room.')
  }
}

/** A text that is open, and whoever types in it. */
export interface OpenText {
  readonly file: FakeFile
  readonly drafts: FakeDrafts
  readonly open: OpenFile
  /** As a person does. */
  readonly type: (text: string) => void
}

export async function openText(text: string, { readOnly = false } = {}): Promise<OpenText> {
  const file = new FakeFile()
  const drafts = new FakeDrafts()
  file.become(text)
  const open = await OpenFile.open({ path: 'index.mdx', drafts, readOnly, branch: file.branch }, file.now)
  if (open === undefined) throw new Error('There is no file.')
  let shown = open.text
  const type = (next: string): void => {
    shown = next
    open.typed()
  }
  open.attach({ text: () => shown, replace: (next) => void (shown = next), write: type })
  return { file, drafts, open, type }
}
