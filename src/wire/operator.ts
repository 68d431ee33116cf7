import { pino, type Logger } from 'pino'
import { AuditLog } from '../audit/audit-log.ts'
import type { Branches } from '../branching/branches.ts'
import { Registry } from '../branching/registry.ts'
import { createClient, type Client } from '../client/client.ts'
import type { Config } from '../config.ts'
import { Git } from '../content/git/git.ts'
import { Repositories } from '../content/repositories.ts'
import { Failure } from '../contract/failure.ts'
import type { Deploys } from '../deploying/deploys.ts'
import { DeployRecords } from '../deploying/records.ts'
import { Repair, type RepairedReleases } from '../deploying/repair.ts'
import { DeployReports } from '../deploying/reports.ts'
import { Retention } from '../deploying/retention.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { createOperatorApp } from '../http/operator/app.ts'
import { fetchFrom } from '../http/operator/in-process.ts'
import type { OperatorRooms } from '../http/operator/rooms.ts'
import { connectToOperator, operatorKey, serveOperator } from '../http/operator/socket.ts'
import { hasCode } from '../lib/disk.ts'
import { AuditNotes, type AuditPort } from '../operator/audit-notes.ts'
import { OperatedProjects, readSnapshot, type OperatedDirectory } from '../operator/projects.ts'
import { projectDocument, projectPrefix } from '../projects/document.ts'
import { ProjectLifecycle } from '../projects/lifecycle.ts'
import type { SiteBuilder } from '../site/builder.ts'
import { DataDirectory } from '../storage/directory/data-directory.ts'
import { isInUse, lockDirectory, type DirectoryLock } from '../storage/lock.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import { openAccess } from './access.ts'
import { Closers } from './closers.ts'
import { openDomains } from './domains.ts'
import { addressesOf, filesOf } from './projects.ts'
import { outboxes } from './webhooks.ts'
import { openDirectory, openHosting, openRecords } from './storage.ts'

/** What builds sites where no service runs. */
type StartBuilder = (config: Config, logger: Logger) => Promise<SiteBuilder>

type Access = Awaited<ReturnType<typeof openAccess>>

/** Lets an operator's commands work beside the service, through a socket in the data directory. */
export async function openOperatorSocket(
  { dataDirectory }: Config,
  parts: {
    readonly access: Access
    readonly audit: AuditPort
    readonly repositories: Repositories
    readonly hosting: Hosting
    readonly records: Pick<Records, 'hold'>
    readonly deploys: Deploys
    readonly branches: Pick<Branches, 'recoverPreviews'>
    readonly store: Store
    readonly lifecycle: ProjectLifecycle
    readonly dispatcher: Pick<Dispatcher, 'wake'>
    readonly logger: Logger
    readonly now: () => Date
  },
): Promise<{ close(): Promise<void> }> {
  const { access, audit, repositories, hosting, records, deploys, branches, store, logger } = parts
  const { lifecycle, dispatcher, now } = parts
  const directory = new DataDirectory(dataDirectory)
  const collectReleases = (projectId: string) => deploys.collect(projectId)
  const repairReleases = async (projectId: string): Promise<RepairedReleases> => {
    const repaired = await deploys.repair(projectId)
    await branches.recoverPreviews(projectId)
    return repaired
  }
  const shared = { directory, repositories, hosting, records }
  const operated = new OperatedProjects({ ...shared, collectReleases, repairReleases })
  const liveDeploy = (projectId: string) => deploys.live(projectId)
  const wake = (projectId: string): void => dispatcher.wake(projectId)
  const further = { lifecycle, liveDeploy, wake, now }
  const rooms = Promise.resolve(operatorRooms(access, { audit, operated, store, logger, ...further }))
  const key = operatorKey()
  const hold = (projectId: string) => operated.hold(projectId)
  const app = await createOperatorApp({ rooms: () => rooms, hold, key, logger })
  return serveOperator(app, { directory: dataDirectory, key }, logger)
}

/** Whoever may act as the operator of a data directory, and how to ask. */
export interface OpenOperator extends OperatedDirectory {
  readonly git: Git
  readonly client: Client
  /** A service uses the directory as well. */
  readonly shared: boolean
  close(): Promise<void>
}

/** The service that runs on a data directory, or this process when none does. Throws Failure `unavailable`. */
export async function openOperator(config: Config, startBuilder: StartBuilder): Promise<OpenOperator> {
  const { dataDirectory: directory, searchPath } = config
  const git = new Git({ searchPath })
  await git.requireVersion()
  try {
    return await operateHere(config, { git, lock: await lockDirectory(directory), startBuilder })
  } catch (error) {
    if (isInUse(error)) return operateThere(directory, git)
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EROFS')) throw error
    throw new Failure('unavailable', `This user may not write into the data directory ${directory}.`, {
      hint: 'Run the command as the user that the service runs as.',
      cause: error,
    })
  }
}

async function operateThere(path: string, git: Git): Promise<OpenOperator> {
  const { fetch, close } = await connectToOperator(path)
  const repositories = new Repositories({ directory: path, git })
  return {
    client: clientOf(fetch),
    shared: true,
    directory: new DataDirectory(path),
    git,
    repositories,
    close: async () => {
      await repositories.close()
      await close()
    },
  }
}

