import type { ProjectFile } from '#contract/files.ts'
import type { Draft } from './drafts/draft.ts'
import type { Loaded } from './loaded.ts'

/** A file as the branch has it. */
export interface OpenedFile {
  readonly path: string
  /** Null: there is none yet. */
  readonly oid: string | null
  /** Undefined: not text, so it cannot be edited here. */
  readonly text: string | undefined
  readonly size: number
}

/** A file that goes elsewhere. */
export interface FileMove {
  readonly file: ProjectFile
  readonly to: string
  /** What it has there; absent: what it has. */
  readonly text?: string
}

/** A file that gets another text, along with what is moved. */
export interface FileMend {
  readonly path: string
  readonly oid: string | null
  readonly text: string
}

/** The files of one branch, or of main. */
export interface BranchFiles {
  readonly slug: string
  /** `main`, or the branch’s name. */
  readonly branch: string
  /** The branch’s id; undefined: main. */
  readonly branchId: string | undefined
  readonly readOnly: boolean
  /** @param known what was listed last: the same where the branch has not moved since */
  list(known?: readonly ProjectFile[]): Promise<Loaded<readonly ProjectFile[]>>
  read(path: string): Promise<Loaded<OpenedFile>>
  /** A file with its draft, if one is kept: what the editor works on. @throws Failure when it is no text, or not there */
  edit(path: string): Promise<Draft>
  /** Beginning of a new file. @throws Failure when there is one. */
  create(path: string, text: string): Promise<Draft>
  /** @throws Failure stale_file and what else the service refuses */
  remove(file: ProjectFile): Promise<void>
  /** In one commit; drafts move along. @throws Failure stale_file and what else the service refuses: nothing was moved */
  move(moves: readonly FileMove[], mends: readonly FileMend[], message: string): Promise<void>
  /** Takes main’s version back, also of a file that the branch deleted. */
  restore(file: ProjectFile): Promise<void>
  /** Bytes as they are, such as an image. @param over oid of the file whose place they take; absent: there is none */
  upload(path: string, content: Uint8Array, over?: string): Promise<void>
}
