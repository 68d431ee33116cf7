import type { Logger } from 'pino'
import type { Accounts } from '../access/accounts.ts'
import { GuessThrottle, letterRequests } from '../access/throttles.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Config } from '../config.ts'
import { Failure } from '../contract/failure.ts'
import { DomainNews } from '../domains/news.ts'
import { Domains } from '../domains/domains.ts'
import { Rounds } from '../domains/rounds.ts'
import { txtLookup, type TxtLookup } from '../domains/txt-lookup.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Projects } from '../projects/projects.ts'
import type { Store } from '../storage/store.ts'

interface NewsParts {
  readonly audit: Pick<AuditLog, 'record'>
  readonly accounts: Pick<Accounts, 'read'>
  readonly projects: Pick<Projects, 'ownerOf' | 'slugOf'>
  readonly mailer: Mailer | undefined
  readonly now: () => Date
  readonly logger: Logger
}

/** Tells projects of domains that they lose, or are about to. */
export function openDomainNews({ publicUrl }: Config, parts: NewsParts): DomainNews {
  const { audit, accounts, projects, mailer, now, logger } = parts
  const throttle = new GuessThrottle(letterRequests.toAddress, now)
  return new DomainNews({
    audit,
    slugOf: (projectId) => projects.slugOf(projectId),
    publicUrl,
    mail: async (projectId, letterTo) => {
      const owner = projects.ownerOf(projectId)
      const to = (await accounts.read(owner))?.email
      if (mailer === undefined || to === undefined) return
      throttle.assertAllowed(to)
      mailer.post(owner, async () => letterTo(to))
      throttle.note(to)
    },
    onError: (error, project) => logger.warn({ err: error, project }, 'what became of a domain could not be told'),
  })
}

interface DomainParts {
  readonly store: Store
  readonly projects: Pick<Projects, 'ownerOf' | 'slugOf'>
  readonly now: () => Date
  /** Absent where nobody looks for records. */
  readonly news?: DomainNews
  /** In the place of the DNS: tests. */
  readonly lookup?: TxtLookup | undefined
  /** Told that the pages of a project are to call another address their own. */
  readonly moved?: (project: string) => void
}

/** Look-ups of the DNS that members wait for. */
const lookups = { slots: 16, firsts: 128, share: 4, reserve: 12, queue: 20 }

/** Domains of projects; `load` them before anything is served. */
export function openDomains({ publicUrl, previewDomain, dnsServers }: Config, parts: DomainParts): Domains {
  const { store, projects, now, news, moved, lookup = txtLookup(dnsServers) } = parts
  const { protocol, hostname } = new URL(publicUrl)
  const [sites = '', port] = previewDomain.split(':')
  return new Domains({
    store,
    own: { serviceHost: hostname, previewDomain: sites },
    lookup,
    lookups: new FairLimit(lookups),
    ownerOf: (projectId) => projects.ownerOf(projectId),
    targetOf: (projectId) => `${projects.slugOf(projectId)}.${sites}`,
    // As sites are, they are where the proxy in front, or the service itself, listens.
    urlOf: (name) => `${protocol}//${name}${port === undefined ? '' : `:${port}`}`,
    now,
    tell: news && ((projectId, event) => news.tell(projectId, event)),
    moved,
  })
}

/** Looks at the records of verified domains for as long as the service runs. */
export function openRounds(parts: {
  readonly domains: Domains
  readonly projects: Pick<Projects, 'ownerOf'>
  readonly now: () => Date
  readonly logger: Logger
}): Rounds {
  const { domains, projects, now, logger } = parts
  return new Rounds({
    domains,
    ownerOf: (projectId) => projects.ownerOf(projectId),
    now,
    onError: (error, { name, project }) => {
      // Removed a moment ago.
      if (error instanceof Failure && error.code === 'not_found') return
      logger.error({ err: error, project, domain: name }, 'the record of a domain could not be looked at')
    },
  })
}