/** Nothing is opened, and so nothing in the directory changes, before something is to be changed. */
async function operateHere(
  config: Config,
  { git, lock, startBuilder }: { readonly git: Git; readonly lock: DirectoryLock; readonly startBuilder: StartBuilder },
): Promise<OpenOperator> {
  const directory = new DataDirectory(lock.directory)
  // Standard output is the command's result.
  const logger = pino({ level: 'warn', base: null }, pino.destination({ dest: 2, sync: true }))
  const closers = new Closers()
  closers.add(() => lock.release())
  const repositories = new Repositories({ directory: lock.directory, git })
  closers.add(() => repositories.close())
  let opened: Promise<OperatorRooms> | null = null
  const app = await createOperatorApp({
    rooms: () => (opened ??= openRooms(config, { repositories, lock, startBuilder, logger, closers })),
    // Nobody removes anything.
    hold: async (projectId) => ({
      snapshot: await readSnapshot({ directory, repositories }, projectId),
      release: () => undefined,
    }),
    logger,
  })
  return {
    client: clientOf(fetchFrom(app)),
    shared: false,
    directory,
    git,
    repositories,
    close: async () => {
      await app.close()
      await closers.close()
    },
  }
}

/** A snapshot of a project with many deploys is one long event. */
function clientOf(fetch: typeof globalThis.fetch): Client {
  return createClient({ baseUrl: 'http://operator', fetch, maxEvent: Number.POSITIVE_INFINITY })
}

/** As much of the service as an operator needs to change something. */
async function openRooms(
  config: Config,
  parts: {
    readonly repositories: Repositories
    readonly lock: DirectoryLock
    readonly startBuilder: StartBuilder
    readonly logger: Logger
    readonly closers: Closers
  },
): Promise<OperatorRooms> {
  const { repositories, lock, startBuilder, logger, closers } = parts
  const { directory } = lock
  const now = (): Date => new Date()
  const { store, inventory } = await openDirectory(lock, logger, closers)
  const storage = { directory, inventory, logger, closers }
  const access = await openAccess(config, { store, now, logger })
  closers.add(() => access.lastUse.close())
  const records = openRecords(storage)
  const audit = new AuditLog({ records, now })
  await repositories.sweep()
  const hosting = await openHosting(storage, config.publicUrl)
  const reports = new DeployReports(records)
  const deployRecords = new DeployRecords({
    store,
    reports,
    documentOf: projectDocument,
    slugOf: (projectId) => projectId,
    siteUrl: (projectId) => projectId,
    outbox: outboxes({ store, wake: () => undefined }).deploys,
  })
  const domains = openDomains(config, { store, projects: access.projects, now })
  await domains.load()
  const { canonicalUrl } = addressesOf(config, { projects: access.projects, domains })
  const previews = await previewsOf(store, now)
  const retention = new Retention({
    ports: { hosting, previews, log: logger, now },
    records: deployRecords,
    reports,
  })
  let builder: Promise<SiteBuilder> | null = null
  const repair = new Repair({
    ports: {
      repositories,
      hosting,
      previews,
      canonicalUrl,
      titleOf: async (projectId) => (await access.projects.read(projectId)).title,
    },
    builder: () => (builder ??= startBuilder(config, logger)),
    records: deployRecords,
  })
  closers.add(async () => (await builder)?.close())
  closers.add(() => retention.close())
  const collectReleases = (projectId: string) => retention.collect(projectId)
  const operated = new OperatedProjects({
    directory: new DataDirectory(directory),
    repositories,
    hosting,
    records,
    collectReleases,
    // Nobody else deploys.
    repairReleases: (projectId) => repair.run(projectId),
  })
  const lifecycle = new ProjectLifecycle({
    store,
    slugs: access.slugs,
    projects: access.projects,
    now,
    participants: filesOf({ repositories, hosting, records }),
    onError: (error, project, message) => logger.error({ err: error, project }, message),
  })
  const liveDeploy = async (projectId: string) => (await deployRecords.state(projectId)).live
  // The next start goes on with what waits.
  const further = { lifecycle, liveDeploy, wake: () => undefined, now }
  return operatorRooms(access, { audit, operated, store, logger, ...further })
}

function operatorRooms(
  access: Access,
  parts: {
    readonly audit: AuditPort
    readonly operated: OperatedProjects
    readonly logger: Logger
  } & Pick<OperatorRooms, 'store' | 'lifecycle' | 'liveDeploy' | 'wake' | 'now'>,
): OperatorRooms {
  const { audit, logger, ...others } = parts
  const notes = new AuditNotes(audit, (error, projectId) =>
    logger.error({ err: error, projectId }, 'an audit entry could not be kept'),
  )
  return { ...access, ...others, notes }
}

async function previewsOf(store: Store, now: () => Date) {
  const registry = new Registry({
    store,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    outbox: outboxes({ store, wake: () => undefined }).previews,
    slugOf: (projectId) => projectId,
    urlOf: (label) => label,
    now,
  })
  await registry.load()
  return {
    releases: async (projectId: string) => registry.records(projectId).flatMap(({ served }) => served?.release ?? []),
  }
}
