import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AuditLog } from './audit/audit-log.ts'
import type { Administration } from './client/administration.ts'
import { readConfig } from './config.ts'
import { Git } from './content/git/git.ts'
import { operator as endpoints, type RestoreSummary } from './contract/operator.ts'
import { openArchive, writeArchive } from './operator/archive/files.ts'
import { AuditNotes } from './operator/audit-notes.ts'
import { backup } from './operator/backup.ts'
import { check } from './operator/check/check.ts'
import { diskReport } from './operator/disk.ts'
import { restore } from './operator/restore.ts'
import { root } from './lib/paths.ts'
import { projectDocument } from './projects/document.ts'
import { decodeDocument } from './storage/directory/check-root.ts'
import { DataDirectory, requireDirectory } from './storage/directory/data-directory.ts'
import { openInventory } from './storage/directory/survey.ts'
import { FileRecords } from './storage/records/file-records.ts'
import { Keyring } from './webhooks/keyring.ts'
import { keyDocument, keysIn, missingKeys } from './webhooks/stored-secrets.ts'
import type { WebhookDocument } from './webhooks/stored-webhook.ts'
import { startBuilder } from './wire/rendering.ts'
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
    const operator = await openOperator(config, startBuilder)
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
      withOperator((operator) =>
        writeArchive(file, process.stdout, (sink) => backup({ ...operator, sink, version, now, ...run })),
      ),
    restore: async (file, into, run) => {
      const source = await openArchive(file, process.stdin)
      const summary = await restore({ ...run, source, directory: into ?? dataDirectory, git })
      await noteRestore(summary, now)
      return { ...summary, missingKeys: await keysMissingIn(summary.directory, config.secretKeys) }
    },
    disk: (onProgress) => withOperator((operator) => diskReport({ ...operator, onProgress })),
    check: (onProgress) => withOperator((operator) => check({ ...operator, onProgress })),
  }
}

/** Runs what most commands run, in a directory of its own, so that its code is compiled: see `admin.ts`. */
export async function compileAhead(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-compile-'))
  try {
    const administration = administer(directory)
    await administration.call((client) => client.call(endpoints.accounts.list, {}))
    await administration.check(() => undefined)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Ids of the keys that its webhooks need, and that neither the directory nor the settings have. */
async function keysMissingIn(path: string, settings: readonly Uint8Array[]): Promise<readonly string[]> {
  const directory = new DataDirectory(path)
  const read = async (document: string): Promise<unknown> =>
    decodeDocument(document, (await directory.documentText(document)) ?? '')
  const keyring = new Keyring([...settings, ...keysIn(await read(keyDocument))])
  const missing = new Set<string>()
  for (const projectId of await directory.projects()) {
    const document = (await read(projectDocument(projectId))) as WebhookDocument | null
    for (const id of missingKeys(document ?? {}, keyring)) missing.add(id)
  }
  return [...missing].sort()
}

/** In every project that came back: what was done since the backup is not in its log any more. */
async function noteRestore({ directory, createdAt }: RestoreSummary, now: () => Date): Promise<void> {
  const inventory = await openInventory(directory)
  const records = new FileRecords({ directory, inventory, onError: () => undefined })
  const audit = new AuditLog({ records, now })
  const notes = new AuditNotes(audit, (error) => {
    throw error
  })
  try {
    await notes.write(await new DataDirectory(directory).projects(), 'restore', { detail: `as of ${createdAt}` })
  } finally {
    await records.close()
    await inventory.close()
  }
}
