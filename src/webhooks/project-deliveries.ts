import { type AttemptOutcome, Attempts, type SharedParts, type AttemptSubject } from './attempts.ts'
import { deliveriesStream, type DeliveryLog, type StoredDelivery } from './delivery-log.ts'
import { changeOf, Health, type HealthSignal, type StoredWebhook, type WebhookDocument } from './stored-webhook.ts'
import { queueStream, type DeliveryQueue } from './queue.ts'
import { attemptsInOrder, delayOf } from './retry-schedule.ts'
import type { OpenStream } from '../storage/records.ts'
import { type PendingDelivery, WebhookWorker, type NextStep } from './webhook-worker.ts'

/** Events that wait for one webhook. Beyond it the oldest is given up: a receiver that is down takes no disk. */
export const maxPending = 2000
/** Milliseconds after which an event that could not be delivered is given up. */
const longestWait = 7 * 24 * 60 * 60 * 1000
/** Slack takes about one message a second. */
const slackPause = 1000

interface Streams {
  readonly queue: OpenStream<DeliveryQueue>
  readonly log: OpenStream<DeliveryLog>
}

/** The deliveries of one project: its queue, its log, and a worker for each webhook. */
export class ProjectDeliveries {
  readonly #projectId: string
  readonly log: DeliveryLog
  readonly #parts: SharedParts
  readonly #streams: Streams
  readonly #queue: DeliveryQueue
  readonly #attempts: Attempts
  readonly #health: Health
  readonly #workers = new Map<string, WebhookWorker>()
  readonly #manual = new Set<Promise<unknown>>()
  #closing = false

  private constructor(projectId: string, parts: SharedParts, streams: Streams) {
    this.#projectId = projectId
    this.log = streams.log.view
    this.#parts = parts
    this.#streams = streams
    this.#queue = streams.queue.view
    this.#attempts = new Attempts(projectId, this.log, parts)
    this.#health = new Health(parts.ports)
  }

  /** Throws Failure `unavailable` when the disk fails. */
  static async open(projectId: string, parts: SharedParts): Promise<ProjectDeliveries> {
    const { records, log: serviceLog } = parts.ports
    const queue = await records.open(projectId, queueStream)
    const { damaged } = queue.view
    if (damaged > 0)
      serviceLog.error({ projectId, records: damaged }, 'the queue of webhooks is damaged: what waited may be lost')
    try {
      const log = await records.open(projectId, deliveriesStream)
      const project = new ProjectDeliveries(projectId, parts, { queue, log })
      for (const pending of queue.view.pending()) project.#enqueue(pending)
      return project
    } catch (error) {
      queue.release()
      throw error
    }
  }

  /** Nothing waits and nothing is under way. */
  get idle(): boolean {
    return this.#queue.empty && this.#attempts.running === 0
  }

