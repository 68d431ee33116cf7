import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import type { TextRenderer } from '../site/text.ts'

/** What this room keeps in a project's document: a few words. The entries are records of their own. */
export interface ChangelogState {
  /** The first date of all entries that are no drafts: since then there is a changelog to see. RFC 3339. */
  since?: string
  /** When the next entry is to be announced, or earlier. */
  due?: string
  /** Ids of entries that are announced, though their records may not say so yet. */
  announced?: string[]
}

/** A project's document, as far as this room knows it. Other rooms have members of their own. */
export interface ChangelogDocument {
  slug: string
  title: string
  /** RFC 3339: tells it from another project that had its name. */
  createdAt?: string
  changelog?: ChangelogState
}

/** An entry has appeared. */
export interface PublishedEvent {
  readonly id: string
  readonly type: 'changelog.published'
  /** RFC 3339, UTC. */
  readonly at: string
  readonly data: {
    readonly message: string
    readonly url: string
    readonly entry: { readonly id: string; readonly title: string; readonly version?: string }
  }
}

/** Who tells others. */
export interface Announcer {
  /**
   * Puts the event into the project's document, inside the change that makes it happen. Pure and synchronous. Throws
   * Failure `unavailable` when there is no room for it at the moment.
   */
  record(document: ChangelogDocument, event: PublishedEvent): void
  /** Something was recorded. */
  wake(projectId: string): void
}

export interface ChangelogPorts {
  readonly store: Store
  /** Name of a project's document, and what all those names begin with. */
  readonly documentOf: (projectId: string) => string
  readonly documentPrefix: string
  readonly records: Pick<Records, 'use'>
  readonly renderer: TextRenderer
  /** Where the project's site is: `https://docs.example.com`, no trailing slash. */
  readonly siteUrl: (projectId: string) => string
  /** Where its changelog is shown, no trailing slash. */
  readonly pageUrl: (projectId: string) => string
  readonly announcer: Announcer
  readonly now: () => Date
  readonly log: { error(details: Readonly<Record<string, unknown>>, message: string): void }
}
