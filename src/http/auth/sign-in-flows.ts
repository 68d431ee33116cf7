import { createHash, randomBytes } from 'node:crypto'

const lifetimeMs = 10 * 60_000
const most = 10_000

/**
 * Sign-ins that were begun in a browser and wait for it to come back. In memory: whoever is under way when the service
 * starts anew begins anew. Each is taken once.
 */
export class SignInFlows<T> {
  readonly #now: () => Date
  /** By the hash of what the browser holds; the newest last. */
  readonly #flows = new Map<string, { readonly flow: T; readonly until: number }>()

  constructor(now: () => Date) {
    this.#now = now
  }

  static readonly maxAgeSeconds = lifetimeMs / 1000

  /** @returns what the browser shows to take it. */
  begin(flow: T): string {
    const ticket = randomBytes(32).toString('base64url')
    this.#flows.set(hashOf(ticket), { flow, until: this.#now().getTime() + lifetimeMs })
    const [oldest] = this.#flows.keys()
    if (this.#flows.size > most && oldest !== undefined) this.#flows.delete(oldest)
    return ticket
  }

  /** The flow, once; null when it is unknown, taken or too old. */
  take(ticket: string): T | null {
    const hash = hashOf(ticket)
    const waiting = this.#flows.get(hash)
    this.#flows.delete(hash)
    return waiting === undefined || this.#now().getTime() >= waiting.until ? null : waiting.flow
  }
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url')
}
