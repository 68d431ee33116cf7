import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { median } from '#scripts/tools/bench/machine.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { attempt } from './attempt.ts'
import { Random } from './random.ts'
import { Receivers, tempers, type Arrival, type Temper } from './receivers.ts'
import { KilledService } from './service.ts'

export interface WebhookStormOptions {
  /** Deploys that come to their end. */
  readonly events: number
  readonly kills: number
  /** Seconds between a start and its kill. */
  readonly seconds: readonly [from: number, to: number]
  readonly seed: number
  readonly onProgress?: (line: string) => void
}

export interface WebhookStormReport {
  readonly figures: readonly (readonly [label: string, value: string | number])[]
  /** What went wrong, in sentences. Empty: nothing. */
  readonly problems: readonly string[]
  readonly events: number
  readonly kills: number
  readonly lost: number
  readonly duplicates: number
}

const slug = 'hooks'
/** Seconds that the deliveries have when the storm is over. */
const patience = 120

interface Scene {
  readonly options: WebhookStormOptions
  readonly project: ProjectAccess
  readonly service: KilledService
  readonly receivers: Receivers
  readonly random: Random
  readonly webhooks: Map<Temper, string>
  readonly problems: string[]
}

/**
 * Deploys end, well and badly, receivers misbehave, and all the while the service is killed with SIGKILL and started
 * again. Then compares what ended with what was told.
 */
