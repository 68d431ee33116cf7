import type { TextPieces } from './draft-text.ts'

/**
 * - `saved`: the branch has this text.
 * - `changed`: not saved; kept on this machine, or about to be.
 * - `saving`: on its way.
 * - `waiting`: saved by the person while offline; goes to the branch when the service can be reached.
 * - `conflict`: the branch has another text than the one that this began from: see `theirs`.
 */
export type DraftState = 'saved' | 'changed' | 'saving' | 'waiting' | 'conflict'

/** The other side of a conflict. */
export interface Theirs {
  /** Null: it was deleted. */
  readonly oid: string | null
  /** Null: it was deleted, or is no text now. */
  readonly text: string | null
}

/** A text of the same file that was found here beside the one of the draft, from another crash or terminal. */
export interface KeptVersion {
  readonly changedAt: Date
  /** A UI that still runs has it. */
  readonly elsewhere: boolean
  text(): Promise<string>
  /** Forgets it for good. Not of another terminal. @throws Failure */
  discard(): Promise<void>
}

/** A text that another program has open. */
export interface Lent {
  /** Where that finds it. */
  readonly file: string
  /** What it wrote is in the draft, or is not wanted: the file goes as soon as the draft is durable. */
  end(): Promise<void>
}

/** A file that is being edited: the text that it began from, and the safety of what was typed. */
export interface Draft {
  readonly path: string
  /** What the branch had when this began, or at the last save. */
  readonly base: { readonly oid: string | null; readonly text: string }
  /** The text to go on with: of the draft that was kept, else of the branch. */
  readonly text: string
  /** Where the cursor was, UTF-16 units into the text. */
  readonly cursor: number
  /** It was found here, not saved, from an earlier time (a crash, a closed terminal). */
  readonly recovered: boolean
  readonly state: DraftState
  readonly theirs: Theirs | undefined
  /** Why the draft cannot be kept on this machine (a full disk): to be told at once. */
  readonly trouble: string | undefined
  /** To be told when it is opened: another terminal works on the same file. */
  readonly notice?: string | undefined
  /** Other unsaved texts of this file on this machine, newest first. */
  readonly others?: readonly KeptVersion[]
  /** Where on this machine it is kept while it is not saved: for messages. */
  readonly file?: string
  onChange(listener: () => void): () => void
  /**
   * The text, or its end, for another program to change while it is not changed here. What that writes is found by the
   * next start if this one is killed. @param name of the file, for the program. @throws Failure where it cannot be written
   */
  lend(name: string, text: string): Promise<Lent>
  /**
   * What was typed: durable within a second. `text` is asked for only when it is about to be written, so that a key
   * costs nothing.
   * @param pieces of the text as it is when this is asked: they are put together one after the other, between keys. With
   * it a large page does not hold a key up, and is not put together as a whole.
   */
  changed(text: () => string, cursor: () => number, pieces?: () => TextPieces): void
  /** The cursor went elsewhere: kept with what is not saved. */
  moved?(cursor: () => number): void
  /**
   * Saves on the branch (durable there when it resolves). Offline: the state becomes `waiting`. The branch moved on: the
   * state becomes `conflict`. @throws Failure for other refusals; the draft stays.
   */
  save(message?: string): Promise<void>
  /** Goes on from their version, which is the new base; the next `save` is over it. Of a conflict, or a reload. */
  rebase(text: string): void
  /**
   * Looks at what the branch has now. Where nothing was typed here, `text` and `base` become that; else a change there
   * makes a conflict. @throws Failure unavailable
   */
  refresh?(): Promise<void>
  /** Forgets what was typed here and not saved. */
  discard(): Promise<void>
  /** Whatever was typed is durable when it resolves. @throws when it cannot be. */
  keep(): Promise<void>
  /** `keep`, by who does not go on with it. */
  close(): Promise<void>
}
