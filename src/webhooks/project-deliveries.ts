import type { Attempted } from './attempt.ts'
import { Attempts, type SharedParts, type What } from './attempts.ts'
import { DeliveryLog, logDirectory, type StoredDelivery } from './delivery-log.ts'
import { changeOf, Health, type Sign } from './health.ts'
import type { Pending } from './line.ts'
import { takeOut, type OutboxDocument } from './outbox.ts'
import { DeliveryQueue, queuePath } from './queue.ts'
import { Runner, type AfterAttempt } from './runner.ts'
import { attemptsInLine, delayOf } from './schedule.ts'
import type { StoredWebhook } from './state.ts'

/** Events that wait for one webhook. Beyond it the oldest is given up: a receiver that is down takes no disk. */
export const maxPending = 2000
/** An event that is older tells nobody anything. */
const longestWait = 7 * 24 * 60 * 60 * 1000
/** Slack takes about one message a second. */
const slackPause = 1000

/** The deliveries of one project: its queue, its log, and a runner a webhook. */
export class ProjectDeliveries {
  readonly #slug: string
  readonly log: DeliveryLog
  readonly #parts: SharedParts
  readonly #queue: DeliveryQueue
  readonly #attempts: Attempts
  readonly #health: Health
  readonly #runners = new Map<string, Runner>()
  readonly #byHand = new Set<Promise<unknown>>()
  #closing = false

  private constructor(slug: string, parts: SharedParts, files: { readonly queue: DeliveryQueue; log: DeliveryLog }) {
    this.#slug = slug
    this.log = files.log
    this.#parts = parts
    this.#queue = files.queue
    this.#attempts = new Attempts(slug, files.log, parts)
    this.#health = new Health(parts.ports)
  }

  /** Throws Failure `unavailable` when the disk fails. */
  static async open(slug: string, parts: SharedParts): Promise<ProjectDeliveries> {
    const { dataDirectory, now, log: serviceLog } = parts.ports
    const queue = await DeliveryQueue.open(queuePath(dataDirectory, slug))
    if (queue.damaged > 0)
      serviceLog.error({ slug, lines: queue.damaged }, 'the queue of webhooks is damaged: what waited may be lost')
    const log = await DeliveryLog.open(logDirectory(dataDirectory, slug), now)
    const project = new ProjectDeliveries(slug, parts, { queue, log })
    for (const pending of queue.pending()) project.#line(pending)
    return project
  }

  /** Nothing waits and nothing is under way. */
  get idle(): boolean {
    return this.#queue.empty && this.#attempts.running === 0
  }

