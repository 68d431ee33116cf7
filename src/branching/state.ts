import { randomBytes } from 'node:crypto'
import type { Oid } from '../content/repository.ts'
import type { ErrorDetail } from '../contract/common.ts'

/** A build of a preview that came to its end. */
export interface PreviewBuild {
  readonly id: string
  readonly status: 'live' | 'failed'
  readonly commit: Oid
  readonly pages: { readonly total: number; readonly built: number; readonly reused: number }
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
  readonly counts: { readonly errors: number; readonly warnings: number }
  readonly durationMs: number
  readonly createdAt: string
  readonly finishedAt: string
}

/** What the preview of a branch shows. */
export interface ServedPreview {
  readonly release: string
  readonly commit: Oid
}

/** A branch as it is stored: what its ref does not say. */
export interface StoredBranch {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly served?: ServedPreview
  readonly build?: PreviewBuild
  readonly sent?: SentFiles
}

/** What a branch was made of by whoever sends whole folders: what others save is told from it. */
export interface SentFiles {
  readonly commit: Oid
  /** The head that it replaced; still there where a crash came before the ref moved. */
  readonly before?: Oid
}

/** A project's document, as far as this room knows it. Other rooms have members of their own. */
export interface BranchingDocument {
  branching?: { branches: StoredBranch[] }
}

/** Of each build's errors and warnings the document holds the first few; memory holds more. */
const maxStoredDetails = 3
const maxStoredMessage = 200
const maxDetails = 200

/** An id that is not used again, also when a branch of the same name is. */
export function newBranchId(): string {
  return randomBytes(8).toString('hex')
}

/** An id of a build and its release that sorts by time. */
export function newPreviewId(now: Date): string {
  return `p${now.getTime().toString(36).padStart(10, '0')}${randomBytes(4).toString('hex')}`
}

export function bounded(details: readonly ErrorDetail[]): readonly ErrorDetail[] {
  return details.slice(0, maxDetails)
}

/** A branch as the project's document holds it: small. */
export function summarise(branch: StoredBranch): StoredBranch {
  const { build } = branch
  if (build === undefined) return branch
  return { ...branch, build: { ...build, errors: digest(build.errors), warnings: digest(build.warnings) } }
}

/** Messages quote tenants' files; the store takes neither NUL nor half a character. */
function digest(details: readonly ErrorDetail[]): ErrorDetail[] {
  return details.slice(0, maxStoredDetails).map(({ frame: _frame, message, ...position }) => ({
    ...position,
    message: message.slice(0, maxStoredMessage).replace(/[\0\p{Surrogate}]/gu, '\uFFFD'),
  }))
}