export async function webhookStorm(options: WebhookStormOptions): Promise<WebhookStormReport> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-hooks-'))
  const random = new Random(options.seed)
  const receivers = await Receivers.open(random)
  const service = new KilledService(join(directory, 'data'), {
    LOG_LEVEL: 'error',
    RATE_DEPLOY: '100000',
    WEBHOOK_ALLOW_HOSTS: receivers.host,
    WEBHOOK_TIMEOUT_SECONDS: '1',
    WEBHOOK_RETRY_SCHEDULE: '0,0.1,0.2,0.5,0.5,0.5,1,1,1,1,2,2,2,2,2,2',
  })
  try {
    await service.start()
    const project = await createProject(service.running.url, slug)
    const problems: string[] = []
    const scene = { options, project, service, receivers, random, problems, webhooks: new Map<Temper, string>() }
    await subscribe(scene)
    return await run(scene)
  } finally {
    await service.stop()
    await receivers.close()
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

async function subscribe({ project, receivers, webhooks }: Scene): Promise<void> {
  for (const temper of tempers) {
    const created = await project.client.call(contract.webhooks.create, {
      params: { slug },
      body: { url: receivers.urlOf(temper) },
    })
    receivers.secrets.set(temper, created.secret)
    webhooks.set(temper, created.id)
  }
}

async function run(scene: Scene): Promise<WebhookStormReport> {
  const { options, service, random, receivers } = scene
  const [from, to] = options.seconds
  const began = performance.now()
  let killing = true
  const deploying = deployAgainAndAgain(scene, () => killing)
  // Whoever fails is heard below; until then the service goes on being killed.
  deploying.catch(() => undefined)
  await service.killAgainAndAgain({
    kills: options.kills,
    life: () => random.between(from * 1000, to * 1000),
    until: Infinity,
    onKill: (kills) => {
      if (kills % 10 === 0) options.onProgress?.(`${kills} kills, ${receivers.arrivals.length} requests`)
    },
  })
  killing = false
  const unknown = await deploying
  const stormed = performance.now() - began
  const wasGone = await isDisabled(scene)
  receivers.calm = true
  await enableAgain(scene)
  const ended = await endedDeploys(scene.project)
  const waited = await settle(scene, ended)
  return report(scene, { ended, unknown, stormed, waited, wasGone })
}

/** Deploys, fails and rolls back in turn, until enough came to an end and nobody is killed any more. */
async function deployAgainAndAgain({ project, options, service }: Scene, killing: () => boolean): Promise<number> {
  const { client } = project
  const page = (text: string) => ({ files: [{ path: 'index.mdx', content: text }] })
  let unknown = 0
  let known = 0
  let first: Deploy | undefined
  for (let index = 1; killing() || known < options.events; index++) {
    const deployed = await attempt<Deploy>(() => {
      if (first !== undefined && index % 4 !== 0)
        return client.call(contract.deploys.rollback, { params: { slug }, body: { deployId: first.id } })
      const broken = index % 8 === 0
      return client.call(contract.deploys.create, { body: page(broken ? '<Card>\n' : `# Deploy ${index}\n`) })
    })
    if (deployed.kind === 'done' && first === undefined) first = deployed.value
    if (deployed.kind !== 'unknown') known += 1
    else {
      unknown += 1
      // It was killed, and comes back by itself.
      while (!(await isHealthy(service))) await sleep(20)
    }
  }
  return unknown
}

async function isHealthy(service: KilledService): Promise<boolean> {
  return fetch(`${service.running.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

const paramsOfGone = ({ webhooks }: Scene) => ({ slug, id: webhooks.get('gone') ?? '' })

/** The one that has gone is disabled, once the service has heard it. */
async function isDisabled(scene: Scene): Promise<boolean> {
  const { project, problems } = scene
  const began = performance.now()
  while (performance.now() - began < patience * 1000) {
    const { enabled, disabledReason } = await project.client.call(contract.webhooks.read, {
      params: paramsOfGone(scene),
    })
    if (!enabled && disabledReason !== undefined) return true
    await sleep(100)
  }
  problems.push('the webhook that answered 410 is not disabled')
  return false
}

/** Enabled again it gets what waited. */
async function enableAgain(scene: Scene): Promise<void> {
  const params = paramsOfGone(scene)
  await scene.project.client.call(contract.webhooks.update, { params, body: { enabled: true } })
}

/** Deploys that came to an end, oldest first. */
async function endedDeploys({ client }: ProjectAccess): Promise<Deploy[]> {
  const deploys: Deploy[] = []
  let cursor: string | undefined
  do {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) }
    const page = await client.call(contract.deploys.list, { params: { slug }, query })
    deploys.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return deploys.filter(({ status }) => ['live', 'superseded', 'failed'].includes(status)).toReversed()
}

/** What a receiver must have been told of: those that listened all the time, of everything. */
function due({ receivers }: Pick<Scene, 'receivers'>, temper: Temper, ended: readonly Deploy[]): readonly Deploy[] {
  if (temper !== 'gone') return ended
  const { goneAt = 0 } = receivers
  return ended.filter(({ finishedAt, createdAt }) => Date.parse(finishedAt ?? createdAt) < goneAt - 50)
}

function missing(scene: Scene, ended: readonly Deploy[]): string[] {
  const taken = new Set(
    scene.receivers.arrivals.filter((one) => one.taken).map(({ temper, event }) => `${temper} ${event}`),
  )
  return tempers.flatMap((temper) =>
    due(scene, temper, ended)
      .filter(({ id }) => !taken.has(`${temper} evt_${id}`))
      .map(({ number, status }) => `${temper} was not told of deploy ${number} (${status})`),
  )
}

/** Waits until all is delivered; milliseconds. */
async function settle(scene: Scene, ended: readonly Deploy[]): Promise<number> {
  const began = performance.now()
  while (missing(scene, ended).length > 0 && performance.now() - began < patience * 1000) await sleep(100)
  return performance.now() - began
}

function report(
  scene: Scene,
  what: {
    readonly ended: readonly Deploy[]
    readonly unknown: number
    readonly stormed: number
    readonly waited: number
    readonly wasGone: boolean
  },
): WebhookStormReport {
  const { receivers, service, problems, options } = scene
  const { ended } = what
  const lost = missing(scene, ended)
  const taken = receivers.arrivals.filter((arrival) => arrival.taken)
  const duplicates = taken.length - new Set(taken.map(({ temper, event }) => `${temper} ${event}`)).size
  const disorder = outOfOrder(taken, ended)
  problems.push(
    ...lost.map((line) => `lost: ${line}`),
    ...mistold(receivers.arrivals, ended),
    ...disorder,
    ...service.mistakes.map((line) => `logged: ${line}`),
  )
  if (ended.length < options.events) problems.push(`only ${ended.length} deploys came to an end`)
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  const failures = ended.filter(({ status }) => status === 'failed').length
  return {
    problems,
    events: ended.length,
    kills: service.kills,
    lost: lost.length,
    duplicates,
    figures: [
      ['events (deploys that ended)', ended.length],
      ['of them failures', failures],
      ['webhooks', tempers.length],
      ['kills (SIGKILL)', service.kills],
      ['requests to deploy without an answer', what.unknown],
      ['run', seconds(what.stormed)],
      ['restart until healthy, median', seconds(median(service.starts))],
      ['requests that receivers got', receivers.arrivals.length],
      ['of them misbehaved to', receivers.arrivals.length - taken.length],
      ['deliveries that were due', tempers.reduce((sum, temper) => sum + due(scene, temper, ended).length, 0)],
      ['until all had arrived, after the last event', seconds(what.waited)],
      ['lost', lost.length],
      ['duplicates, each with the id of the first', duplicates],
      ['out of order at the steady receiver', disorder.length],
      ['disabled by 410, enabled again', what.wasGone ? 'yes' : 'no'],
    ],
  }
}

/** One deploy, one id, one type; nothing is told of that did not end; every request is signed. */
function mistold(arrivals: readonly Arrival[], ended: readonly Deploy[]): string[] {
  const types = new Map(ended.map(({ id, status }) => [id, status === 'failed' ? 'deploy.failed' : 'deploy.success']))
  const bodies = new Map<string, string>()
  const problems = new Set<string>()
  for (const { temper, event, deploy, type, body, genuine } of arrivals) {
    if (!genuine) problems.add(`${temper} got ${event} with a wrong signature`)
    if (event !== `evt_${deploy}`) problems.add(`deploy ${deploy} was told as ${event}`)
    if (types.get(deploy) !== type) problems.add(`deploy ${deploy} was told as ${type}; it is ${types.get(deploy)}`)
    if ((bodies.get(event) ?? body) !== body) problems.add(`${event} was told in two ways`)
    bodies.set(event, body)
  }
  return [...problems]
}

function outOfOrder(taken: readonly Arrival[], ended: readonly Deploy[]): string[] {
  const numbers = new Map(ended.map(({ id, number }) => [id, number]))
  const firsts = new Set(taken.filter(({ temper }) => temper === 'steady').map(({ deploy }) => deploy))
  const order = [...firsts].map((deploy) => numbers.get(deploy) ?? Number.NaN)
  return order.flatMap((number, index) => {
    const before = order[index - 1] ?? 0
    return number > before ? [] : [`deploy ${number} was told of after deploy ${before}`]
  })
}
