import type { Repository } from '../content/repository.ts'
import type { Deploy } from '../contract/deploys.ts'
import type { OnError } from '../contract/projects.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { FairLimit } from '../lib/fair-limit.ts'
import type { Store } from '../storage/store.ts'
import type { SiteBuilder } from '../site/builder.ts'
import type { Reserve } from '../usage/usage.ts'
import type { DeployReports } from './reports.ts'

/** The log of the service. */
export interface Log {
  info(details: Readonly<Record<string, unknown>>, message: string): void
  warn(details: Readonly<Record<string, unknown>>, message: string): void
  error(details: Readonly<Record<string, unknown>>, message: string): void
}

/** What the pipeline needs from the rest of the service. */
export interface DeployingPorts {
  readonly store: Pick<Store, 'read' | 'mutate' | 'list' | 'setAside' | 'acquire' | 'release' | 'readOnly'>
  readonly repositories: { open(projectId: string): Promise<Repository> }
  readonly hosting: Pick<Hosting, 'open'>
  readonly builder: SiteBuilder
  /** Builds under way, divided among owners. */
  readonly builds: Pick<FairLimit, 'isFull' | 'acquire'>
  readonly previews: {
    /** Ids of the releases that previews show: the deploys’ own collection must keep them. Throws `not_found`. */
    releases(projectId: string): Promise<Iterable<string>>
  }
  readonly outbox: DeployOutbox
  /** One deploy of the plan; held under the id of the deploy. Not asked for what is live already. */
  readonly reserveDeploy: Reserve
  readonly documentOf: (projectId: string) => string
  readonly titleOf: (projectId: string) => Promise<string>
  /** What becomes of pages that cannot be compiled. */
  readonly onErrorOf: (projectId: string) => Promise<OnError>
  readonly ownerOf: (projectId: string) => string
  /** The current slug of a project. */
  readonly slugOf: (project: string) => string
  readonly siteUrl: (projectId: string) => string
  /** Where the pages of a project say that they are: on a domain of its own, if it has one. */
  readonly canonicalUrl: (projectId: string) => string
  readonly reports: DeployReports
  readonly failpoint: Failpoint
  readonly log: Log
  readonly now: () => Date
}

/** A deploy that is on record. `finished` resolves with its end, live or failed; it rejects only for a bug. */
export interface AcceptedDeploy {
  readonly deploy: Deploy
  readonly finished: Promise<Deploy>
}

/** Where the end of a deploy is put so that it is told for certain. */
export interface DeployOutbox {
  /** Before a deploy begins. Throws Failure `unavailable` when its end could not be told for certain. */
  requireRoom(projectId: string): Promise<void>
  /** Inside the change that records the end, with the draft of the project's document. Pure and synchronous. */
  record(document: object, end: DeployFinished): void
  /** What was recorded is durable now. Must not throw. */
  wake(projectId: string): void
}

/** The end of a deploy, as webhooks, the log and metrics are told of it. */
export interface DeployFinished {
  readonly type: 'deploy.success' | 'deploy.failed'
  readonly projectId: string
  readonly deploy: Deploy
}

/** Steps of the pipeline after which a test may have the process killed. */
export const failpoints = [
  'after-lease',
  'after-commit',
  'after-record',
  'after-build',
  'after-release',
  'after-refs',
  'after-point',
] as const
export type FailpointName = (typeof failpoints)[number]
export type Failpoint = (name: FailpointName) => void

const never: Failpoint = () => undefined

/**
 * A step that kills its own process as `kill -9` does: nothing is flushed, no handler runs. How crash safety is
 * tested; without a name (always, outside tests) it does nothing.
 */
export function createFailpoint(wanted: FailpointName | undefined): Failpoint {
  if (wanted === undefined) return never
  return (name) => {
    if (name === wanted) process.kill(process.pid, 'SIGKILL')
  }
}
