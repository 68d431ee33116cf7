import { domainLimits, type Domain } from '../contract/domains.ts'
import { Failure } from '../contract/failure.ts'
import type { FairLimit } from '../lib/fair-limit.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'
import { noProject, projectDocument } from '../projects/document.ts'
import type { Store } from '../storage/store.ts'
import { Holders, type Holding } from './holders.ts'
import { holdingOf, readHolders } from './read-holders.ts'
import { eventOf, type DomainEvent } from './news.ts'
import { asciiName, domainName, isAllowed, type OwnNames } from './name.ts'
import { presentDomain } from './present.ts'
import {
  newDomain,
  noteFound,
  noteLost,
  noteMissing,
  noteNoAnswer,
  recordText,
  type DomainsDocument,
  type StoredDomain,
} from './stored-domain.ts'
import { NoAnswer, recordName, type TxtLookup } from './txt-lookup.ts'

export interface DomainsOptions {
  readonly store: Store
  readonly own: OwnNames
  readonly lookup: TxtLookup
  /** Look-ups that members wait for, divided among owners. */
  readonly lookups: Pick<FairLimit, 'isFull' | 'run'>
  readonly ownerOf: (project: string) => string
  /** Host of a project’s site, to which its domains must lead. */
  readonly targetOf: (project: string) => string
  /** Address of the site on a domain. */
  readonly urlOf: (name: string) => string
  readonly now: () => Date
  /** Tells a project what became of a domain without its doing. Never rejects; absent where nobody looks for records. */
  readonly tell?: ((project: string, event: DomainEvent) => Promise<void>) | undefined
  /** Told that a project’s pages are to call another address their own. */
  readonly moved?: ((project: string) => void) | undefined
}

/** Domains of projects: claims in their documents, and in memory who has which. See README.md. */
export class Domains {
  readonly #options: DomainsOptions
  readonly #holders = new Holders()
  /** By name: a domain changes hands in one step. */
  readonly #mutex = new KeyedMutex()

  constructor(options: DomainsOptions) {
    this.#options = options
  }

  /** Reads who has which domain, once the projects are in order. */
  async load(): Promise<void> {
    const { store, own } = this.#options
    const lost = await readHolders(store, this.#holders, (name) => isAllowed(name, own))
    if (store.readOnly !== null) return
    for (const { project, name, fault } of lost) {
      if (store.setAside(projectDocument(project)).length > 0) continue
      await this.#change(project, (domains) => noteLost(pick(domains, name), fault))
    }
  }

  /** The project that is served on a host, in lower case; only memory is looked at. */
  projectAt(host: string): string | undefined {
    return this.#holders.projectOf(host)
  }

  /** Whether a site is served on a domain, however it is written. */
  isServed(text: string): boolean {
    const name = asciiName(text)
    return name !== null && this.#holders.projectOf(name) !== undefined
  }

  /** Address of the site on a domain. */
  urlOf(name: string): string {
    return this.#options.urlOf(name)
  }

  /** The verified domain that readers of the project’s other addresses are led to; only memory is looked at. */
  primaryOf(project: string): string | undefined {
    return this.#holders.primaryOf(project)
  }

  /**
   * The address that the project’s pages call their own: of the primary domain, or else of that which it has had longest;
   * undefined without one.
   */
  canonicalUrl(project: string): string | undefined {
    const name = this.#holders.primaryOf(project) ?? this.#holders.firstOf(project)
    return name === undefined ? undefined : this.#options.urlOf(name)
  }

  /**
   * Claims a domain, which keeps nobody else from it; one that the project has stays as it is. Throws Failure
   * `invalid_domain`, `invalid_request` when the project has as many as it may, `not_found`.
   */
  async add(project: string, text: string): Promise<Domain> {
    const name = domainName(text, this.#options.own)
    const added = await this.#change(project, (domains) => {
      const known = domains.find((domain) => domain.name === name)
      if (known !== undefined) return { ...known }
      if (domains.length >= domainLimits.ofProject) throw tooMany(domains.length)
      const domain = newDomain(name, this.#options.now())
      domains.push(domain)
      return { ...domain }
    })
    return this.#present(project, added)
  }

  /** All of a project, the newest first. Throws Failure `not_found`. */
  async list(project: string): Promise<Domain[]> {
    return (await this.#read(project)).map((domain) => this.#present(project, domain)).toReversed()
  }

  /**
   * Looks for the record now. Throws Failure `domain_taken` while another project has the domain and its record is there,
   * `invalid_domain`, `not_found`, `rate_limited` when too many look-ups of the owner wait.
   */
  async verify(project: string, text: string): Promise<Domain> {
    const { lookups, ownerOf, own } = this.#options
    // What could be claimed once may be the service's own by now.
    const name = domainName(pick(await this.#read(project), nameIn(text)).name, own)
    const owner = ownerOf(project)
    if (lookups.isFull(owner)) {
      throw new Failure('rate_limited', 'Too many domains of projects of this account wait for an answer of the DNS.', {
        hint: 'Verify again in a moment.',
        retryAfter: 5,
      })
    }
    return this.#present(project, await lookups.run(owner, () => this.check(project, name)))
  }

  /**
   * Chooses the domain that readers are led to; null: none. Returns its name. Throws Failure `not_found`, and
   * `invalid_domain` for one that is not verified: readers would be led where nothing is served.
   */
  async setPrimary(project: string, text: string | null): Promise<string | null> {
    const name = text === null ? null : nameIn(text)
    return this.#watched(project, async () => {
      await this.#changeDocument(project, (document) => {
        if (name === null) delete document.primaryDomain
        else if (pick(document.domains ?? [], name).verifiedAt === undefined) throw notVerified(name)
        else document.primaryDomain = name
      })
      this.#holders.choose(project, name ?? undefined)
      return name
    })
  }

