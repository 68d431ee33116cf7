import type { Lookup } from './lookup.ts'
import { parseTarget, requirePublicAddress, type Target, type UrlPolicy } from './url.ts'

export interface GuardOptions extends UrlPolicy {
  readonly lookup: Lookup
  /** For the exempt hosts. */
  readonly systemLookup: Lookup
}

/** Says whether a URL may be sent to: its form, its name, and all addresses that the name has at this moment. */
export class Guard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** The rules that need no lookup. Throws Blocked. */
  parse(url: string): Target {
    return parseTarget(url, this.#options)
  }

  /**
   * Addresses to connect to. One that may not be reached spoils them all: who mixes public and private addresses is
   * trying something. Throws Blocked, SendFailed `lookup`.
   */
  async addresses({ host, literal, exempt }: Target): Promise<readonly string[]> {
    if (literal) return [host]
    if (exempt) return this.#options.systemLookup(host)
    const addresses = await this.#options.lookup(host)
    for (const address of addresses) requirePublicAddress(address, host)
    return addresses
  }
}
