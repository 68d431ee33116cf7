import type { Oid, RefUpdate, Repository } from '../content/repository.ts'
import type { ErrorDetail } from '../contract/common.ts'
import type { DeployKind } from '../contract/deploys.ts'
import type { ProjectReleases } from '../hosting/hosting.ts'
import type { DeployOrder } from './ports.ts'
import type { Progress } from './progress.ts'
import type { DeployState } from './state.ts'
import type { Stopwatch } from './stopwatch.ts'

/** What a deploy finds: its project, locked. */
export interface Site {
  readonly order: DeployOrder
  /** Id of the deploy and of its release. */
  readonly id: string
  readonly createdAt: string
  readonly repository: Repository
  readonly releases: ProjectReleases
  readonly state: Readonly<DeployState>
  /** What main is now. */
  readonly main: Oid | null
  readonly progress: Progress
  readonly watch: Stopwatch
}

export interface Outcome {
  /** Empty when the site may go live. */
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
  readonly pages: { readonly total: number; readonly built: number; readonly reused: number }
}

/** A commit that no ref names yet, and the site of it under way. */
export interface Prepared {
  readonly commit: Oid
  readonly tree: Oid
  /** Release that will be served. */
  readonly release: string
  /** What decides how the files are built, as `StoredDeploy.builder`. */
  readonly builder?: string
  readonly built: Promise<Outcome>
  /** Settles when the release is durable. Nothing is published when there are errors. */
  readonly published: Promise<void>
  readonly mergeCommit?: Oid
  /** Moved in the transaction that moves main. */
  readonly refs?: readonly RefUpdate[]
  /** Told at the end whether the refs moved, perhaps more than once. */
  settle?(landed: boolean): void
}

/** Where a publish or a push has its commit from. */
export interface CommitSource {
  readonly kind: 'publish' | 'push'
  /** What is published. */
  readonly branch?: string
  /**
   * The commit that main is to become; asked again, with the number of the attempt, when refs moved while its site was
   * built. Refuses with a Failure.
   */
  find(main: Oid | null, attempt: number): Promise<FoundCommit>
}

export interface FoundCommit {
  readonly commit: Oid
  readonly mergeCommit?: Oid
  readonly refs: readonly RefUpdate[]
  /** Releases beside the live one whose pages may be taken over. */
  readonly reuse?: readonly string[]
  /** Told at the end whether the refs moved, perhaps more than once. */
  settle(landed: boolean): void
}

/** One kind of deploy: where its files and its site come from. */
export interface Work {
  readonly kind: DeployKind
  readonly rollbackOf?: string
  readonly branch?: string
  /** When refs moved meanwhile, it is prepared anew. */
  readonly again?: true
  /**
   * Refuses with a Failure when there can be no such deploy: then nothing is recorded.
   * @param attempt counts from 1.
   */
  prepare(site: Site, attempt: number): Promise<Prepared>
}
