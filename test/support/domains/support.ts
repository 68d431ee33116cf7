import { Domains } from '#domains/domains.ts'
import { NoAnswer, type TxtLookup } from '#domains/txt-lookup.ts'
import { FairLimit } from '#lib/fair-limit.ts'
import { openAccess, type AccessRoom } from '#test/support/access.ts'

/** The TXT records of the world, by name; null: its servers do not answer. */
export class FakeDns {
  readonly records = new Map<string, readonly string[] | null>()
  /** Names that were asked for, in order. */
  readonly asked: string[] = []
  /** Waited for before an answer. */
  pause: () => Promise<void> = async () => undefined

  readonly lookup: TxtLookup = async (name) => {
    this.asked.push(name)
    const found = this.records.get(name)
    await this.pause()
    if (found === null) throw new NoAnswer(`${name}: ESERVFAIL`)
    return found ?? []
  }

  /** Enters what a reply of the service says. */
  enter(...domains: readonly { readonly records: readonly { type: string; name: string; value: string }[] }[]): void {
    for (const { records } of domains)
      for (const { type, name, value } of records)
        if (type === 'TXT') this.records.set(name, [...(this.records.get(name) ?? []), value])
  }
}

export interface DomainsRoom extends AccessRoom {
  readonly domains: Domains
}

/** The domains of two projects of two owners, `docs` and `other`, which lie in the directory, or in memory. */
export async function openDomainsRoom(
  dns: FakeDns,
  directory?: string,
  serviceHost = 'app.quire.dev',
): Promise<DomainsRoom> {
  let domains: Domains | undefined
  const room = await openAccess({
    ...(directory === undefined ? {} : { directory }),
    participants: [{ removed: async (id) => domains?.removed(id) }],
  })
  const { store, projects, now } = room
  domains = new Domains({
    store,
    own: { serviceHost, previewDomain: 'quire-sites.net' },
    lookup: dns.lookup,
    lookups: new FairLimit({ slots: 4, firsts: 4, share: 2, reserve: 2, queue: 3 }),
    ownerOf: (id) => projects.ownerOf(id),
    targetOf: (id) => `${projects.slugOf(id)}.quire-sites.net`,
    urlOf: (name) => `https://${name}`,
    now,
  })
  if (projects.resolve('docs') === null) {
    await room.lifecycle.create('acc_ada', { slug: 'docs' })
    await room.lifecycle.create('acc_bob', { slug: 'other' })
  }
  await domains.load()
  return { ...room, domains }
}

/** The domain that the projects of the tests want. */
export const name = 'docs.example.com'

export async function openWith(
  dns = new FakeDns(),
  directory?: string,
): Promise<DomainsRoom & { readonly dns: FakeDns }> {
  return { ...(await openDomainsRoom(dns, directory)), dns }
}

/** A project that has shown that the domain is its own. */
export async function verified(directory?: string): Promise<DomainsRoom & { readonly dns: FakeDns }> {
  const room = await openWith(undefined, directory)
  room.dns.enter(await room.domains.add('docs', name))
  await room.domains.verify('docs', name)
  return room
}
