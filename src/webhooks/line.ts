import { attemptsInLine } from './schedule.ts'
import type { WebhookEvent } from './event.ts'

/** An event on its way to a webhook. */
export interface Pending {
  readonly event: WebhookEvent
  /** Id. */
  readonly webhook: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Attempts that were made. */
  attempts: number
  /** Milliseconds since the epoch before which it is not tried. */
  dueAt: number
}

/**
 * The order in which events go to one webhook. They wait in line, oldest first, and only the first of the line is tried;
 * one that goes on failing steps aside, where each has its own time.
 */
export class Line {
  #queue: Pending[] = []
  readonly #aside = new Set<Pending>()

  get size(): number {
    return this.#queue.length + this.#aside.size
  }

  /** Puts an event at the end of the line, or aside when it was there before. */
  add(pending: Pending): void {
    if (pending.attempts >= attemptsInLine) this.#aside.add(pending)
    else this.#queue.push(pending)
  }

  /** What is to be tried next, which may not be due yet. Stays in its place until it is moved or removed. */
  next(): Pending | undefined {
    let [first] = this.#queue
    for (const pending of this.#aside) if (first === undefined || pending.dueAt < first.dueAt) first = pending
    return first
  }

  /** After an attempt that failed: the event keeps its place, or steps aside. */
  settleDown(pending: Pending): void {
    if (pending.attempts >= attemptsInLine && this.#drop(pending)) this.#aside.add(pending)
  }

  /** Whether it was there. */
  remove(pending: Pending): boolean {
    return this.#aside.delete(pending) || this.#drop(pending)
  }

  /** The event that has waited longest. */
  oldest(): Pending | undefined {
    const [aside] = this.#aside
    return aside ?? this.#queue[0]
  }

  #drop(pending: Pending): boolean {
    // It is the first but when a person had it delivered by hand.
    const index = this.#queue[0] === pending ? 0 : this.#queue.indexOf(pending)
    if (index === -1) return false
    this.#queue.splice(index, 1)
    return true
  }
}
