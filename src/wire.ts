import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino, type Logger } from 'pino'
import type { Passwords } from './access/passwords.ts'
import { Assistant } from './assistant/assistant.ts'
import { AuditLog } from './audit/audit-log.ts'
import { Branches } from './branching/branches.ts'
import { Changelog } from './changelog/changelog.ts'
import type { Config } from './config.ts'
import type { Repositories } from './content/repositories.ts'
import { Failure } from './contract/failure.ts'
import { Checks } from './deploying/checks.ts'
import { Deploys } from './deploying/deploys.ts'
import { DeployReports } from './deploying/reports.ts'
import { createFailpoint, failpoints } from './deploying/ports.ts'
import type { Hosting } from './hosting/hosting.ts'
import { defaultBodyBounds, type BodyBounds } from './http/api/held-body.ts'
import { Drain } from './http/drain.ts'
import { originProblem } from './http/sites/hosts.ts'
import { FairLimit } from './lib/fair-limit.ts'
import { root } from './lib/paths.ts'
import { projectDocument, projectPrefix } from './projects/document.ts'
import type { ModelRouter } from './models/model.ts'
import type { Projects } from './projects/projects.ts'
import { createSiteBuilder } from './site/build/build.ts'
import type { SiteBuilder } from './site/builder.ts'
import { icon } from './site/components/icons.ts'
import { lacksOf, protections, requireIsolation } from './site/render/isolation.ts'
import { openRenderPool } from './site/render/pool.ts'
import { createTextRenderer, type TextRenderer } from './site/text.ts'
import { loadTheme } from './site/theme/assets.ts'
import type { Records } from './storage/records.ts'
import type { Store } from './storage/store.ts'
import type { Usage } from './usage/usage.ts'
import type { Send } from './webhooks/send.ts'
import { openAccess } from './wire/access.ts'
import { openAnswers } from './wire/answers.ts'
import { closeApp, listenAt, openApp } from './wire/app.ts'
import { Closers } from './wire/closers.ts'
import { openModels } from './wire/models.ts'
import { openOperatorSocket } from './wire/operator.ts'
import { addressesOf, openLifecycle, openUsage, recoverUsage } from './wire/projects.ts'
import { openStorage } from './wire/storage.ts'
import { openWebhooks } from './wire/webhooks.ts'

/** What tests put in the place of the real thing. */
export interface Overrides {
  readonly builder?: SiteBuilder
  readonly texts?: TextRenderer
  readonly logger?: Logger
  readonly now?: () => Date
  readonly passwords?: Passwords
  /** Sends what webhooks get. */
  readonly send?: Send
  readonly router?: ModelRouter
  readonly bodies?: BodyBounds
}

export interface Service {
  readonly app: FastifyInstance
  /** Starts answering; resolves with the address that it listens on. */
  listen(): Promise<string>
  /**
   * Ends what was accepted, with its answer, for as long as the settings say, and frees the data directory.
   * Returns how many deploys were cut off; recovery mends those.
   *
   * @param notice Milliseconds at least for which callers and load balancers are told that it ends; default 0.
   */
  close(notice?: number): Promise<number>
}

/** Seconds that deliveries under way have at the end. */
const longestDelivery = 5

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/**
 * Puts the service together: settings → adapters → services → application. Recovers what a crash left before it returns.
 * Throws a Failure for what an operator can mend: settings, a data directory in use.
 */
