import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Git } from '../content/git/git.ts'
import { Maintenance } from '../content/maintenance.ts'
import { Repositories } from '../content/repositories.ts'
import { openDiskHosting } from '../hosting/disk.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { lockDirectory } from '../storage/lock.ts'
import { openStore } from '../storage/lowdb-store.ts'
import { createComposer } from '../site/theme/composer.tsx'
import type { Closers } from './closers.ts'

/** Everything that lies in the data directory, which from here on is this process’s own. */
export async function openStorage(config: Config, logger: Logger, closers: Closers) {
  const { dataDirectory: directory, searchPath, gcEvery } = config
  const git = new Git({ searchPath })
  await git.requireVersion()
  const lock = await lockDirectory(directory)
  closers.add(() => lock.release())
  const store = await openStore(lock)
  closers.add(() => store.close())
  const maintenance = new Maintenance({
    every: gcEvery,
    onError: (slug, error) => logger.error({ err: error, slug }, 'collecting garbage failed'),
  })
  const repositories = new Repositories({ directory, git, onUpdate: (changed) => maintenance.noteWrite(changed) })
  closers.add(() => repositories.close())
  await repositories.sweep()
  void maintenance.start(repositories)
  closers.add(() => maintenance.close())
  const hosting = await openHosting(directory, logger, closers)
  return { git, store, repositories, hosting }
}

/** The releases of a data directory, for the service and for an operator without one. */
export async function openHosting(directory: string, logger: Logger, closers: Closers): Promise<Hosting> {
  const hosting = await openDiskHosting({
    directory,
    composer: createComposer(),
    log: {
      warn: (message) => logger.warn(message),
      error: (error, message) => logger.error({ err: error }, message),
    },
  })
  closers.add(() => hosting.close())
  return hosting
}
