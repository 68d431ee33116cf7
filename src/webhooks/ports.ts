import type { Store } from '../storage/store.ts'
import type { Send } from './sending.ts'

/** What deliveries need of other rooms. */
export interface DeliveryPorts {
  readonly store: Store
  readonly documentOf: (slug: string) => string
  /** Of the names of projects' documents. */
  readonly documentPrefix: string
  readonly dataDirectory: string
  readonly send: Send
  /** Milliseconds before each attempt; see publishedSchedule. */
  readonly schedule: readonly number[]
  readonly log: {
    warn(details: Readonly<Record<string, unknown>>, message: string): void
    error(details: Readonly<Record<string, unknown>>, message: string): void
  }
  readonly now: () => Date
  /** At least 0, less than 1: jitter. */
  readonly random: () => number
}
