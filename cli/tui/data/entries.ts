import type { Entry } from '#contract/changelog.ts'
import type { Draft } from './drafts/draft.ts'
import type { Loaded } from './loaded.ts'

/**
 * The changelog of a project. Entries are written as drafts of this machine, as files are: their text is a Markdown file
 * with front matter (entry-text.ts), and `path` their key.
 */
export interface Entries {
  /** Newest first. */
  list(): Promise<Loaded<readonly Entry[]>>
  /** An entry with what is kept of it here. @param key `keyOf` of its id, or of an `UnsavedEntry`. @throws Failure */
  edit(key: string): Promise<Draft>
  /** A new one; the service has it, as a draft of its own, from the first save on. */
  create(): Promise<Draft>
  /** What was written here and is not saved, newest first. */
  unsaved(): Promise<readonly UnsavedEntry[]>
  keyOf(id: string): string
  /** Id of the entry that a draft is of; undefined before its first save. */
  idOf(draft: Pick<Draft, 'path'>): string | undefined
}

export interface UnsavedEntry {
  readonly key: string
  /** Undefined: the service has never had it. */
  readonly id: string | undefined
  readonly title: string
  readonly changedAt: Date
  /** A save that waits for the connection. */
  readonly waiting: boolean
  /** Another terminal works on it. */
  readonly elsewhere: boolean
}
