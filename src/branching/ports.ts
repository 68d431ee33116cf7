import type { Author, Oid, RefUpdate, Repository } from '../content/repository.ts'
import type { Deploy, DeployEvent } from '../contract/deploys.ts'
import type { Failure } from '../contract/failure.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { Store } from '../storage/store.ts'
import type { SiteBuilder } from '../site/builder.ts'
import type { Reserve } from '../usage/reserved.ts'
import type { PreviewBuild } from './state.ts'

/** What branches need of other rooms. */
export interface BranchingPorts {
  readonly store: Store
  readonly repositories: { open(slug: string): Promise<Repository> }
  readonly hosting: Pick<Hosting, 'open'>
  readonly builder: SiteBuilder
  readonly deploys: DeploysPort
  readonly outbox: PreviewOutbox
  /** One branch of the plan; held under its name. */
  readonly reserveBranch: Reserve
  readonly documentOf: (slug: string) => string
  /** Prefix of the names of projects' documents. */
  readonly documentPrefix: string
  /** What people call a project. */
  readonly slugOf: (project: string) => string
  readonly titleOf: (slug: string) => Promise<string>
  /** Where the site of a label is: `https://docs--intro.example.net`. */
  readonly urlOf: (label: string) => string
  readonly log: {
    warn(details: Readonly<Record<string, unknown>>, message: string): void
    error(details: Readonly<Record<string, unknown>>, message: string): void
  }
  readonly now: () => Date
}

/** Where the end of a preview's build is put so that it is told for certain. */
export interface PreviewOutbox {
  /**
   * Inside the change that records the end, with the draft of the project's document. Pure and synchronous. Throws
   * Failure `unavailable` when there is no room for it at the moment.
   */
  record(document: object, end: PreviewEnded): void
  /** What was recorded is durable now. Must not throw. */
  wake(slug: string): void
}

export interface PreviewEnded {
  readonly slug: string
  readonly branch: string
  /** Where the preview is. */
  readonly url: string
  readonly build: PreviewBuild
}

/** The pipeline, as far as publishes and pushes to main go through it. */
export interface DeploysPort {
  /** What the live site shows; null before the first deploy. */
  liveContent(slug: string): Promise<LiveContent | null>
  /** @param source asked only when the order is not answered by an earlier one of its idempotency key. */
  land(order: LandOrder, source: () => Promise<LandSource>): Promise<LandedDeploy>
  follow(slug: string, id: string, listener: (event: DeployEvent) => void): Promise<() => void>
  /** The refusal of a deploy that did not go live; null of one that did. */
  failureOf(deploy: Deploy): Failure | null
  collectSoon(slug: string): void
}

export interface LiveContent {
  readonly release: string
  readonly commit: Oid
  /** How many. */
  readonly pages: number
}

export interface LandOrder {
  readonly slug: string
  readonly author: Author
  readonly message?: string
  /** `performance.now()` when the last byte of the request had come. */
  readonly receivedAt: number
  readonly idempotency?: { readonly key: string; readonly body: string }
}

/** Where the commit comes from that main is to become; see the pipeline's `CommitSource`. */
export interface LandSource {
  readonly kind: 'publish' | 'push'
  readonly branch?: string
  find(main: Oid | null, attempt: number): Promise<LandCommit>
}

export interface LandCommit {
  readonly commit: Oid
  readonly mergeCommit?: Oid
  readonly refs: readonly RefUpdate[]
  readonly reuse?: readonly string[]
  settle(landed: boolean): void
}

export interface LandedDeploy {
  readonly deploy: Deploy
  readonly finished: Promise<Deploy>
}
