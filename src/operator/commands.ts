import { stat } from 'node:fs/promises'
import type { Git } from '../content/git/git.ts'
import type {
  Administration,
  BackupSummary,
  CheckReport,
  CollectedProject,
  CreatedAccount,
  LongRun,
  OnProgress,
  OperatorAccount,
  RemovedAccount,
  RestoreSummary,
} from '../contract/operator.ts'
import { Failure } from '../contract/failure.ts'
import type { Member } from '../contract/members.ts'
import type { Plan } from '../contract/projects.ts'
import { openArchive, writeArchive, type StandardStreams } from './archive/files.ts'
import { backup, projectsOf } from './backup.ts'
import { check } from './check/check.ts'
import type { Operator } from './operator.ts'
import { entryOf, type AuditPort } from './recorded-accounts.ts'
import { restore } from './restore.ts'

export interface CommandsOptions {
  /** Absolute path of the data directory. */
  readonly directory: string
  readonly git: Git
  readonly streams: StandardStreams
  /** Of Quire. */
  readonly version: string
  readonly now: () => Date
  /** The audit log of a data directory. */
  readonly openAudit: (directory: string) => AuditPort & { close(): Promise<void> }
  /** Locks the data directory, or reaches the service that has. */
  readonly open: () => Promise<Operator>
}

/** What `quire admin` does. */
export class Commands implements Administration {
  readonly directory: string
  readonly #options: CommandsOptions

  constructor(options: CommandsOptions) {
    this.directory = options.directory
    this.#options = options
  }

  accounts(): Promise<readonly OperatorAccount[]> {
    return this.#withOperator(({ accounts }) => accounts.list())
  }

  createAccount(email: string, password?: string): Promise<CreatedAccount> {
    return this.#withOperator(({ accounts }) => accounts.createByOperator(email, password))
  }

  resetPassword(email: string, password?: string): Promise<string> {
    return this.#withOperator(({ accounts }) => accounts.resetPassword(email, password))
  }

  setPlan(email: string, plan: Plan): Promise<OperatorAccount> {
    return this.#withOperator(({ accounts }) => accounts.setPlan(email, plan))
  }

  removeAccount(email: string): Promise<RemovedAccount | null> {
    return this.#withOperator(({ accounts }) => accounts.remove(email))
  }

  transferProject(slug: string, email: string): Promise<Member> {
    return this.#withOperator(({ accounts }) => accounts.transferProject(slug, email))
  }

  backup(file: string, run: LongRun): Promise<BackupSummary> {
    return this.#withOperator((operator) =>
      writeArchive(file, this.#options.streams.output, (sink) => backup({ ...this.#options, ...run, operator, sink })),
    )
  }

  async restore(file: string, into: string | undefined, run: LongRun): Promise<RestoreSummary> {
    const { git, streams, directory } = this.#options
    const source = await openArchive(file, streams.input)
    const summary = await restore({ ...run, source, directory: into ?? directory, git })
    await recordRestore(summary, this.#options.openAudit(summary.directory))
    return summary
  }

  check(onProgress: OnProgress): Promise<CheckReport> {
    return this.#withOperator((operator) => check({ ...this.#options, operator, onProgress }))
  }

  collect(slug: string | undefined, onProgress: OnProgress): Promise<readonly CollectedProject[]> {
    return this.#withOperator(async (operator) => {
      const slugs = slug === undefined ? await projectsOf(this.directory) : [slug]
      const collected: CollectedProject[] = []
      for (const [index, project] of slugs.entries()) {
        onProgress(`${project} (${index + 1} of ${slugs.length})`)
        collected.push(await operator.collect(project))
      }
      return collected
    })
  }

  async #withOperator<T>(work: (operator: Operator) => Promise<T>): Promise<T> {
    await this.#requireDirectory()
    const operator = await this.#options.open()
    try {
      return await work(operator)
    } finally {
      await operator.close()
    }
  }

  /** Locking makes a directory; a mistyped one must not be made. */
  async #requireDirectory(): Promise<void> {
    const found = await stat(this.directory).catch(() => null)
    if (found?.isDirectory() === true) return
    throw new Failure('not_found', `There is no data directory ${this.directory}.`, {
      hint: 'Set DATA_DIR to the one that the service is started with, or name it with --data.',
    })
  }
}

/** In every project that came back: what was done since the backup is not in its log any more. */
async function recordRestore(
  { directory, createdAt }: RestoreSummary,
  audit: AuditPort & { close(): Promise<void> },
): Promise<void> {
  try {
    for (const slug of await projectsOf(directory))
      await audit.record(slug, entryOf('restore', { detail: `as of ${createdAt}` }))
  } finally {
    await audit.close()
  }
}
