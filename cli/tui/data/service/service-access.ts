import type { Client } from '#client/client.ts'
import { Failure } from '#contract/failure.ts'
import { withRetry } from '#cli/service/retry.ts'
import type { Kept } from '../disk/cache.ts'
import type { Connection } from './connection.ts'
import type { Store } from './store.ts'
import type { Loaded } from '../workspace.ts'

/** What everything of one workspace works with. */
export interface ServiceAccess {
  readonly url: string
  readonly connection: Connection
  readonly client: Client
  readonly store: Store
  readonly log: (message: string) => void
  /** Something that is shown may have changed. */
  readonly tell: () => void
}

/** A person waits: what does not pass in a few seconds is told instead. */
const longestWaitSeconds = 3

/** Calls again what may pass by itself; only for what may be done twice. */
export function patiently<T>({ connection }: Pick<ServiceAccess, 'connection'>, work: () => Promise<T>): Promise<T> {
  return withRetry(work, {
    tries: 3,
    contentionMs: 0,
    again: ({ retryAfter = 0 }) => retryAfter <= longestWaitSeconds && connection.state === 'online',
  })
}

/**
 * What the service says; where it cannot be reached, what is kept of it.
 * @param name of what it is, for the message where nothing is kept. @throws Failure
 */
export async function loaded<T>(
  access: ServiceAccess,
  name: string,
  source: {
    readonly load: () => Promise<T>
    readonly keep: (value: T) => void
    readonly kept: () => Promise<Kept<T> | undefined>
  },
): Promise<Loaded<T>> {
  try {
    const value = await patiently(access, source.load)
    source.keep(value)
    return { value, asOf: new Date(), offline: false }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'unavailable') throw error
    const kept = await source.kept()
    if (kept !== undefined) return { ...kept, offline: true }
    throw new Failure('unavailable', `${name} cannot be read now: ${error.message}`, {
      hint: 'It was not opened on this machine before, so it is not kept here. It comes when the service is back.',
      cause: error,
    })
  }
}

/** A list, kept as it is. */
export function loadedList<T>(
  access: ServiceAccess,
  about: { readonly name: string; readonly key: string },
  load: () => Promise<readonly T[]>,
): Promise<Loaded<readonly T[]>> {
  const { cache } = access.store
  return loaded<readonly T[]>(access, about.name, {
    load,
    keep: (items) => cache.keepList(about.key, items),
    kept: () => cache.list<T>(about.key),
  })
}
