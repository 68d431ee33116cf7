import type { Logger } from 'pino'
import type { Accounts } from '../access/accounts.ts'
import type { Analytics } from '../analytics/analytics.ts'
import type { Assistant } from '../assistant/assistant.ts'
import type { Branches } from '../branching/branches.ts'
import type { Changelog } from '../changelog/changelog.ts'
import { changelogPath, feedPaths } from '../changelog/site-page.tsx'
import type { Config } from '../config.ts'
import type { Repositories } from '../content/repositories.ts'
import { Failure } from '../contract/failure.ts'
import type { Domains } from '../domains/domains.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { MeteredModels } from '../models/models.ts'
import { projectDocument } from '../projects/document.ts'
import { ProjectLifecycle, type ProjectParticipant } from '../projects/lifecycle.ts'
import type { Projects } from '../projects/projects.ts'
import type { Slugs } from '../projects/slugs.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import { diskUseOf } from '../storage/directory/disk-use.ts'
import { isQuantity } from '../usage/plans.ts'
import { StorageQuota } from '../usage/storage-quota.ts'
import { Usage } from '../usage/usage.ts'
import type { Visibility } from '../visibility/visibility.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'

interface Rooms {
  readonly store: Store
  readonly slugs: Slugs
  readonly projects: Projects
  readonly accounts: Accounts
  readonly repositories: Repositories
  readonly hosting: Hosting
  readonly deploys: Deploys
  readonly branches: Branches
  readonly assistant: Assistant
  readonly dispatcher: Dispatcher
  readonly records: Records
  readonly changelog: Changelog
  readonly models: Pick<MeteredModels, 'removed'>
  readonly domains: Pick<Domains, 'removed'>
  readonly visibility: Pick<Visibility, 'removed'>
  readonly analytics: Pick<Analytics, 'removed'>
  readonly logger: Logger
  readonly now: () => Date
}

/** How projects come, are renamed and go, with each room’s part; what a crash left half done is at its end. */
export async function openLifecycle({ failpoint }: Config, rooms: Rooms): Promise<ProjectLifecycle> {
  const { store, slugs, projects, logger, now } = rooms
  const lifecycle = new ProjectLifecycle({
    store,
    slugs,
    projects,
    now,
    participants: participantsOf(rooms),
    onError: (error, project, message) => logger.error({ err: error, project }, message),
    failpoint: (step) => {
      if (step === failpoint) process.kill(process.pid, 'SIGKILL')
    },
  })
  if (store.readOnly === null) await lifecycle.recover()
  return lifecycle
}

/** The rooms below others first. */
function participantsOf(rooms: Rooms): readonly ProjectParticipant[] {
  const {
    projects,
    accounts,
    repositories,
    hosting,
    deploys,
    branches,
    assistant,
    dispatcher,
    records,
    changelog,
    models,
    domains,
    visibility,
    analytics,
  } = rooms
  return [
    {
      // The operator may have removed the account at that moment: nobody else could ever manage the project.
      created: async (id) => {
        const { owner } = await projects.read(id)
        if ((await accounts.read(owner)) === null) throw new Failure('unauthenticated', 'The account has been removed.')
      },
    },
    ...filesOf({ repositories, hosting, records }),
    { removed: (id) => models.removed(id) },
    {
      claim: (id) => deploys.claim(id),
      renamed: (id) => deploys.readdress(id),
      removed: (id) => deploys.removed(id),
    },
    { renamed: (id) => branches.renamed(id), removed: (id) => branches.removed(id) },
    { removed: (id) => assistant.removed(id) },
    { removed: (id) => dispatcher.removed(id) },
    { removed: async (id) => changelog.forget(id) },
    { removed: async (id) => domains.removed(id) },
    { removed: async (id) => visibility.removed(id) },
    { removed: async (id) => analytics.removed(id) },
  ]
}

/** Whatever lies in files; other rooms have the rest in memory. */
export function filesOf({
  repositories,
  hosting,
  records,
}: Pick<Rooms, 'repositories' | 'hosting' | 'records'>): readonly ProjectParticipant[] {
  return [
    {
      created: async (id) => void (await repositories.create(id)),
      removed: (id) => repositories.remove(id),
    },
    { removed: (id) => hosting.remove(id) },
    // All of its streams; the rooms above, which write to them, come after and so take their leave before.
    { removed: (id) => records.leave(id) },
  ]
}

