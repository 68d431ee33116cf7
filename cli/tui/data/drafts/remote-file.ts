import type { Theirs } from './draft.ts'

/** The file on the branch. */
export interface RemoteFile {
  /** @param expected what must be there; null: nothing. @returns the id of what is there now. @throws Failure */
  save(
    path: string,
    bytes: Buffer,
    options: { readonly expected: string | null; readonly message?: string },
  ): Promise<string>
  theirs(path: string): Promise<Theirs>
  readonly isOffline: boolean
}
