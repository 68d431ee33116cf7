import type { Account } from './accounts.ts'
import type { Member } from './members.ts'
import type { Plan } from './projects.ts'

/** An account as the operator of a service sees it. */
export interface OperatorAccount extends Account {
  readonly plan: Plan
  readonly hasPassword: boolean
  /** Issuers of the identity providers that it signs in through. */
  readonly issuers: readonly string[]
}

export interface CreatedAccount {
  readonly account: Account
  /** Told once, here. */
  readonly password: string
}

export interface RemovedAccount {
  readonly account: Account
  /** Slugs of the projects that it was a writer of. */
  readonly left: readonly string[]
}

export interface BackupSummary {
  readonly projects: number
  readonly entries: number
  /** Of all entries together. */
  readonly bytes: number
  /** Of the archive. */
  readonly archiveBytes: number
  /** Slugs of projects that were removed while the backup was made. */
  readonly removed: readonly string[]
}

export interface RestoreSummary {
  /** Absolute. */
  readonly directory: string
  readonly projects: number
  readonly entries: number
  readonly bytes: number
  /** When the backup was begun. */
  readonly createdAt: string
}

/** One thing that is off in a data directory. */
export interface Finding {
  /** Slug. */
  readonly project?: string
  /** File, ref or document. */
  readonly where: string
  readonly problem: string
  /** What to do about it. */
  readonly next: string
}

export interface CheckReport {
  /** Something is lost or damaged. */
  readonly problems: readonly Finding[]
  /** What the service mends itself, or what only takes room. */
  readonly notes: readonly Finding[]
  readonly checked: {
    readonly documents: number
    readonly projects: number
    readonly refs: number
    readonly releases: number
    readonly blobs: number
    /** Of published files. */
    readonly bytes: number
  }
}

/** What was freed in a project. */
export interface CollectedProject {
  readonly project: string
  /** Of the repository; below zero when packing new objects took more than the old ones gave back. */
  readonly repositoryBytes: number
  readonly releases: number
  readonly releaseBytes: number
}

/** Told what a long command is at. */
export type OnProgress = (text: string) => void

/** How a command that takes long is followed, and ended before its time: nothing half is left then. */
export interface LongRun {
  readonly onProgress: OnProgress
  readonly signal?: AbortSignal
}

/** What an operator may do to a data directory: what `dist/admin.js` gives the command line. */
export interface Administration {
  /** Absolute path of the data directory. */
  readonly directory: string
  accounts(): Promise<readonly OperatorAccount[]>
  /** @param password a random one without it. */
  createAccount(email: string, password?: string): Promise<CreatedAccount>
  resetPassword(email: string, password?: string): Promise<string>
  setPlan(email: string, plan: Plan): Promise<OperatorAccount>
  /** Null where there is no such account. */
  removeAccount(email: string): Promise<RemovedAccount | null>
  /** Makes the account of an address the owner of a project, and its owner a writer. */
  transferProject(slug: string, email: string): Promise<Member>
  /** @param file a path, or `-` for standard output. */
  backup(file: string, run: LongRun): Promise<BackupSummary>
  /** @param file a path, or `-` for standard input. */
  restore(file: string, into: string | undefined, run: LongRun): Promise<RestoreSummary>
  check(onProgress: OnProgress): Promise<CheckReport>
  /** @param slug one project; without it all of them. */
  collect(slug: string | undefined, onProgress: OnProgress): Promise<readonly CollectedProject[]>
}
