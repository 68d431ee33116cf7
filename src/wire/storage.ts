import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Git } from '../content/git/git.ts'
import { Maintenance } from '../content/maintenance.ts'
import { Repositories } from '../content/repositories.ts'
import { createHosting } from '../hosting/hosting.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { FileBlobs } from '../storage/blobs/file-blobs.ts'
import { lockDirectory } from '../storage/lock.ts'
import { openStore } from '../storage/documents/document-files.ts'
import { FileRecords } from '../storage/records/file-records.ts'
import type { Records } from '../storage/records.ts'
import { createComposer } from '../site/theme/composer.tsx'
import type { Closers } from './closers.ts'

interface StorageParts {
  readonly logger: Logger
  /** Account id of the owner of a project. */
  readonly ownerOf: (projectId: string) => string
}

/** Everything that lies in the data directory, which from here on is this process’s own. */
export async function openStorage(config: Config, { logger, ownerOf }: StorageParts, closers: Closers) {
  const { dataDirectory: directory, searchPath, gcEvery } = config
  const git = new Git({
    searchPath,
    ownerOf,
    onTimeout: (what, repository) => logger.error({ repository }, `${what} hung and was ended`),
  })
  await git.requireVersion()
  const lock = await lockDirectory(directory)
  closers.add(() => lock.release())
  const store = await openStore(lock)
  closers.add(() => store.close())
  const maintenance = new Maintenance({
    every: gcEvery,
    onError: (projectId, error) => logger.error({ err: error, projectId }, 'collecting garbage failed'),
  })
  const repositories = new Repositories({
    directory,
    git,
    onUpdate: (changed) => maintenance.noteWrite(changed),
    onMend: (projectId, mended) => tellMended(logger, projectId, mended),
  })
  closers.add(() => repositories.close())
  await repositories.sweep()
  void maintenance.start(repositories)
  closers.add(() => maintenance.close())
  const hosting = await openHosting(directory, logger, closers)
  const records = openRecords(directory, logger, closers)
  return { git, store, records, repositories, hosting, maintenance }
}

function tellMended(logger: Logger, projectId: string, mended: readonly string[] | Error): void {
  if (mended instanceof Error) logger.error({ err: mended, projectId }, 'a repository could not be put right')
  else logger.warn({ projectId, paths: mended.slice(0, 20), count: mended.length }, 'a repository was put right')
}

/** The streams of a data directory, for the service and for an operator without one. */
export function openRecords(directory: string, logger: Logger, closers: Closers): Records {
  const records = new FileRecords({
    directory,
    onError: (projectId, error) => logger.error({ err: error, projectId }, 'deleted records could not be erased yet'),
  })
  closers.add(() => records.close())
  return records
}

/** The releases of a data directory, for the service and for an operator without one. */
export async function openHosting(directory: string, logger: Logger, closers: Closers): Promise<Hosting> {
  const blobs = new FileBlobs(directory, (message) => logger.warn(message))
  await blobs.sweep()
  const hosting = createHosting({
    blobs,
    composer: createComposer(),
    log: {
      error: (error, message) => logger.error({ err: error }, message),
    },
  })
  closers.add(() => hosting.close())
  return hosting
}