  /** How many events wait for webhooks. */
  get pending(): number {
    let count = 0
    for (const { queue } of this.#workers.values()) count += queue.size
    return count
  }

  /** Takes over what lies in the outbox, and goes on with webhooks that were paused. */
  async wake(): Promise<void> {
    const { store, documentOf, now } = this.#parts.ports
    const fresh = await this.#queue.takeOver(store, documentOf(this.#projectId), now().getTime())
    for (const pending of fresh) this.#enqueue(pending)
    const { webhooks = [] } = await this.#document()
    const known = new Set(webhooks.map(({ id }) => id))
    // What waits for a webhook that was deleted is due now: the worker drops it without an attempt.
    for (const pending of this.#queue.pending()) if (!known.has(pending.webhook)) pending.dueAt = 0
    for (const worker of this.#workers.values()) worker.resume()
  }

  /** Sends an event to a webhook now, once, whatever waits. Null when the service is ending. */
  async send(webhook: Readonly<StoredWebhook>, subject: AttemptSubject): Promise<StoredDelivery | null> {
    if (this.#closing) return null
    const sending = this.#sendManually(webhook, subject)
    this.#manual.add(sending)
    return sending.finally(() => this.#manual.delete(sending))
  }

  /** Ends. What is under way after so many milliseconds is cut off, and tried again after the next start. */
  async close(milliseconds: number): Promise<void> {
    this.#closing = true
    const timer = setTimeout(() => this.#attempts.abort(), milliseconds)
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()))
    clearTimeout(timer)
    this.#attempts.abort()
    // Outcomes of these are recorded before the streams are released.
    await Promise.allSettled(this.#manual)
    this.#streams.queue.release()
    this.#streams.log.release()
  }

  async #sendManually(webhook: Readonly<StoredWebhook>, subject: AttemptSubject): Promise<StoredDelivery | null> {
    const outcome = await this.#attempts.send(webhook, subject.event)
    if (outcome === null) return null
    if (outcome.status === 'succeeded') {
      const pending = this.#queue.find(subject.event.id, webhook.id)
      if (pending !== undefined) {
        this.#workers.get(webhook.id)?.queue.remove(pending)
        await this.#queue.settle(pending)
      }
      await this.#recordHealth(webhook, { arrived: true, gone: false, lasting: false })
    }
    return this.#attempts.record(webhook, subject, outcome)
  }

  #enqueue(pending: PendingDelivery): void {
    const { schedule, now, log } = this.#parts.ports
    if (pending.attempts === 0) pending.dueAt = pending.since + (schedule[0] ?? 0)
    let worker = this.#workers.get(pending.webhook)
    if (worker === undefined) {
      const details = { projectId: this.#projectId, webhook: pending.webhook }
      worker = new WebhookWorker({
        schedule,
        now,
        deliver: (next) => this.#deliver(next),
        onError: (error) => log.error({ err: error, ...details }, 'a delivery broke off'),
      })
      this.#workers.set(pending.webhook, worker)
    }
    worker.add(pending)
  }

  async #deliver(pending: PendingDelivery): Promise<NextStep> {
    const { webhooks = [] } = await this.#document()
    const webhook = webhooks.find(({ id }) => id === pending.webhook)
    if (webhook === undefined) {
      this.#attempts.forget(pending.webhook)
      return this.#done(pending)
    }
    const now = this.#parts.ports.now().getTime()
    const worker = this.#workers.get(pending.webhook)
    const useless = reasonToGiveUp(pending, worker?.queue.size ?? 0, now)
    if (useless !== null) {
      await this.#written(this.#attempts.recordGivenUp(webhook, this.#subject(pending, 1), useless))
      return this.#done(pending)
    }
    if (!webhook.enabled || this.#closing || this.#parts.ports.rests(this.#projectId)) return 'pause'
    if (webhook.kind === 'slack') worker?.pauseUntil(now + slackPause)
    const outcome = await this.#attempts.send(webhook, pending.event)
    return outcome === null ? 'pause' : this.#settle(webhook, pending, outcome)
  }

  async #settle(
    webhook: Readonly<StoredWebhook>,
    pending: PendingDelivery,
    outcome: AttemptOutcome,
  ): Promise<NextStep> {
    const { schedule, random, now } = this.#parts.ports
    const { status, gone, error, retryAfter } = outcome
    pending.attempts += 1
    const wait = { attempts: pending.attempts, random: random(), retryAfter }
    const delay = status === 'failed' ? delayOf(schedule, wait) : null
    if (delay !== null) {
      const ended = now().getTime()
      pending.dueAt = ended + delay
      // A receiver that asks for time gets it before any event, not only before this one.
      if (retryAfter !== undefined) this.#workers.get(webhook.id)?.pauseUntil(ended + Math.min(delay, retryAfter))
    }
    const lasting = delay === null || pending.attempts >= attemptsInOrder
    const signal = { arrived: status === 'succeeded', gone, lasting, ...(error === undefined ? {} : { error }) }
    // An event of a webhook that this attempt disables stays in the queue, but has no next time that could be shown.
    const isLast = delay === null || changeOf(webhook, signal, now())?.kind === 'disabled'
    const next = isLast ? {} : { nextAttemptAt: new Date(pending.dueAt).toISOString() }
    await this.#written(
      this.#attempts.record(webhook, this.#subject(pending), { ...outcome, ...next }),
      delay === null ? this.#queue.settle(pending) : this.#queue.keep(pending),
      this.#recordHealth(webhook, signal),
    )
    return delay === null ? 'done' : 'again'
  }

  async #recordHealth(webhook: Readonly<StoredWebhook>, signal: HealthSignal): Promise<void> {
    const change = await this.#health.record(this.#projectId, webhook, signal)
    if (change?.kind !== 'disabled') return
    const details = { projectId: this.#projectId, webhook: webhook.id, reason: change.reason }
    this.#parts.ports.log.warn(details, 'a webhook was disabled')
  }

  async #done(pending: PendingDelivery): Promise<NextStep> {
    await this.#written(this.#queue.settle(pending))
    return 'done'
  }

  /** Waits until it is written down. On a full disk it is not: to send again for that would make it worse. */
  async #written(...writing: readonly Promise<unknown>[]): Promise<void> {
    for (const written of await Promise.allSettled(writing)) {
      if (written.status === 'fulfilled') continue
      const details = { err: written.reason as unknown, projectId: this.#projectId }
      this.#parts.ports.log.error(details, 'a delivery could not be written down')
    }
  }

  #subject({ event, attempts }: PendingDelivery, more = 0): AttemptSubject {
    return { event, trigger: 'event', attempt: attempts + more }
  }

  async #document(): Promise<Pick<Readonly<WebhookDocument>, 'webhooks'>> {
    const { store, documentOf } = this.#parts.ports
    return (await store.read<WebhookDocument>(documentOf(this.#projectId))) ?? {}
  }
}

function reasonToGiveUp({ since }: PendingDelivery, waiting: number, now: number): string | null {
  if (now - since > longestWait) return 'The event has waited for a week: it was given up and not sent.'
  if (waiting > maxPending)
    return `More than ${maxPending} events wait for this webhook: the oldest was given up and not sent.`
  return null
}
