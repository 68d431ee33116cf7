import pLimit from 'p-limit'
import type { DeliveryStatus } from '../contract/webhooks.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'
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

interface OpenProject {
  readonly deliveries: ProjectDeliveries
  /** `performance.now()` when it was last asked for. */
  usedAt: number
}

/** Delivers the events of all projects: see ProjectDeliveries for one. */
export class Dispatcher {
  readonly #ports: DeliveryPorts
  readonly #concurrency: DeliveryConcurrency
  readonly #open = new Map<string, OpenProject>()
  /** For each project one at a time opens it, takes over its outbox or closes it. */
  readonly #mutex = new KeyedMutex()
  /** Work with projects that is under way or waits for its turn. */
  readonly #working = new Set<Promise<unknown>>()
  readonly #counts: Record<DeliveryStatus, number> = { succeeded: 0, failed: 0, skipped: 0 }
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #tidying: NodeJS.Timeout
  #expiring: NodeJS.Timeout | undefined
  #starting: Promise<void> = Promise.resolve()
  #closed = false

  constructor(ports: DeliveryPorts) {
    this.#ports = ports
    this.#concurrency = new DeliveryConcurrency(ports.ownerOf)
    this.#tidying = setInterval(() => void this.#tidy(), idleMs)
    this.#tidying.unref()
  }

  /** At start, once what was recorded is known: goes on with what waits, in the background. */
  start(): void {
    this.#expiring = setInterval(() => void this.expire(), expireMs)
    this.#expiring.unref()
    this.#starting = this.#resume()
      .catch((error: unknown) => this.#ports.log.error({ err: error }, 'deliveries of webhooks could not go on'))
      .then(() => this.expire())
  }

  /** Events may lie in the outbox of a project, or its webhooks have changed. */
  wake(projectId: string): void {
    if (this.#closed) return
    void this.#inTurn(projectId, () => this.#wake(projectId)).catch((error: unknown) => {
      this.#ports.log.error({ err: error, projectId }, 'events could not be taken out of the outbox')
      this.#later(() => this.wake(projectId))
    })
  }

  /** The deliveries of a project. Throws Failure `unavailable` when the disk fails. */
  project(projectId: string): Promise<ProjectDeliveries> {
    return this.#inTurn(projectId, () => this.#openProject(projectId))
  }

  /** The project is being removed: nothing of it is sent any more, and none of its files is open. */
  removed(projectId: string): Promise<void> {
    return this.#inTurn(projectId, () => this.#close(projectId, 0))
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
    for (const { deliveries } of this.#open.values()) pending += deliveries.pending
    return pending
  }

  /** Ends. @param milliseconds that attempts under way have. */
  async close(milliseconds: number): Promise<void> {
    this.#closed = true
    clearInterval(this.#tidying)
    clearInterval(this.#expiring)
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#starting
    // Who is just opening a project ends first: then all that are open are known.
    await Promise.allSettled(this.#working)
    await Promise.all([...this.#open.keys()].map((projectId) => this.#close(projectId, milliseconds)))
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
    if (!this.#open.has(projectId)) {
      const document = await store.read<OutboxDocument>(documentOf(projectId))
      if (document === undefined) return
      const waits = document.outbox !== undefined || (await records.exists(projectId, 'webhooks'))
      if (!waits) return
    }
    if (!this.#closed) await (await this.#openProject(projectId)).wake()
  }

  async #openProject(projectId: string): Promise<ProjectDeliveries> {
    if (this.#closed) throw new Error('the dispatcher is closed')
    let open = this.#open.get(projectId)
    if (open === undefined) {
      const onAttempt = (status: DeliveryStatus): void => void (this.#counts[status] += 1)
      const parts = { ports: this.#ports, concurrency: this.#concurrency, onAttempt }
      open = { deliveries: await ProjectDeliveries.open(projectId, parts), usedAt: 0 }
      this.#open.set(projectId, open)
    }
    open.usedAt = performance.now()
    return open.deliveries
  }

  async #close(projectId: string, milliseconds: number): Promise<void> {
    const open = this.#open.get(projectId)
    this.#open.delete(projectId)
    await open?.deliveries.close(milliseconds)
  }

  /** Closes the files of projects in which nothing happens. */
  async #tidy(): Promise<void> {
    for (const projectId of this.#open.keys()) {
      await this.#inTurn(projectId, async () => {
        const { deliveries, usedAt = 0 } = this.#open.get(projectId) ?? {}
        if (deliveries?.idle === true && performance.now() - usedAt >= idleMs) await this.#close(projectId, 0)
      }).catch((error: unknown) =>
        this.#ports.log.error({ err: error, projectId }, 'files of deliveries could not be closed'),
      )
    }
  }

  #inTurn<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const working = this.#mutex.run(projectId, work)
    const forget = (): void => void this.#working.delete(working)
    this.#working.add(working)
    working.then(forget, forget)
    return working
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
