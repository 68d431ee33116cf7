import { Resolver } from 'node:dns/promises'

/** Where the record of a domain is. */
export const recordName = (domain: string): string => `_quire.${domain}`

/**
 * Texts of the TXT records of a name; none where there is no such name or record. Throws NoAnswer when nothing could be
 * learnt.
 */
export type TxtLookup = (name: string, signal?: AbortSignal) => Promise<readonly string[]>

/** The DNS did not say whether there is a record. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** Two tries of two seconds for each server; all of them together this long. */
const tryMs = 2000
const mostMs = 8000
const nothingThere = new Set(['ENODATA', 'ENOTFOUND'])

/**
 * Asks name servers: those that are given, else those that the system has at this moment (a resolver knows only those of
 * when it was made).
 */
export function txtLookup(servers: readonly string[]): TxtLookup {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: tryMs, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    const timer = setTimeout(cancel, mostMs)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      if (nothingThere.has(code)) return []
      throw new NoAnswer(`The records of ${name} could not be looked up (${code}).`, { cause: error })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }
}
