import { createHash } from 'node:crypto'
import { Failure } from '../contract/failure.ts'

/** A request that stands for a work, and may come again. */
export interface SharedRequest {
  /** What the work is known by, for all of the process. */
  readonly slot: string
  /** Digest of the request: another one must not come under its slot. */
  readonly body: string
  /** Aborted when whoever asked is gone; absent: they stay. */
  readonly signal: AbortSignal | undefined
}

interface Started<T> {
  readonly body: string
  readonly accepted: Promise<T>
  readonly audience: Audience
}

/** Work of requests with an Idempotency-Key: while it runs, whoever asks with the same key waits for the same. */
export class SharedWork<T> {
  readonly #started = new Map<string, Started<T>>()

  /**
   * Joins who waits for the work, or starts it. Failure `idempotency_conflict` when the body is another one.
   *
   * @param start gets a signal that is aborted when all are gone.
   * @param overOf settles when the work is on record, so that who comes later is answered from there.
   */
  async run(
    { slot, body, signal }: SharedRequest,
    start: (signal: AbortSignal) => Promise<T>,
    overOf: (accepted: T) => Promise<unknown>,
  ): Promise<T> {
    const earlier = this.#started.get(slot)
    if (earlier?.audience.signal.aborted === false) {
      assertSame(earlier.body, body)
      earlier.audience.join(signal)
      return earlier.accepted
    }
    const audience = new Audience(signal)
    const accepted = start(audience.signal)
    const started = { body, accepted, audience }
    this.#started.set(slot, started)
    const forget = (): void => {
      if (this.#started.get(slot) === started) this.#started.delete(slot)
    }
    accepted.then((value) => overOf(value).then(forget, forget), forget)
    return accepted
  }
}

/** All who wait for one work. */
class Audience {
  readonly #empty = new AbortController()
  #size = 0

  constructor(first: AbortSignal | undefined) {
    this.join(first)
  }

  /** Aborted when the last of them is gone, with the reason for that one. */
  get signal(): AbortSignal {
    return this.#empty.signal
  }

  /** @param signal aborted when that one is gone; absent: it stays. */
  join(signal: AbortSignal | undefined): void {
    this.#size += 1
    const leave = (): void => {
      this.#size -= 1
      if (this.#size === 0) this.#empty.abort(signal?.reason)
    }
    if (signal?.aborted === true) leave()
    else signal?.addEventListener('abort', leave, { once: true })
  }
}

/** Of a key or a body, to be kept: half of a SHA-256, as a project has very many. */
export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

/** Throws Failure `idempotency_conflict` where a key comes with another body than before. */
export function assertSame(before: string, now: string): void {
  if (before === now) return
  throw new Failure('idempotency_conflict', 'The Idempotency-Key came before with another request.', {
    hint: 'Use a new key for every new request, and the same key only to repeat one.',
  })
}
