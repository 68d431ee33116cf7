import type { Position } from '../storage/line-file.ts'

/** What the index knows of an entry: everything but its texts. Times are milliseconds since 1970. */
export interface EntryRecord {
  /** UUID. */
  readonly id: string
  /** Counts the entries of a project in the order in which they were created. */
  readonly number: number
  readonly tags: readonly string[]
  readonly isDraft: boolean
  /** Of a draft: when it was published last, or is meant to be. */
  readonly publishedAt?: number
  readonly createdAt: number
  readonly updatedAt: number
  /** It is published and has still to be announced, now or when its time comes. */
  readonly pending: boolean
  /** Where its texts are. */
  readonly place: Position
}

/** The texts of an entry, kept on disk only. */
export interface EntryTexts {
  readonly title: string
  readonly version?: string
  readonly content: string
  /** As the renderer made it. */
  readonly html: string
  /** Which renderer that was. */
  readonly renderer: string
}

/** When an entry stands in a list. */
export function timeOf(record: EntryRecord): number {
  return record.publishedAt ?? record.createdAt
}