  /** Frees a domain. Throws Failure `not_found`. Returns its name. */
  async remove(project: string, text: string): Promise<string> {
    const name = nameIn(text)
    const free = async (): Promise<void> => {
      const isChosen = await this.#changeDocument(project, (document) => {
        const domains = document.domains ?? []
        domains.splice(domains.indexOf(pick(domains, name)), 1)
        if (document.primaryDomain !== name) return false
        delete document.primaryDomain
        return true
      })
      if (isChosen) this.#holders.choose(project, undefined)
      this.#dropFrom(project, name)
    }
    await this.#watched(project, () => this.#mutex.run(name, free))
    return name
  }

  /** The project is gone, with its document. */
  removed(project: string): void {
    this.#holders.forget(project)
  }

  /** Verified domains whose record is to be looked for; whose was longest ago is first. */
  *due(now: Date): Generator<Holding> {
    for (const holding of this.#holders.all()) if (holding.lookAt <= now.getTime()) yield holding
  }

  /** Looks for the record of a claim and notes what is there. Throws as `verify` does, and the signal’s reason. */
  async check(project: string, name: string, signal?: AbortSignal): Promise<Readonly<StoredDomain>> {
    const texts = await this.#textsOf(name, signal)
    signal?.throwIfAborted()
    return this.#watched(project, () => this.#mutex.run(name, () => this.#settle(project, name, texts)))
  }

  /** Does what may change by which domain the pages of a project call themselves, and tells of it. */
  async #watched<T>(project: string, work: () => Promise<T>): Promise<T> {
    const before = this.canonicalUrl(project)
    const result = await work()
    if (this.canonicalUrl(project) !== before) this.#options.moved?.(project)
    return result
  }

  /** Null when nobody answered. */
  async #textsOf(name: string, signal: AbortSignal | undefined): Promise<readonly string[] | null> {
    try {
      const texts = await this.#options.lookup(recordName(name), signal)
      // People enter it with the quotes of a zone file.
      return texts.map((text) => text.trim().replace(/^"(.*)"$/, '$1'))
    } catch (error) {
      if (error instanceof NoAnswer) return null
      throw error
    }
  }

  async #settle(project: string, name: string, texts: readonly string[] | null): Promise<Readonly<StoredDomain>> {
    const { now } = this.#options
    const claim = pick(await this.#read(project), name)
    if (texts?.includes(recordText(claim)) === true) await this.#displace(project, name, texts)
    const { before, domain } = await this.#change(project, (domains) => {
      const stored = pick(domains, name)
      const known = { ...stored }
      if (texts === null) noteNoAnswer(stored, now())
      else if (texts.includes(recordText(stored))) noteFound(stored, now())
      else noteMissing(stored, texts.length === 0 ? 'no_record' : 'other_records', now())
      return { before: known, domain: { ...stored } }
    })
    const holding = holdingOf(project, domain)
    if (holding === null) this.#dropFrom(project, name)
    else this.#holders.put(holding)
    const event = eventOf(before, domain)
    if (event !== undefined) await this.#options.tell?.(project, event)
    return domain
  }

  /** Takes a domain from another project whose record is not there. Throws Failure `domain_taken` where it is. */
  async #displace(project: string, name: string, texts: readonly string[]): Promise<void> {
    const holder = this.#holders.projectOf(name)
    if (holder === undefined || holder === project) return
    const document = await this.#options.store.read<DomainsDocument>(projectDocument(holder))
    const theirs = document?.domains?.find((domain) => domain.name === name)
    if (theirs !== undefined) {
      if (texts.includes(recordText(theirs))) throw taken(name)
      await this.#change(holder, (domains) => noteLost(pick(domains, name), 'moved'))
      await this.#options.tell?.(holder, { what: 'moved', name })
    }
    await this.#watched(holder, async () => this.#holders.drop(name))
  }

  #dropFrom(project: string, name: string): void {
    if (this.#holders.projectOf(name) === project) this.#holders.drop(name)
  }

  #present(project: string, domain: Readonly<StoredDomain>): Domain {
    const { urlOf, targetOf } = this.#options
    return presentDomain(domain, { urlOf, target: targetOf(project), primary: this.#holders.primaryOf(project) })
  }

  async #read(project: string): Promise<readonly Readonly<StoredDomain>[]> {
    const document = await this.#options.store.read<DomainsDocument>(projectDocument(project))
    if (document === undefined) throw noProject(project)
    return document.domains ?? []
  }

  #change<R>(project: string, change: (domains: StoredDomain[]) => R): Promise<R> {
    return this.#changeDocument(project, (document) => change((document.domains ??= [])))
  }

  #changeDocument<R>(project: string, change: (document: DomainsDocument) => R): Promise<R> {
    return this.#options.store.mutate<DomainsDocument, R>(projectDocument(project), (draft) => {
      if (draft === undefined) throw noProject(project)
      return { result: change(draft), document: draft }
    })
  }
}

/** As it is written in the claims; what can be none is in none of them. */
const nameIn = (text: string): string => asciiName(text.trim()) ?? text

function pick<D extends Readonly<StoredDomain>>(domains: readonly D[], name: string): D {
  const domain = domains.find((candidate) => candidate.name === name)
  if (domain === undefined)
    throw new Failure('not_found', `The project has no domain ${name}.`, { hint: 'Add it first.' })
  return domain
}

function taken(name: string): Failure {
  return new Failure(
    'domain_taken',
    `Another project of this service has the domain ${name}, and its record is there.`,
    {
      hint: `Remove the domain from that project, or its TXT record ${recordName(name)} at the provider of the DNS, and verify again.`,
    },
  )
}

function notVerified(name: string): Failure {
  return new Failure('invalid_domain', `The domain ${name} is not verified: nothing is served there yet.`, {
    hint: 'Enter its records at the provider of the DNS, verify it, and make it the primary one then.',
  })
}

function tooMany(count: number): Failure {
  return new Failure('invalid_request', `The project has ${count} domains, which is the most.`, {
    hint: 'Remove one that is not in use.',
  })
}
