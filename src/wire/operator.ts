import { pino } from 'pino'
import { projectDocument, projectPrefix } from '../access/projects.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { Registry } from '../branching/registry.ts'
import type { Config } from '../config.ts'
import { Git } from '../content/git/git.ts'
import { Repositories } from '../content/repositories.ts'
import { Failure } from '../contract/failure.ts'
import { DeployRecords } from '../deploying/records.ts'
import { DeployReports } from '../deploying/reports.ts'
import { Retention } from '../deploying/retention.ts'
import { hasCode } from '../lib/disk.ts'
import { isInUse, lockDirectory, type DirectoryLock } from '../storage/lock.ts'
import { openStore } from '../storage/lowdb-store.ts'
import type { Store } from '../storage/store.ts'
import { LocalOperator } from '../operator/local.ts'
import { OfflineOperator } from '../operator/offline.ts'
import type { Operator } from '../operator/operator.ts'
import { RemoteOperator } from '../operator/remote.ts'
import { openAccess } from './access.ts'
import { Closers } from './closers.ts'
import { outboxes } from './outboxes.ts'
import { recordedAccounts } from './recorded-accounts.ts'
import { openHosting } from './storage.ts'

/**
 * The operator of a data directory: the service that runs on it, or this process when none does. Throws Failure
 * `unavailable`.
 */
export async function openOperator(config: Config): Promise<Operator> {
  const { dataDirectory: directory, searchPath } = config
  const git = new Git({ searchPath })
  await git.requireVersion()
  try {
    const lock = await lockDirectory(directory)
    return new OfflineOperator(
      { directory, git },
      () => openRooms(config, git, lock),
      () => lock.release(),
    )
  } catch (error) {
    if (isInUse(error)) return RemoteOperator.open(directory)
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EROFS')) throw error
    throw new Failure('unavailable', `This user may not write into the data directory ${directory}.`, {
      hint: 'Run the command as the user that the service runs as.',
      cause: error,
    })
  }
}

/** As much of the service as an operator needs to change something. */
async function openRooms(config: Config, git: Git, lock: DirectoryLock): Promise<Operator> {
  const { directory } = lock
  // Standard output is the command's result.
  const logger = pino({ level: 'warn', base: null }, pino.destination({ dest: 2, sync: true }))
  const now = (): Date => new Date()
  const closers = new Closers()
  try {
    const store = await openStore(lock)
    closers.add(() => store.close())
    const access = await openAccess(config, { store, now, logger })
    closers.add(() => access.lastUse.close())
    const audit = new AuditLog({ dataDirectory: directory, now })
    closers.add(() => audit.close())
    const repositories = new Repositories({ directory, git })
    closers.add(() => repositories.close())
    await repositories.sweep()
    const hosting = await openHosting(directory, logger, closers)
    const reports = new DeployReports(directory)
    const retention = new Retention({
      ports: { hosting, previews: await previewsOf(store, now), log: logger, now },
      records: new DeployRecords({
        store,
        reports,
        documentOf: projectDocument,
        siteUrl: (slug) => slug,
        outbox: outboxes({ store, wake: () => undefined }).deploys,
      }),
      reports,
    })
    closers.add(() => retention.close())
    return new LocalOperator({
      directory,
      git,
      accounts: recordedAccounts(access, { audit, logger }),
      repositories,
      hosting,
      // Nobody changes entries in this process.
      changelog: { hold: () => Promise.resolve({ whileStill: (work) => work(), release: () => undefined }) },
      collectReleases: (slug) => retention.collect(slug),
      close: () => closers.close(),
    })
  } catch (error) {
    await closers.close()
    throw error
  }
}

async function previewsOf(store: Store, now: () => Date) {
  const registry = new Registry({
    store,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    outbox: outboxes({ store, wake: () => undefined }).previews,
    urlOf: (label) => label,
    now,
  })
  await registry.load()
  return {
    releases: async (slug: string) => registry.records(slug).flatMap(({ served }) => served?.release ?? []),
    leave: () => Promise.resolve(),
  }
}
