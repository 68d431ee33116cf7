import type { PieceDecision } from '../../authoring/merge-pieces.ts'

/** A text that is not saved, with what it began from. Line ends are line feeds. */
export interface FileDraft {
  /** Of the file that it began from; null: there was none. */
  readonly oid: string | null
  readonly base: string
  readonly text: string
  /** What is decided where somebody else has saved the file, too. */
  readonly decisions?: readonly PieceDecision[]
  /** Who kept it: each time that a file is opened is a writer of its own. Absent: kept for another path. */
  readonly writer?: string
  /** Counts what its writer kept. */
  readonly turn?: number
}

/** What tabs tell each other of a file: its draft is another one, or they have it open, too. */
export type DraftNews = 'changed' | 'opened' | 'here'

export function isSameDraft(one: FileDraft | undefined, other: FileDraft | undefined): boolean {
  return one?.writer === other?.writer && one?.turn === other?.turn && one?.text === other?.text
}

/** Nobody else kept what would be lost with it. */
export function isKnown(
  found: FileDraft | undefined,
  seen: FileDraft | undefined,
  writer: string | undefined,
): boolean {
  return found === undefined || (writer !== undefined && found.writer === writer) || isSameDraft(found, seen)
}
