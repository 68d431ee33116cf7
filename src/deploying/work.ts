import type { Oid, Repository } from '../content/repository.ts'
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
}

/** One kind of deploy: where its files and its site come from. */
export interface Work {
  readonly kind: DeployKind
  readonly rollbackOf?: string
  /** Refuses with a Failure when there can be no such deploy: then nothing is recorded. */
  prepare(site: Site): Promise<Prepared>
}