export async function createService(config: Config, overrides: Overrides = {}): Promise<Service> {
  const problem = originProblem(config)
  if (problem !== null) throw new Failure('unavailable', problem)
  const logger = overrides.logger ?? pino({ level: config.logLevel, base: null })
  const closers = new Closers()
  try {
    const { app, deploys, assistant, models, drain, operator } = await assemble(
      config,
      { ...overrides, logger },
      closers,
    )
    return {
      app,
      listen: () => listenAt(app, config),
      close: async (notice = 0) => {
        // A backup under way keeps from ending what deploys wait for.
        await operator.close()
        const within = config.drainSeconds * 1000
        const left = await closeApp({ app, deploys, assistant, models, drain, within, notice })
        await closers.close()
        return left
      },
    }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** What the service is put together with: the overrides, and what stands in for those that are missing. */
type Dependencies = Overrides & Required<Pick<Overrides, 'logger' | 'now'>>

/** From the data directory up: storage, who may do what, content and sites, what follows them, the application. */
async function assemble(config: Config, overrides: Overrides & { readonly logger: Logger }, closers: Closers) {
  const dependencies: Dependencies = { now: () => new Date(), ...overrides }
  const services = await openServices(config, dependencies, closers)
  const drain = new Drain(services.store.readOnly)
  const { logger, now } = dependencies
  const { bodies = defaultBodyBounds() } = overrides
  const app = await openApp(config, { ...services, drain, bodies, logger, now, version })
  const operator = services.store.readOnly === null ? await beginWork(config, { ...services, logger }) : noOperator
  closers.add(() => operator.close())
  const { deploys, assistant, models } = services
  return { app, deploys, assistant, models, drain, operator }
}

/** What writes without being asked, and lets an operator write. */
async function beginWork(config: Config, services: Parameters<typeof openOperatorSocket>[1] & WorkingServices) {
  services.branches.recoverInBackground()
  services.webhooks.dispatcher.start()
  return openOperatorSocket(config, services)
}

interface WorkingServices {
  readonly branches: Branches
  readonly webhooks: Pick<Awaited<ReturnType<typeof openWebhooks>>, 'dispatcher'>
}

/** No socket can be made in a directory that takes no writes. */
const noOperator = { close: async (): Promise<void> => undefined }

/** Everything below the application, with what a crash left at its end; where nothing can be written it stays for later. */
async function openServices(config: Config, dependencies: Dependencies, closers: Closers) {
  const { logger, now } = dependencies
  // The build children start while the rest is read.
  // Whose what is, is known when the accounts are read; until then each project stands for its owner.
  let owners: Pick<Projects, 'ownerOf'> = { ownerOf: (projectId) => projectId }
  const ownerOf = (projectId: string): string => owners.ownerOf(projectId)
  const rendering = openRendering(config, { ...dependencies, ownerOf }, closers)
  const { store, records, git, repositories, hosting, maintenance } = await openStorage(
    config,
    { logger, ownerOf },
    closers,
  )
  const { builder, texts } = await rendering
  const access = await openAccess(config, { store, now, logger, passwords: dependencies.passwords })
  closers.add(() => access.lastUse.close())
  const { projects } = access
  owners = projects
  const addresses = addressesOf(config, projects)
  const { siteUrl, pageUrl } = addresses
  const usage = await openUsage({ store, projects, now, logger })
  closers.add(() => usage.close())
  const models = openModels(
    config,
    { router: dependencies.router, usage, records, projects, logger, version, now },
    closers,
  )
  const webhooks = await openWebhooks(config, {
    store,
    records,
    now,
    logger,
    ownerOf,
    siteUrl,
    version,
    send: dependencies.send,
  })
  closers.add(() => webhooks.dispatcher.close(Math.min(config.drainSeconds, longestDelivery) * 1000))
  const { dispatcher, outbox } = webhooks
  const changelog = new Changelog({
    store,
    records,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    renderer: texts,
    announcer: outbox.entries,
    siteUrl,
    pageUrl,
    now,
    log: logger,
  })
  closers.add(() => changelog.close())
  const audit = new AuditLog({ records, now })
  let assistant: Assistant
  const onGone = (projectId: string, branch: string): void => assistant.forget(projectId, branch)
  const own = { store, records, repositories, hosting, builder, projects, addresses, usage, outbox, logger, now }
  const below = { ...own, onGone }
  const { deploys, branches, checks } = openDeploys(config, below)
  closers.add(() => branches.close())
  assistant = new Assistant({ branches, models, records, now, log: logger })
  closers.add(() => assistant.close())
  const held = { store, repositories, hosting, deploys, branches, assistant, dispatcher, audit, changelog, models }
  const lifecycle = await openLifecycle(config, { ...held, ...access, records, logger, now })
  await branches.load()
  await deploys.recover()
  await changelog.load()
  if (store.readOnly === null) await recoverUsage(usage, { projects, deploys, branches, models })
  const answers = openAnswers({ store, hosting, projects, deploys, models, now }, closers)
  return { ...held, checks, answers, records, git, builder, access, addresses, usage, webhooks, lifecycle, maintenance }
}

interface DeployParts {
  /** Told of branches that are gone. */
  readonly onGone: (projectId: string, branch: string) => void
  readonly store: Store
  readonly records: Records
  readonly repositories: Repositories
  readonly hosting: Hosting
  readonly builder: SiteBuilder
  readonly projects: Projects
  readonly addresses: ReturnType<typeof addressesOf>
  readonly usage: Usage
  readonly outbox: Awaited<ReturnType<typeof openWebhooks>>['outbox']
  readonly logger: Logger
  readonly now: () => Date
}

/** Deploys, and the branches that are published by them. */
function openDeploys({ failpoint }: Config, below: DeployParts) {
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
    ownerOf: (projectId: string) => projects.ownerOf(projectId),
  }
  const deploys: Deploys = new Deploys({
    ...shared,
    builds: new FairLimit(deployBuilds),
    outbox: outbox.deploys,
    siteUrl: addresses.siteUrl,
    failpoint: createFailpoint(failpoints.find((name) => name === failpoint)),
    reports: new DeployReports(records),
    reserveDeploy: (projectId) => usage.reserve(projectId, 'deploys'),
    previews: { releases: async (projectId) => branches.releases(projectId) },
  })
  const checks = new Checks({
    ...shared,
    builds: new FairLimit(checkBuilds),
    siteUrl: addresses.siteUrl,
    deploys,
  })
  const branches = new Branches({
    ...shared,
    builds: new FairLimit(previewBuilds),
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

/**
 * Builds of deploys under way, which hold the files that were sent; of one owner at most `share`, and so many may wait.
 * How fast they are is decided by the children, whose time is divided among owners, too.
 */
const deployBuilds = { slots: 32, share: 4, reserve: 28, firsts: 128, queue: 20 }
/** Builds of previews: nobody waits for them at a terminal, and those of a branch are one at a time. */
const previewBuilds = { slots: 8, share: 2, reserve: 6, firsts: 128 }
/** Builds of checks, which hold the files that were sent, as those of deploys do. */
const checkBuilds = { slots: 16, share: 2, reserve: 14, firsts: 128, queue: 20 }

type RenderingParts = Dependencies & { readonly ownerOf: (projectId: string) => string }

/** What turns text into HTML: whole sites, and texts that are no pages. Render children end when the builder is closed. */
function openRendering(config: Config, parts: RenderingParts, closers: Closers) {
  const { builder, texts = noTexts } = parts
  const opening = builder === undefined ? startRendering(config, parts) : Promise.resolve({ builder, texts })
  closers.add(() =>
    opening.then(
      (opened) => opened.builder.close(),
      () => undefined,
    ),
  )
  return opening
}

/** What builds sites, for an operator where no service runs. */
export async function startBuilder(config: Config, logger: Logger): Promise<SiteBuilder> {
  // Nobody else builds here: each project stands for its owner.
  return (await startRendering(config, { logger, ownerOf: (projectId) => projectId })).builder
}

async function startRendering(
  { renderChildren, buildSeconds, allowWeakIsolation }: Config,
  { logger, ownerOf }: Pick<RenderingParts, 'logger' | 'ownerOf'>,
) {
  const pool = await openRenderPool({
    ...(renderChildren === undefined ? {} : { children: renderChildren }),
    buildMs: buildSeconds * 1000,
    ownerOf,
    log: ({ message, ...event }) => logger.warn(event, message),
  })
  try {
    requireIsolation(pool.isolation, allowWeakIsolation)
  } catch (error) {
    await pool.close()
    throw error
  }
  const { level, holds } = pool.isolation
  const details = { isolation: level, protections: holds.map((name) => protections[name]) }
  if (level === 'strong') logger.info(details, 'render children are isolated')
  else logger.warn({ ...details, lacks: lacksOf(holds) }, 'render children are isolated weakly, as settings allow')
  const builder: SiteBuilder = createSiteBuilder({ pool, theme: loadTheme(), icon })
  return { builder, texts: createTextRenderer(pool) }
}

/** In the place of the renderer where a test brings a builder of its own and shows no texts. */
const noTexts: TextRenderer = {
  fingerprint: 'none',
  render: () => Promise.reject(new Error('there is no renderer for texts')),
}
