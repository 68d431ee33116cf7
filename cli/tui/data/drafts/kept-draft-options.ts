import type { DraftFiles, DraftHeader, FoundDraft } from './draft-files.ts'
import type { KeptVersion, Theirs } from './draft.ts'
import type { LentFiles } from './lent-files.ts'
import type { RemoteFile } from './remote-file.ts'

/** What a draft begins with, and what it works with. */
export interface KeptDraftOptions {
  readonly where: Pick<DraftHeader, 'service' | 'slug' | 'branchId' | 'branch'>
  readonly path: string
  readonly files: DraftFiles
  readonly lent: LentFiles
  readonly remote: RemoteFile
  readonly base: { readonly oid: string | null; readonly text: string }
  /** What was found here; absent: nothing. */
  readonly found?: { readonly draft: FoundDraft; readonly text: string }
  /** Of a new file, with nothing found. */
  readonly text?: string
  readonly theirs?: Theirs
  readonly notice?: string
  readonly others?: readonly KeptVersion[]
  /** Frees what it can on a full disk. */
  readonly makeRoom: () => Promise<void>
  readonly onChange: () => void
  readonly onSaved: (oid: string, text: string) => void
  readonly onClosed: () => void
}
