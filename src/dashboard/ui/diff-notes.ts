import type { ReactNode } from 'react'
import type { DiffHunk, FileDiff } from '../../contract/comparisons.ts'
import type { DiffRow } from './diff-rows.ts'

/** A line of one side of a diff. */
export interface DiffSpot {
  readonly side: 'main' | 'branch'
  readonly number: number
  readonly text: string
}

/** What a page shows with the lines of a file. */
export interface FileNotes {
  /** Below a line, by its `spotKey`. */
  readonly lines: ReadonlyMap<string, ReactNode>
  readonly above: ReactNode
  readonly under: ReactNode
  /** Numbers of lines are buttons that do it. */
  readonly onLine?: ((spot: DiffSpot) => void) | undefined
}

/** What a page shows within a diff. Another object where something of it has changed, and only then. */
export interface DiffNotes {
  /** @param hunks of the file as they are shown; none where there are no lines */
  readonly of: (file: FileDiff, hunks: readonly DiffHunk[]) => FileNotes
  /** Path of a file of which something is asked for: it is made however far from the window it is. */
  readonly asked: string | undefined
}

export function spotKey({ side, number }: Pick<DiffSpot, 'side' | 'number'>): string {
  return `${side} ${number}`
}

/** The lines of a row; a line that both sides have counts on both. */
export function spotsOf({ old, now }: DiffRow): readonly DiffSpot[] {
  return [
    ...(old === undefined ? [] : [{ side: 'main', number: old.number, text: old.line.text } as const]),
    ...(now === undefined ? [] : [{ side: 'branch', number: now.number, text: now.line.text } as const]),
  ]
}
