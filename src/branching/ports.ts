import type { Repository } from '../content/repository.ts'
import type { Checks } from '../deploying/checks.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Log } from '../deploying/ports.ts'
import type { OnError } from '../contract/projects.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { FairLimit } from '../lib/fair-limit.ts'
import type { Store } from '../storage/store.ts'
import type { SiteBuilder } from '../site/builder.ts'
import type { OnePageRenderer } from '../site/one-page.ts'
import type { Reserve } from '../usage/usage.ts'
import type { PreviewBuild } from './state.ts'

/** What branches need of other rooms. */
export interface BranchingPorts {
  readonly store: Pick<Store, 'read' | 'mutate' | 'list'>
  readonly repositories: { open(projectId: string): Promise<Repository> }
  readonly hosting: Pick<Hosting, 'open'>
  readonly builder: SiteBuilder
  /** Builds of previews under way, divided among owners; those of deploys are not counted. */
  readonly builds: Pick<FairLimit, 'run'>
  /** Searches under way, divided among owners. */
  readonly searches: Pick<FairLimit, 'isFull' | 'run'>
  readonly pages: OnePageRenderer
  /** Pages that are rendered by themselves, divided among owners. */
  readonly renders: Pick<FairLimit, 'isFull' | 'run'>
  readonly ownerOf: (projectId: string) => string
  /** Publishes and pushes to main go through it. */
  readonly deploys: Pick<Deploys, 'run' | 'follow' | 'liveContent' | 'collectSoon'>
  /** Builds of what is not saved. */
  readonly checks: Pick<Checks, 'build'>
  readonly outbox: PreviewOutbox
  /** One branch of the plan; held under its name. */
  readonly reserveBranch: Reserve
  readonly documentOf: (projectId: string) => string
  /** Prefix of the names of projects' documents. */
  readonly documentPrefix: string
  /** What people call a project. */
  readonly slugOf: (project: string) => string
  readonly titleOf: (projectId: string) => Promise<string>
  /** What becomes of pages that cannot be compiled. */
  readonly onErrorOf: (projectId: string) => Promise<OnError>
  /** Where the site of a label is: `https://docs--intro.example.net`. */
  readonly urlOf: (label: string) => string
  /** Told of branches that are gone, with what others keep of them. Must not throw. */
  readonly onGone?: (projectId: string, branchId: string) => void
  readonly log: Log
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
  wake(projectId: string): void
}

export interface PreviewEnded {
  readonly projectId: string
  readonly branch: string
  /** Where the preview is. */
  readonly url: string
  readonly build: PreviewBuild
}
