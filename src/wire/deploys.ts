import type { Logger } from 'pino'
import { Branches } from '../branching/branches.ts'
import type { Config } from '../config.ts'
import type { Repositories } from '../content/repositories.ts'
import type { Deploy } from '../contract/deploys.ts'
import { Checks } from '../deploying/checks.ts'
import { Deploys } from '../deploying/deploys.ts'
import { createFailpoint, failpoints } from '../deploying/ports.ts'
import { DeployReports } from '../deploying/reports.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import { projectDocument, projectPrefix } from '../projects/document.ts'
import type { Projects } from '../projects/projects.ts'
import type { SiteBuilder } from '../site/builder.ts'
import type { OnePageRenderer } from '../site/one-page.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import type { Usage } from '../usage/usage.ts'
import type { addressesOf } from './projects.ts'
import type { openWebhooks } from './webhooks.ts'

/**
 * Builds of deploys under way, which hold the files that were sent; of one owner at most `share`, and so many may wait.
 * How fast they are is decided by the children, whose time is divided among owners, too.
 */
const deployBuilds = { name: 'deploys', slots: 32, share: 4, reserve: 28, firsts: 128, queue: 20 }
/** Builds of previews: nobody waits for them at a terminal, and those of a branch are one at a time. */
const previewBuilds = { name: 'previews', slots: 8, share: 2, reserve: 6, firsts: 128 }
/** Builds of checks, which hold the files that were sent, as those of deploys do. */
const checkBuilds = { name: 'checks', slots: 16, share: 2, reserve: 14, firsts: 128, queue: 20 }

/** Pages that are rendered while somebody writes them; of those that wait, an editor wants only its newest. */
const renders = { name: 'renders', slots: 16, share: 2, reserve: 14, firsts: 128, queue: 20 }
/** Searches through files, each of which holds one of them. */
const searches = { name: 'searches', slots: 4, share: 2, reserve: 2, firsts: 32, queue: 10 }

interface DeployParts {
  /** Told of branches that are gone. */
  readonly onGone: (projectId: string, branch: string) => void
  readonly store: Store
  readonly records: Records
  readonly repositories: Repositories
  readonly hosting: Hosting
  readonly builder: SiteBuilder
  readonly pages: OnePageRenderer
  readonly projects: Projects
  readonly addresses: ReturnType<typeof addressesOf>
  readonly usage: Usage
  readonly outbox: Awaited<ReturnType<typeof openWebhooks>>['outbox']
  readonly logger: Logger
  readonly now: () => Date
}

/** Deploys, the branches that are published by them, and checks of what would be deployed. */
export function openDeploys({ failpoint }: Config, below: DeployParts) {
  const { store, records, repositories, hosting, builder, projects, addresses, usage, outbox, logger, now } = below
  const shared = {
    store,
    repositories,
    hosting,
    builder,
    now,
    log: logger,
    documentOf: projectDocument,
    slugOf: (projectId: string) => projects.slugOf(projectId),
    titleOf: async (projectId: string) => (await projects.read(projectId)).title,
    onErrorOf: async (projectId: string) => (await projects.read(projectId)).onError,
    ownerOf: (projectId: string) => projects.ownerOf(projectId),
  }
  const deploys: Deploys = new Deploys({
    ...shared,
    builds: new FairLimit(deployBuilds),
    outbox: outbox.deploys,
    siteUrl: addresses.siteUrl,
    canonicalUrl: addresses.canonicalUrl,
    failpoint: createFailpoint(failpoints.find((name) => name === failpoint)),
    reports: new DeployReports(records),
    reserveDeploy: (projectId) => usage.reserve(projectId, 'deploys'),
    previews: { releases: async (projectId) => branches.releases(projectId) },
  })
  deploys.onFinished(({ projectId, deploy }) => logger.info(lineOf(projectId, deploy), 'deploy'))
  const checks = new Checks({
    ...shared,
    builds: new FairLimit(checkBuilds),
    canonicalUrl: addresses.canonicalUrl,
    deploys,
  })
  const branches = new Branches({
    ...shared,
    builds: new FairLimit(previewBuilds),
    searches: new FairLimit(searches),
    renders: new FairLimit(renders),
    pages: below.pages,
    outbox: outbox.previews,
    onGone: below.onGone,
    documentPrefix: projectPrefix,
    urlOf: addresses.labelUrl,
    reserveBranch: (projectId) => usage.reserve(projectId, 'branches'),
    deploys,
    checks,
  })
  return { deploys, branches, checks }
}

/** What the log says of a deploy that ended: who wanted it, the line of its request does. */
function lineOf(projectId: string, deploy: Deploy) {
  const { id, number, project, kind, status, branch, commit, pages, counts, stages, durationMs, rollbackOf } = deploy
  const of = { projectId, slug: project, deploy: id, number, kind, status, branch, rollbackOf, commit }
  return { ...of, pages, ...counts, stages, ms: durationMs }
}
