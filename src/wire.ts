import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { nameOf } from './access/members.ts'
import type { Passwords } from './access/passwords.ts'
import { Analytics } from './analytics/analytics.ts'
import { Feedback } from './analytics/feedback.ts'
import { Assistant } from './assistant/assistant.ts'
import { AuditLog } from './audit/audit-log.ts'
import type { Branches } from './branching/branches.ts'
import { Changelog } from './changelog/changelog.ts'
import { Comments } from './comments/comments.ts'
import type { Config } from './config.ts'
import { Failure } from './contract/failure.ts'
import type { Rounds } from './domains/rounds.ts'
import type { TxtLookup } from './domains/txt-lookup.ts'
import { defaultBodyBounds, type BodyBounds } from './http/api/held-body.ts'
import { Drain } from './http/drain.ts'
import { Listener } from './http/listener.ts'
import { originProblem } from './http/sites/hosts.ts'
import { root } from './lib/paths.ts'
import type { Mailer } from './mail/mailer.ts'
import { projectDocument, projectPrefix } from './projects/document.ts'
import type { ModelRouter } from './models/model.ts'
import type { Projects } from './projects/projects.ts'
import type { SiteBuilder } from './site/builder.ts'
import type { OnePageRenderer } from './site/one-page.ts'
import type { RenderPool } from './site/page.ts'
import type { TextRenderer } from './site/text.ts'
import type { Send } from './webhooks/send.ts'
import { openAccess } from './wire/access.ts'
import { openAnswers } from './wire/answers.ts'
import { connectionBounds, endAnswers, endChanges, openApp } from './wire/app.ts'
import { Closers } from './wire/closers.ts'
import { openDomainNews, openDomains, openRounds } from './wire/domains.ts'
import { openDeploys } from './wire/deploys.ts'
import { Laps } from './wire/laps.ts'
import { openLogger } from './wire/logger.ts'
import { openMail } from './wire/mail.ts'
import { openModels } from './wire/models.ts'
import { openOperatorSocket } from './wire/operator.ts'
import { addressesOf, openLifecycle, openStorageQuota, openUsage, recoverUsage } from './wire/projects.ts'
import { openRendering } from './wire/rendering.ts'
import { openStorage } from './wire/storage.ts'
import { openTraces } from './wire/traces.ts'
import { openVisibility } from './wire/visibility.ts'
import { openWebhooks } from './wire/webhooks.ts'

/** What tests put in the place of the real thing. */
export interface Overrides {
  readonly builder?: SiteBuilder
  /** Renders in the place of children of the service’s own. */
  readonly renderPool?: RenderPool
  readonly texts?: TextRenderer
  readonly pages?: OnePageRenderer
  readonly logger?: Logger
  readonly now?: () => Date
  readonly passwords?: Passwords
  /** Sends what webhooks get. */
  readonly send?: Send
  /** Answers in the place of the DNS, where domains are verified. */
  readonly lookupTxt?: TxtLookup
  readonly router?: ModelRouter
  /** Sends what people are written. */
  readonly mailer?: Mailer
  readonly bodies?: BodyBounds
}

/** What a service is told that takes the place of another one. */
export interface Succession {
  /** What the connections come to; without it the service has one of its own. */
  readonly listener?: Listener
  /** All is there that can be had without the data directory. Resolves when that is free. */
  readonly turn?: () => Promise<void>
}

export interface Service {
  readonly app: FastifyInstance
  /** What the connections come to. */
  readonly listener: Listener
  /** Starts answering; resolves with the address that it listens on. */
  listen(): Promise<string>
  /**
   * Ends changes under way, with their answers, for as long as the settings say, and frees the data directory for
   * another process. Sites, and whatever else only reads, are answered until `close`; every change is refused.
   */
  yield(): Promise<void>
  /** Ends behind another service, which answers by the same listener. */
  leave(): Promise<void>
  /**
   * Ends what was accepted, with its answer, for as long as the settings say, and frees the data directory.
   * Returns how many deploys were cut off; recovery mends those.
   *
   * @param notice Milliseconds at least for which callers and load balancers are told that it ends; default 0.
   * @param hasSuccessor whether another service takes the connections that come from now on.
   */
  close(notice?: number, hasSuccessor?: boolean): Promise<number>
}

/** Seconds that deliveries under way have at the end. */
const longestDelivery = 5

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/**
 * Puts the service together: settings → adapters → services → application. Recovers what a crash left before it returns.
 * Throws a Failure for what an operator can mend: settings, a data directory in use.
 */
