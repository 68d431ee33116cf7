import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AuditLog } from './audit/audit-log.ts'
import { readConfig } from './config.ts'
import { Git } from './content/git/git.ts'
import type { Administration } from './contract/operator.ts'
import { Commands } from './operator/commands.ts'
import { root } from './lib/paths.ts'
import { FileRecords } from './storage/open-streams.ts'
import { openOperator } from './wire/operator.ts'

/**
 * Where `quire admin` begins: the command line loads this program only then.
 *
 * @param directory the data directory; without it that of the settings. Throws Failure `invalid_request` for settings
 *   that are not valid.
 */
export function administer(directory?: string): Administration {
  const read = readConfig()
  const config = directory === undefined ? read : { ...read, dataDirectory: resolve(directory) }
  const now = (): Date => new Date()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return new Commands({
    directory: config.dataDirectory,
    git: new Git({ searchPath: config.searchPath }),
    streams: { input: process.stdin, output: process.stdout },
    version,
    now,
    openAudit: (restored) => {
      const records = new FileRecords({ directory: restored, onError: () => undefined })
      return new AuditLog({ records, now })
    },
    open: () => openOperator(config),
  })
}
