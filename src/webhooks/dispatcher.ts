import pLimit from 'p-limit'
import type { DeliveryStatus } from '../contract/webhooks.ts'
import type { DeliveryPorts } from './attempts.ts'
import { DeliveryConcurrency } from './concurrency.ts'
import { deliveriesStream } from './delivery-log.ts'
import type { OutboxDocument } from './queue.ts'
import { ProjectDeliveries } from './project-deliveries.ts'

/** Milliseconds after which the files of a project in which nothing happens are closed. */
const idleMs = 60_000
/** Milliseconds until an outbox that could not be taken over is looked at again. */
const againMs = 5000
/** Milliseconds between two looks for deliveries that are too old to be kept. */
const expireMs = 6 * 60 * 60 * 1000

interface Opened {
  readonly project: Promise<ProjectDeliveries>
  /** Set when it is open. */
  ready?: ProjectDeliveries
  /** Taking over the outbox: one at a time. */
  turn: Promise<void>
  /** `performance.now()` when somebody last needed it. */
  usedAt: number
}

/** Delivers the events of all projects: see ProjectDeliveries for one. */
export class Dispatcher {
  readonly #ports: DeliveryPorts
  readonly #concurrency = new DeliveryConcurrency()
  readonly #opened = new Map<string, Opened>()
  /** Their files are being closed. */
  readonly #leaving = new Map<string, Promise<void>>()
  readonly #counts: Record<DeliveryStatus, number> = { succeeded: 0, failed: 0, skipped: 0 }
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #tidying: NodeJS.Timeout
  readonly #expiring: NodeJS.Timeout
  #starting: Promise<void> = Promise.resolve()
  #closed = false

  constructor(ports: DeliveryPorts) {
    this.#ports = ports
    this.#tidying = setInterval(() => void this.#tidy(), idleMs)
    this.#tidying.unref()
    this.#expiring = setInterval(() => void this.expire(), expireMs)
    this.#expiring.unref()
  }

  /** At start, once what was recorded is known: goes on with what waits. Nobody need wait for it. */
  start(): void {
    this.#starting = this.#resume()
      .catch((error: unknown) => this.#ports.log.error({ err: error }, 'deliveries of webhooks could not go on'))
      .then(() => this.expire())
  }

  /** Events may lie in the outbox of a project, or its webhooks have changed. */
  wake(projectId: string): void {
    if (this.#closed) return
    void this.#wake(projectId).catch((error: unknown) => {
      this.#ports.log.error({ err: error, projectId }, 'events could not be taken out of the outbox')
      this.#later(() => this.wake(projectId))
    })
  }

  /** The deliveries of a project. Throws Failure `unavailable` when the disk fails. */
  async project(projectId: string): Promise<ProjectDeliveries> {
    return this.#open(projectId).project
  }

  /** The project is being removed: nothing of it is sent any more, and none of its files is open. */
  async leave(projectId: string): Promise<void> {
    const opened = this.#opened.get(projectId)
    if (opened !== undefined) {
      this.#opened.delete(projectId)
      const leaving = close(opened, 0).finally(() => this.#leaving.delete(projectId))
      this.#leaving.set(projectId, leaving)
    }
    await this.#leaving.get(projectId)
  }

  /** Drops deliveries of all projects that are too old to be shown, one project after the other. */
  async expire(): Promise<void> {
    const { store, documentPrefix, log } = this.#ports
    const complain = (err: unknown, projectId?: string): void =>
      log.error({ err, projectId }, 'old deliveries were not dropped')
    try {
      for (const document of await store.list(documentPrefix)) {
        if (this.#closed) return
        const projectId = document.slice(documentPrefix.length)
        await this.#expire(projectId).catch((error: unknown) => complain(error, projectId))
      }
    } catch (error) {
      complain(error)
    }
  }

  /** Attempts since the start by outcome. */
  get counts(): Readonly<Record<DeliveryStatus, number>> {
    return this.#counts
  }

  /** Events that wait for a webhook. */
  get pending(): number {
    let pending = 0
    for (const { ready } of this.#opened.values()) pending += ready?.pending ?? 0
    return pending
  }

  /** Ends. @param milliseconds that attempts under way have. */
  async close(milliseconds: number): Promise<void> {
    this.#closed = true
    clearInterval(this.#tidying)
    clearInterval(this.#expiring)
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#starting
    const opened = [...this.#opened.values()]
    this.#opened.clear()
    await Promise.all([...opened.map((one) => close(one, milliseconds)), ...this.#leaving.values()])
  }

  async #resume(): Promise<void> {
    const { store, documentPrefix, records } = this.#ports
    const limit = pLimit(8)
    const look = async (document: string): Promise<void> => {
      const projectId = document.slice(documentPrefix.length)
      const { outbox } = (await store.read<OutboxDocument>(document)) ?? {}
      const waits = outbox !== undefined || (await records.exists(projectId, 'webhooks'))
      if (waits) this.wake(projectId)
    }
    const documents = await store.list(documentPrefix)
    await Promise.all(documents.map((document) => limit(() => look(document))))
  }

  async #expire(projectId: string): Promise<void> {
    const { records, now } = this.#ports
    if (await records.exists(projectId, 'deliveries'))
      await records.use(projectId, deliveriesStream, (log) => log.expire(now()))
  }

  async #wake(projectId: string): Promise<void> {
    const { store, documentOf, records } = this.#ports
    if (!this.#opened.has(projectId)) {
      const document = await store.read<OutboxDocument>(documentOf(projectId))
      if (document === undefined) return
      const waits = document.outbox !== undefined || (await records.exists(projectId, 'webhooks'))
      if (!waits || this.#closed) return
    }
    const opened = this.#open(projectId)
    const before = opened.turn.catch(() => undefined)
    opened.turn = before.then(async () => (await opened.project).wake())
    await opened.turn
  }

  #open(projectId: string): Opened {
    let opened = this.#opened.get(projectId)
    if (opened === undefined) {
      if (this.#closed) throw new Error('the dispatcher is closed')
      const parts = {
        ports: this.#ports,
        concurrency: this.#concurrency,
        onAttempt: (status: DeliveryStatus) => void (this.#counts[status] += 1),
      }
      const left = this.#leaving.get(projectId) ?? Promise.resolve()
      const project = left.then(() => ProjectDeliveries.open(projectId, parts))
      const opening: Opened = { project, turn: Promise.resolve(), usedAt: 0 }
      project.then(
        (ready) => (opening.ready = ready),
        // Who comes next tries again.
        () => this.#opened.delete(projectId),
      )
      opened = opening
      this.#opened.set(projectId, opened)
    }
    opened.usedAt = performance.now()
    return opened
  }

  /** Closes the files of projects in which nothing happens. */
  async #tidy(): Promise<void> {
    for (const [projectId, { ready, usedAt }] of this.#opened) {
      if (performance.now() - usedAt < idleMs || ready?.idle !== true) continue
      await this.leave(projectId).catch((error: unknown) =>
        this.#ports.log.error({ err: error, projectId }, 'files of deliveries could not be closed'),
      )
    }
  }

  #later(work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, againMs)
    timer.unref()
    this.#timers.add(timer)
  }
}

async function close({ project, turn }: Opened, milliseconds: number): Promise<void> {
  await turn.catch(() => undefined)
  await (await project).close(milliseconds)
}
