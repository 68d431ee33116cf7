import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Git } from '../content/git/git.ts'
import { Maintenance } from '../content/maintenance.ts'
import { Repositories } from '../content/repositories.ts'
import { createHosting } from '../hosting/hosting.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { sha256 } from '../lib/digest.ts'
import { requestIdOf } from '../http/requests/known.ts'
import { FileBlobs } from '../storage/blobs/file-blobs.ts'
import { refuseUnfinished } from '../storage/directory/new-directory.ts'
import { Presence } from '../storage/directory/presence.ts'
import { openInventory } from '../storage/directory/survey.ts'
import { noteFormat, requireKnownFormat } from '../storage/format.ts'
import type { Inventory } from '../storage/inventory.ts'
import { serveDirectory, type DirectoryLock, type ServedDirectory } from '../storage/lock.ts'
import { openStore, startsFile } from '../storage/documents/document-files.ts'
import { FileRecords } from '../storage/records/file-records.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import { devicesDocument } from '../access/devices.ts'
import { sessionsPrefix } from '../access/sessions.ts'
import { usagePrefix } from '../usage/documents.ts'
import { loadTheme } from '../site/theme/assets.ts'
import { CardPainter } from '../site/cards/painter.ts'
import { createComposer } from '../site/theme/composer.tsx'
import type { Closers } from './closers.ts'

interface StorageParts {
  readonly logger: Logger
  /** Account id of the owner of a project. */
  readonly ownerOf: (projectId: string) => string
}

/** Everything that lies in the data directory, which from here on is this process’s own. */
export async function openStorage(config: Config, { logger, ownerOf }: StorageParts, closers: Closers) {
  const { dataDirectory: directory, searchPath, gcEvery, publicUrl } = config
  const git = new Git({
    searchPath,
    ownerOf,
    onTimeout: (what, repository) => logger.error({ repository }, `${what} hung and was ended`),
  })
  await git.requireVersion()
  const lock = await serveDirectory(directory, startsFile)
  closers.add(() => lock.release())
  const { store, inventory } = await openDirectory(lock, logger, closers)
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
  closers.addReader(() => repositories.close())
  closers.add(() => repositories.stopWriting())
  const { readOnly } = lock
  if (readOnly === null) {
    await repositories.sweep()
    void maintenance.start(repositories)
  } else {
    const details = { directory, reason: readOnly }
    logger.warn(details, 'the data directory is read-only: sites are served, every change is refused until a new start')
  }
  closers.add(() => maintenance.close())
  const parts = { directory, inventory, readOnly: readOnly !== null, logger, closers }
  const painter = new CardPainter({ ownerOf })
  closers.addReader(async () => painter.close())
  const hosting = await openHosting(parts, publicUrl, painter)
  const records = openRecords(parts)
  const presence = new Presence({
    served: lock,
    onChange: (problem) => {
      if (problem === null) logger.warn({ directory }, 'the data directory is there again')
      else logger.error({ directory, reason: problem }, 'the data directory cannot be used: /readyz answers 503')
    },
  })
  return { git, store, records, repositories, hosting, maintenance, presence }
}

function tellMended(logger: Logger, projectId: string, mended: readonly string[] | Error): void {
  if (mended instanceof Error) logger.error({ err: mended, projectId }, 'a repository could not be put right')
  else logger.warn({ projectId, paths: mended.slice(0, 20), count: mended.length }, 'a repository was put right')
}

/** The documents of a data directory, and what must be in it. */
export async function openDirectory(
  lock: DirectoryLock & Partial<ServedDirectory>,
  logger: Logger,
  closers: Closers,
): Promise<{ readonly store: Store; readonly inventory: Inventory }> {
  const { readOnly = null } = lock
  await refuseUnfinished(lock.directory)
  await requireKnownFormat(lock.directory)
  if (readOnly === null) await noteFormat(lock.directory)
  const warn = (message: string): void => logger.error({ directory: lock.directory }, message)
  const inventory = await openInventory(lock.directory, {
    warn,
    readOnly: readOnly !== null,
    onError: (error) => logger.error({ err: error }, 'the list of what must be in the data directory was not written'),
  })
  closers.add(() => inventory.close())
  const store = await openStore(lock, { inventory, anew, warn, readOnly })
  closers.add(() => store.close())
  return { store, inventory }
}

/**
 * Documents that need not stop anybody. Who was signed in signs in again; a version of before could bring back a session
 * that was ended. Use may be counted too low by its last change.
 */
function anew(document: string): 'empty' | 'previous' | undefined {
  if (document === devicesDocument || document.startsWith(sessionsPrefix)) return 'empty'
  return document.startsWith(usagePrefix) ? 'previous' : undefined
}

interface DirectoryParts {
  readonly directory: string
  readonly inventory: Inventory
  readonly readOnly?: boolean
  readonly logger: Logger
  readonly closers: Closers
}

/** The streams of a data directory, for the service and for an operator without one. */
export function openRecords({ directory, inventory, readOnly = false, logger, closers }: DirectoryParts): Records {
  const records = new FileRecords({
    directory,
    inventory,
    readOnly,
    onError: (projectId, error) =>
      logger.error({ err: error, projectId }, 'records are lost, or deleted ones could not be erased yet'),
  })
  closers.add(() => records.close())
  return records
}

/** The releases of a data directory, for the service and for an operator without one. */
export async function openHosting(
  { directory, inventory, readOnly = false, logger, closers }: DirectoryParts,
  publicUrl: string,
  painter?: CardPainter,
): Promise<Hosting> {
  const theme = loadTheme()
  const files = [...theme.files.values()].map((file) => ({ ...file, blob: sha256(file.bytes) }))
  const common = new Map(files.map(({ blob, bytes }) => [blob, bytes]))
  const compressed = new Map(
    files.flatMap(({ blob, compressed: variants }) => (variants === undefined ? [] : [[blob, variants] as const])),
  )
  const blobs = new FileBlobs(directory, (message) => logger.warn(message), { inventory, readOnly, common })
  await blobs.sweep()
  const hosting = createHosting({
    blobs,
    compressed,
    composer: createComposer({
      dashboard: new URL(publicUrl).origin,
      hasCards: painter !== undefined,
      assets: theme.assets,
    }),
    ...(painter === undefined ? {} : { drawCard: (project, card) => painter.draw(project, card) }),
    log: {
      error: (error, message, request) =>
        logger.error({ err: error, ...(request === undefined ? {} : { requestId: requestIdOf(request) }) }, message),
    },
  })
  closers.addReader(() => hosting.close())
  closers.add(async () => blobs.stopWriting())
  return hosting
}
