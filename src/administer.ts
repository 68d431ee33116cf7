import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AuditLog } from './audit/audit-log.ts'
import type { Administration } from './client/administration.ts'
import { readConfig } from './config.ts'
import { Git } from './content/git/git.ts'
import { Failure } from './contract/failure.ts'
import { operator as endpoints, type RestoreSummary } from './contract/operator.ts'
import { openArchive, writeArchive } from './operator/archive/files.ts'
import { AuditNotes } from './operator/audit-notes.ts'
import { backup } from './operator/backup.ts'
import { check } from './operator/check/check.ts'
import { projectsOf } from './operator/data-directory.ts'
import { restore } from './operator/restore.ts'
import { root } from './lib/paths.ts'
import { FileRecords } from './storage/open-streams.ts'
import { openOperator, type OpenOperator } from './wire/operator.ts'

/**
 * Where `quire admin` begins: the command line loads this program only then.
 *
 * @param directory the data directory; without it that of the settings. Throws Failure `invalid_request` for settings
 *   that are not valid.
 */
export function administer(directory?: string): Administration {
  const read = readConfig()
  const config = directory === undefined ? read : { ...read, dataDirectory: resolve(directory) }
  const { dataDirectory } = config
  const now = (): Date => new Date()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const git = new Git({ searchPath: config.searchPath })
  const withOperator = async <T>(work: (operator: OpenOperator) => Promise<T>): Promise<T> => {
    await requireDirectory(dataDirectory)
    const operator = await openOperator(config)
    try {
      return await work(operator)
    } finally {
      await operator.close()
    }
  }
  return {
    directory: dataDirectory,
    call: (work) => withOperator(({ client }) => work(client)),
    backup: (file, run) =>
      withOperator(({ client }) =>
        writeArchive(file, process.stdout, (sink) =>
          backup({ directory: dataDirectory, git, client, sink, version, now, ...run }),
        ),
      ),
    restore: async (file, into, run) => {
      const source = await openArchive(file, process.stdin)
      const summary = await restore({ ...run, source, directory: into ?? dataDirectory, git })
      await noteRestore(summary, now)
      return summary
    },
    check: (onProgress) =>
      withOperator((operator) => check({ directory: dataDirectory, git, ...operator, onProgress })),
  }
}

/** Runs what most commands run, in a directory of its own, so that its code is compiled: see `admin.ts`. */
export async function compileAhead(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-compile-'))
  const administration = administer(directory)
  await administration.call((client) => client.call(endpoints.accounts.list, {}))
  await administration.check(() => undefined)
  await rm(directory, { recursive: true })
}

/** Locking makes a directory; a mistyped one must not be made. */
async function requireDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => null)
  if (found?.isDirectory() === true) return
  throw new Failure('not_found', `There is no data directory ${directory}.`, {
    hint: 'Set DATA_DIR to the one that the service is started with, or name it with --data.',
  })
}

/** In every project that came back: what was done since the backup is not in its log any more. */
async function noteRestore({ directory, createdAt }: RestoreSummary, now: () => Date): Promise<void> {
  const records = new FileRecords({ directory, onError: () => undefined })
  const audit = new AuditLog({ records, now })
  const notes = new AuditNotes(audit, (error) => {
    throw error
  })
  try {
    await notes.write(await projectsOf(directory), 'restore', { detail: `as of ${createdAt}` })
  } finally {
    await records.close()
  }
}
