import type { PageRecord } from '../../contract/release.ts'
import type { PageSummary } from '../page.ts'

/** By source path. */
export type PageRecords = Readonly<Record<string, PageRecord>>

/** The contract keeps summaries opaque; the builder is the only one who writes them. */
export function summaryOf(record: PageRecord): PageSummary {
  return record.summary as PageSummary
}