  /** How many events wait for webhooks. */
  get pending(): number {
    let count = 0
    for (const { line } of this.#runners.values()) count += line.size
    return count
  }

  /** Takes over what lies in the outbox, and goes on with webhooks that were paused. */
  async wake(): Promise<void> {
    const { store, documentOf, now } = this.#parts.ports
    const { outbox = [], webhooks = [] } = await this.#document()
    if (outbox.length > 0) {
      const ids = new Set(outbox.map(({ event }) => event.id))
      for (const pending of await this.#queue.add(outbox, now().getTime())) this.#line(pending)
      await store.mutate<OutboxDocument, void>(documentOf(this.#slug), (draft) => {
        if (draft !== undefined) takeOut(draft, ids)
        return { document: draft, result: undefined }
      })
    }
    this.#queue.confirm()
    const known = new Set(webhooks.map(({ id }) => id))
    // Nobody waits for a webhook that is gone: its turn comes now, and ends at once.
    for (const pending of this.#queue.pending()) if (!known.has(pending.webhook)) pending.dueAt = 0
    for (const runner of this.#runners.values()) runner.resume()
  }

  /** Sends an event to a webhook now, once, whatever waits. Null when the service is ending. */
  async send(webhook: Readonly<StoredWebhook>, what: What): Promise<StoredDelivery | null> {
    if (this.#closing) return null
    const sending = this.#sendByHand(webhook, what)
    this.#byHand.add(sending)
    return sending.finally(() => this.#byHand.delete(sending))
  }

  /** Ends. What is under way after so many milliseconds is cut off, and tried again after the next start. */
  async close(milliseconds: number): Promise<void> {
    this.#closing = true
    const timer = setTimeout(() => this.#attempts.abort(), milliseconds)
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()))
    clearTimeout(timer)
    this.#attempts.abort()
    // What was answered at the last moment is written down before the files are closed.
    await Promise.allSettled(this.#byHand)
    await Promise.all([this.#queue.close(), this.log.close()])
  }

  async #sendByHand(webhook: Readonly<StoredWebhook>, what: What): Promise<StoredDelivery | null> {
    const outcome = await this.#attempts.send(webhook, what.event)
    if (outcome === null) return null
    if (outcome.status === 'succeeded') {
      const pending = this.#queue.find(what.event.id, webhook.id)
      if (pending !== undefined) {
        this.#runners.get(webhook.id)?.line.remove(pending)
        await this.#queue.settle(pending)
      }
      await this.#tell(webhook, { arrived: true, gone: false, lasting: false })
    }
    return this.#attempts.note(webhook, what, outcome)
  }

  #line(pending: Pending): void {
    const { schedule, now, log } = this.#parts.ports
    if (pending.attempts === 0) pending.dueAt = pending.since + (schedule[0] ?? 0)
    let runner = this.#runners.get(pending.webhook)
    if (runner === undefined) {
      const details = { slug: this.#slug, webhook: pending.webhook }
      runner = new Runner({
        schedule,
        now,
        deliver: (next) => this.#deliver(next),
        onError: (error) => log.error({ err: error, ...details }, 'a delivery broke off'),
      })
      this.#runners.set(pending.webhook, runner)
    }
    runner.add(pending)
  }

  async #deliver(pending: Pending): Promise<AfterAttempt> {
    const { webhooks = [] } = await this.#document()
    const webhook = webhooks.find(({ id }) => id === pending.webhook)
    if (webhook === undefined) {
      this.#attempts.forget(pending.webhook)
      return this.#done(pending)
    }
    const now = this.#parts.ports.now().getTime()
    const runner = this.#runners.get(pending.webhook)
    const useless = reasonToGiveUp(pending, runner?.line.size ?? 0, now)
    if (useless !== null) {
      await this.#written(this.#attempts.noteGivenUp(webhook, this.#what(pending, 1), useless))
      return this.#done(pending)
    }
    if (!webhook.enabled || this.#closing) return 'pause'
    if (webhook.kind === 'slack') runner?.hold(now + slackPause)
    const outcome = await this.#attempts.send(webhook, pending.event)
    return outcome === null ? 'pause' : this.#settle(webhook, pending, outcome)
  }

  async #settle(webhook: Readonly<StoredWebhook>, pending: Pending, outcome: Attempted): Promise<AfterAttempt> {
    const { schedule, random, now } = this.#parts.ports
    const { status, gone, error, retryAfter } = outcome
    pending.attempts += 1
    const wait = { attempts: pending.attempts, random: random(), retryAfter }
    const delay = status === 'failed' ? delayOf(schedule, wait) : null
    if (delay !== null) {
      const ended = now().getTime()
      pending.dueAt = ended + delay
      // What it asks for is time for itself, not for this event.
      if (retryAfter !== undefined) this.#runners.get(webhook.id)?.hold(ended + Math.min(delay, retryAfter))
    }
    const lasting = delay === null || pending.attempts >= attemptsInLine
    const sign = { arrived: status === 'succeeded', gone, lasting, ...(error === undefined ? {} : { error }) }
    // It keeps its place in line, but nobody knows when its webhook is enabled again.
    const isLast = delay === null || changeOf(webhook, sign, now())?.kind === 'disabled'
    const next = isLast ? {} : { nextAttemptAt: new Date(pending.dueAt).toISOString() }
    await this.#written(
      this.#attempts.note(webhook, this.#what(pending), { ...outcome, ...next }),
      delay === null ? this.#queue.settle(pending) : this.#queue.keep(pending),
      this.#tell(webhook, sign),
    )
    return delay === null ? 'done' : 'again'
  }

  /** Writes down how the webhook is. */
  async #tell(webhook: Readonly<StoredWebhook>, sign: Sign): Promise<void> {
    const change = await this.#health.note(this.#slug, webhook, sign)
    if (change?.kind !== 'disabled') return
    const details = { slug: this.#slug, webhook: webhook.id, reason: change.reason }
    this.#parts.ports.log.warn(details, 'a webhook was disabled')
  }

  async #done(pending: Pending): Promise<AfterAttempt> {
    await this.#written(this.#queue.settle(pending))
    return 'done'
  }

  /** Waits until it is written down. On a full disk it is not: to send again for that would make it worse. */
  async #written(...writing: readonly Promise<unknown>[]): Promise<void> {
    for (const written of await Promise.allSettled(writing)) {
      if (written.status === 'fulfilled') continue
      const details = { err: written.reason as unknown, slug: this.#slug }
      this.#parts.ports.log.error(details, 'a delivery could not be written down')
    }
  }

  #what({ event, attempts }: Pending, more = 0): What {
    return { event, trigger: 'event', attempt: attempts + more }
  }

  async #document(): Promise<Pick<Readonly<OutboxDocument>, 'outbox' | 'webhooks'>> {
    const { store, documentOf } = this.#parts.ports
    return (await store.read<OutboxDocument>(documentOf(this.#slug))) ?? {}
  }
}

function reasonToGiveUp({ since }: Pending, waiting: number, now: number): string | null {
  if (now - since > longestWait) return 'The event has waited for a week: it was given up and not sent.'
  if (waiting > maxPending)
    return `More than ${maxPending} events wait for this webhook: the oldest was given up and not sent.`
  return null
}
