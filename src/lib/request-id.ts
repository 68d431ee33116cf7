import { AsyncLocalStorage } from 'node:async_hooks'

/** Of the request that whatever runs now was asked for by. */
const current = new AsyncLocalStorage<string>()

/** Does work for a request: what the log has of it, and of all that it leads to, names the request. */
export function forRequest<T>(id: string, work: () => T): T {
  return current.run(id, work)
}

/** Undefined where nobody asked: a start, a round of the clock. */
export function currentRequestId(): string | undefined {
  return current.getStore()
}