export async function createService(
  config: Config,
  overrides: Overrides = {},
  { listener = new Listener(connectionBounds(config)), turn }: Succession = {},
): Promise<Service> {
  const problem = originProblem(config)
  if (problem !== null) throw new Failure('unavailable', problem)
  const logger = overrides.logger ?? openLogger(config)
  const closers = new Closers()
  const laps = new Laps()
  try {
    if (config.traces !== undefined) await openTraces({ ...config.traces, version }, closers)
    const given = { ...overrides, logger, laps, listener, turn }
    const { app, answer, metrics, projects, operator, ...running } = await assemble(config, given, closers)
    const within = config.drainSeconds * 1000
    let changes: Promise<number> | undefined
    const endOfChanges = (how: { readonly notice?: number; readonly hasSuccessor?: boolean }): Promise<number> => {
      const { drain, deploys } = running
      if (changes !== undefined) {
        drain.begin(how)
        return changes
      }
      logger.info({ requests: drain.open, deploys: deploys.busy, seconds: config.drainSeconds }, 'draining')
      // A backup under way keeps from ending what deploys wait for.
      changes = operator.close().then(() => endChanges({ ...running, within }, how))
      return changes
    }
    return {
      app,
      listener,
      listen: async () => {
        listener.answerBy(answer)
        const address = await listener.listen(config)
        const shown = await metrics.listen()
        laps.lap('listen')
        const { dataDirectory, publicUrl, previewDomain } = config
        const where = { address, metrics: shown, publicUrl, previewDomain, dataDirectory }
        const what = { version, node: process.version, pid: process.pid, projects: projects.count }
        logger.info({ ...what, ...where, ms: laps.total, parts: laps.parts }, 'started')
        return address
      },
      yield: async () => {
        await endOfChanges({ hasSuccessor: true })
        await closers.closeWriters()
        logger.info('the data directory is free for another service')
      },
      leave: async () => {
        await endOfChanges({ hasSuccessor: true })
        await running.drain.settleAnswers(within)
        await app.close()
        await closers.close()
      },
      close: async (notice = 0, hasSuccessor = false) => {
        const since = performance.now()
        const left = await endOfChanges({ notice, hasSuccessor })
        const rest = Math.max(0, within - (performance.now() - since))
        await endAnswers({ ...running, listener, within: rest, notice, hasSuccessor })
        await app.close()
        await closers.close()
        logger.info({ ms: Math.round(performance.now() - since), cutOffDeploys: left }, 'stopped')
        return left
      },
    }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** What the service is put together with: the overrides, and what stands in for those that are missing. */
type Dependencies = Overrides &
  Required<Pick<Overrides, 'logger' | 'now'>> & {
    readonly laps: Laps
    readonly listener: Listener
    readonly turn: Succession['turn']
  }

/** From the data directory up: storage, who may do what, content and sites, what follows them, the application. */
async function assemble(config: Config, given: Omit<Dependencies, 'now'> & Overrides, closers: Closers) {
  const dependencies: Dependencies = { now: () => new Date(), ...given }
  const services = await openServices(config, dependencies, closers)
  const drain = new Drain(services.store.readOnly)
  const { logger, now, laps, listener, bodies = defaultBodyBounds() } = dependencies
  const parts = { ...services, drain, bodies, listener, logger, now, version }
  const { app, answer, metrics } = await openApp(config, parts, closers)
  const rounds = openRounds({ domains: services.domains, projects: services.access.projects, now, logger })
  closers.add(() => rounds.close())
  const operator =
    services.store.readOnly === null ? await beginWork(config, { ...services, rounds, logger, now }) : noOperator
  closers.add(() => operator.close())
  laps.lap('application')
  const { deploys, assistant, models } = services
  return { app, answer, metrics, projects: services.access.projects, deploys, assistant, models, drain, operator }
}

/** What writes without being asked, and lets an operator write. */
async function beginWork(config: Config, services: Parameters<typeof openOperatorSocket>[1] & WorkingServices) {
  services.branches.recoverInBackground()
  services.webhooks.dispatcher.start()
  services.rounds.start()
  return openOperatorSocket(config, services)
}

interface WorkingServices {
  readonly branches: Branches
  readonly webhooks: Pick<Awaited<ReturnType<typeof openWebhooks>>, 'dispatcher'>
  readonly rounds: Pick<Rounds, 'start'>
}

/** No socket can be made in a directory that takes no writes. */
const noOperator = { close: async (): Promise<void> => undefined }

/** Everything below the application, with what a crash left at its end; where nothing can be written it stays for later. */
async function openServices(config: Config, dependencies: Dependencies, closers: Closers) {
  const { logger, now, laps } = dependencies
  // The build children start while the rest is read.
  // Whose what is, is known when the accounts are read; until then each project stands for its owner.
  let owners: Pick<Projects, 'ownerOf'> = { ownerOf: (projectId) => projectId }
  const ownerOf = (projectId: string): string => owners.ownerOf(projectId)
  const rendering = openRendering(config, { ...dependencies, ownerOf }, closers)
  if (dependencies.turn !== undefined) {
    await rendering
    await dependencies.turn()
  }
  const { store, records, git, repositories, hosting, maintenance, presence } = await openStorage(
    config,
    { logger, ownerOf },
    closers,
  )
  laps.lap('storage')
  const { builder, texts, pages, children } = await rendering
  laps.lap('renderer')
  const mailer = dependencies.mailer ?? openMail(config, logger, closers)
  const { passwords } = dependencies
  const access = await openAccess(config, {
    store,
    now,
    logger,
    mailer,
    passwords,
    takeOver: (...of) => takeOver(...of),
  })
  closers.add(() => access.lastUse.close())
  laps.lap('accounts')
  const { projects } = access
  owners = projects
  const audit = new AuditLog({ records, now })
  const news = openDomainNews(config, { audit, accounts: access.accounts, projects, mailer, now, logger })
  const moved = (projectId: string): void => deploys.readdress(projectId)
  const domains = openDomains(config, { store, projects, now, news, moved, lookup: dependencies.lookupTxt })
  const visibility = openVisibility({ ...access, store, now })
  const isLive = (projectId: string): boolean => deploys.liveRelease(projectId) !== undefined
  const addresses = addressesOf(config, { projects, domains, isLive })
  const { siteUrl, pageUrl } = addresses
  const usage = await openUsage({ store, projects, now, logger })
  closers.add(() => usage.close())
  const storage = openStorageQuota(config, { ...access, logger })
  const takeOver = (account: string, id: string) => storage.takeOver(account, id, projects.slugOf(id))
  closers.add(async () => storage.close())
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
    isSuspended: (projectId) => projects.isSuspended(projectId),
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
  let assistant: Assistant
  let comments: Comments
  const onGone = (projectId: string, branch: string): void => {
    assistant.forget(projectId, branch)
    comments.forget(projectId, branch)
  }
  const own = { store, records, repositories, hosting, builder, projects, addresses, usage, outbox, logger, now }
  const below = { ...own, pages, onGone }
  const { deploys, branches, checks } = openDeploys(config, below)
  closers.add(() => branches.close())
  assistant = new Assistant({ branches, models, records, now, log: logger })
  closers.add(() => assistant.close())
  const accountName = async (id: string): Promise<string | undefined> => {
    const account = await access.accounts.read(id)
    return account === null ? undefined : nameOf(account.email)
  }
  comments = new Comments({ branches, records, nameOf: accountName, now, log: logger })
  closers.add(() => comments.close())
  const analytics = new Analytics({
    hosting,
    records,
    ownerOf,
    liveRelease: (projectId) => deploys.liveRelease(projectId),
    now,
    onError: (error, project) => logger.error({ err: error, project }, 'the analytics of a project failed'),
  })
  closers.add(() => analytics.close())
  const held = {
    store,
    repositories,
    hosting,
    deploys,
    branches,
    assistant,
    dispatcher,
    audit,
    changelog,
    models,
    domains,
    visibility,
    analytics,
  }
  laps.lap('rooms')
  const lifecycle = await openLifecycle(config, { ...held, ...access, records, logger, now })
  if (store.readOnly === null)
    await access.removal.recover((error) => logger.error({ err: error }, 'an account could not be removed'))
  await domains.load()
  await visibility.load()
  await branches.load()
  laps.lap('projects')
  await deploys.recover()
  laps.lap('deploys')
  await changelog.load()
  if (store.readOnly === null) await recoverUsage(usage, { projects, deploys, branches, models })
  laps.lap('rest')
  const answers = openAnswers({ store, hosting, projects, deploys, models, now }, closers)
  return {
    ...held,
    comments,
    feedback: new Feedback({ records, now }),
    checks,
    answers,
    records,
    git,
    builder,
    children,
    access,
    addresses,
    usage,
    storage,
    webhooks,
    lifecycle,
    maintenance,
    presence,
  }
}
