import type { Logger } from 'pino'
import type { Changelog } from '../changelog/changelog.ts'
import type { Config } from '../config.ts'
import type { Git } from '../content/git/git.ts'
import type { Repositories } from '../content/repositories.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { LocalOperator } from '../operator/local.ts'
import type { AccountsPort } from '../operator/operator.ts'
import type { Records } from '../storage/records.ts'
import { serveOperator } from '../operator/socket.ts'

/** Lets the operator's commands work beside the service, through a socket in the data directory. */
export function openOperatorSocket(
  { dataDirectory: directory }: Config,
  rooms: {
    readonly git: Git
    readonly accounts: AccountsPort
    readonly repositories: Repositories
    readonly hosting: Hosting
    readonly changelog: Changelog
    readonly records: Records
    readonly deploys: Deploys
    readonly logger: Logger
  },
): Promise<{ close(): Promise<void> }> {
  const { git, accounts, repositories, hosting, changelog, records, deploys, logger } = rooms
  const operator = new LocalOperator({
    directory,
    git,
    accounts,
    repositories,
    hosting,
    changelog,
    records,
    collectReleases: (slug) => deploys.collect(slug),
    // The rooms are the service's.
    close: () => Promise.resolve(),
  })
  return serveOperator({ operator, directory, log: logger })
}