/**
 * Addresses that people see. Each takes the id of a project but `labelUrl`, which takes what stands in a host.
 *
 * @param isLive whether a project has a site to be read.
 */
export function addressesOf(
  { publicUrl, previewDomain }: Config,
  {
    projects,
    domains,
    isLive = () => false,
  }: {
    readonly projects: Pick<Projects, 'slugOf'>
    readonly domains: Pick<Domains, 'canonicalUrl'>
    readonly isLive?: (project: string) => boolean
  },
) {
  const { protocol } = new URL(publicUrl)
  const labelUrl = (label: string): string => `${protocol}//${label}.${previewDomain}`
  const siteUrl = (project: string): string => labelUrl(projects.slugOf(project))
  /** Where the pages of a site say that they are. */
  const canonicalUrl = (project: string): string => domains.canonicalUrl(project) ?? siteUrl(project)
  /** Of the changelog on the site, once there is one. */
  const siteChangelogUrl = (project: string): string | undefined =>
    isLive(project) ? canonicalUrl(project) + changelogPath : undefined
  const apiUrl = (project: string): string => `${publicUrl}/api/projects/${projects.slugOf(project)}`
  return {
    labelUrl,
    siteUrl,
    canonicalUrl,
    apiUrl,
    cloneUrl: (project: string): string => `${publicUrl}/git/${projects.slugOf(project)}.git`,
    /** What comes after # stays in the browser: no log has the code. */
    invitationUrl: ({ id, code }: { readonly id: string; readonly code: string }): string =>
      `${publicUrl}/dashboard#invitation=${id}.${code}`,
    /** Of the public changelog: a part of the site, once there is one. */
    pageUrl: (project: string): string =>
      siteChangelogUrl(project) ?? `${publicUrl}/dashboard/${projects.slugOf(project)}/changelog`,
    /** Where its feeds say that they are, at whichever of their addresses they are asked for. */
    feedUrls: (project: string) => {
      const site = siteChangelogUrl(project)
      const api = `${apiUrl(project)}/changelog`
      return site === undefined
        ? { rss: `${api}/rss`, atom: `${api}/atom`, json: `${api}/feed.json` }
        : { rss: site + feedPaths.rss, atom: site + feedPaths.atom, json: site + feedPaths.json }
    },
  }
}

interface UsageParts {
  readonly store: Store
  readonly projects: Projects
  readonly now: () => Date
  readonly logger: Logger
}

/** Plans and quotas, with the use that is on record. */
export async function openUsage({ store, projects, now, logger }: UsageParts): Promise<Usage> {
  const usage = new Usage({
    store,
    now,
    projectOf: (id) => projects.read(id),
    onError: (error, message) => logger.error({ err: error }, message),
  })
  if (store.readOnly === null) await usage.adopt(await projects.ids(), projectDocument)
  return usage
}

/** How much each account may keep. */
export function openStorageQuota(
  { dataDirectory, storage, contact }: Config,
  { projects, accounts, logger }: Pick<Rooms, 'projects' | 'accounts' | 'logger'>,
): StorageQuota {
  return new StorageQuota({
    limits: storage,
    planOf: (account) => accounts.planOf(account),
    ownedBy: (account) => projects.ownedBy(account),
    measure: async (projectIds) => {
      const uses = await diskUseOf(dataDirectory, projectIds)
      return new Map([...uses].map(([id, use]) => [id, Object.values(use).reduce((sum, bytes) => sum + bytes, 0)]))
    },
    onError: (error) => logger.error({ err: error }, 'what the disk gives for an account could not be told'),
    contact,
  })
}

/** Settles what a crash left open, once the other rooms know what came of it. */
export async function recoverUsage(
  usage: Usage,
  rooms: {
    readonly projects: Projects
    readonly deploys: Deploys
    readonly branches: Branches
    readonly models: Pick<MeteredModels, 'usedBy'>
  },
): Promise<void> {
  const { projects, deploys, branches, models } = rooms
  await usage.recover(async ({ project, counted, subject }) => {
    if ((await projects.find(project)) === null) return 0
    if (counted === 'deploys') return (await deploys.wentLive(project, subject)) ? 1 : 0
    if (counted === 'branches') return (await branches.exists(project, subject)) ? 1 : 0
    const used = await models.usedBy(project, subject)
    if (used === null) return 0
    return isQuantity(counted) ? used[counted] : 1
  })
}
