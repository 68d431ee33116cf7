import { createClient, type Client } from '#client/client.ts'
import { scopes, type EndpointAccess, type Scope } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder, fakePages } from '#test/support/fake-builder.ts'
import { join } from '#test/support/members.ts'
import { MemoryRouter } from '#test/support/memory-router.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import type { CallerName } from './rule.ts'

export const password = 'correct horse battery'
const people = ['owner', 'writer', 'former', 'stranger'] as const
type Person = (typeof people)[number]

/** Keys of a project: one for each scope, one for all others, and two that are not valid any more. */
interface ProjectKeys {
  readonly only: Readonly<Record<Scope, string>>
  readonly without: Readonly<Record<Scope, string>>
  readonly revoked: string
  readonly expired: string
}

/** A service with a project that has an owner, a writer, one who was, and keys of all kinds, and another one that has others. */
export class World {
  readonly service: TestService
  readonly slug = 'subject'
  readonly #sessions = new Map<Person, string>()
  #ended = ''
  readonly #keys: ProjectKeys
  readonly #foreignKeys: ProjectKeys
  #spares = 0

  private constructor(service: TestService, keys: ProjectKeys, foreignKeys: ProjectKeys) {
    this.service = service
    this.#keys = keys
    this.#foreignKeys = foreignKeys
  }

  static async open(): Promise<World> {
    let time = Date.now()
    const service = await startTestService(
      { SIGN_INS_PER_MINUTE: '100000' },
      {
        builder: new FakeBuilder(),
        texts: new FakeTexts(),
        pages: fakePages,
        router: new MemoryRouter(),
        now: () => new Date(time),
      },
    )
    const tokens = new Map<Person, string>()
    for (const person of people) {
      const body = { email: emailOf(person), password }
      tokens.set(person, (await createClient({ baseUrl: service.url }).call(contract.accounts.signup, { body })).token)
    }
    const expires = new Date(time + 60_000)
    const make = (slug: string, person: Person) =>
      createWithKeys(createClient({ baseUrl: service.url, token: tokens.get(person) ?? '' }), slug, expires)
    const world = new World(service, await make('subject', 'owner'), await make('another', 'stranger'))
    await world.#admit('writer')
    await world.#removeFormer()
    await world.#endSession()
    time += 120_000
    return world
  }

  /** A client of an account, signed in anew when a request before has ended its session. */
  async as(person: Person): Promise<Client> {
    return createClient({ baseUrl: this.service.url, token: await this.session(person) })
  }

  async session(person: Person): Promise<string> {
    const { url: baseUrl } = this.service
    const known = this.#sessions.get(person)
    if (known !== undefined) {
      const alive = await createClient({ baseUrl, token: known })
        .call(contract.accounts.me)
        .then(
          () => true,
          () => false,
        )
      if (alive) return known
    }
    const body = { email: emailOf(person), password }
    const { token } = await createClient({ baseUrl }).call(contract.accounts.login, { body })
    this.#sessions.set(person, token)
    return token
  }

  /** What a caller sends as its credential to an endpoint of that access. */
  async credentialOf(caller: CallerName, access: EndpointAccess): Promise<string | null> {
    const scope = scopes.find((known) => known === access) ?? 'read'
    const keys: Partial<Record<CallerName, string>> = {
      'revoked key': this.#keys.revoked,
      'expired key': this.#keys.expired,
      'key of another project': this.#foreignKeys.only[scope],
      'key without the scope': this.#keys.without[scope],
      'key with only the scope': this.#keys.only[scope],
    }
    if (caller === 'nobody') return null
    if (caller === 'ended session') return this.#ended
    if (caller === 'former writer') return this.session('former')
    if (caller === 'writer' || caller === 'owner') return this.session(caller)
    return keys[caller] ?? this.session('stranger')
  }

  /** Another project of the owner, for what nobody can do twice. */
  async spare(): Promise<string> {
    this.#spares += 1
    const slug = `spare-${this.#spares}`
    await (await this.as('owner')).call(contract.projects.create, { body: { slug } })
    return slug
  }

  /** A key of a project with exactly these scopes. */
  async key(slug: string, granted: readonly Scope[]): Promise<string> {
    return createKey(await this.as('owner'), slug, { name: 'made', scopes: [...granted] })
  }

  async #admit(person: Person): Promise<string> {
    const invited = { client: await this.as(person), email: emailOf(person) }
    return (await join(await this.as('owner'), this.slug, invited)).id
  }

  async #removeFormer(): Promise<void> {
    const id = await this.#admit('former')
    await (await this.as('owner')).call(contract.members.remove, { params: { slug: this.slug }, query: { id } })
  }

  /** Of the owner: it did everything until it ended. */
  async #endSession(): Promise<void> {
    this.#ended = await this.session('owner')
    await (await this.as('owner')).call(contract.accounts.logout)
  }

  close(): Promise<void> {
    return this.service.close()
  }
}

function emailOf(person: Person): string {
  return `${person}@example.com`
}

interface KeyBody {
  readonly name: string
  readonly scopes: Scope[]
  readonly expiresAt?: string
}

async function createKey(client: Client, slug: string, body: KeyBody): Promise<string> {
  return (await client.call(contract.keys.create, { params: { slug }, body })).key
}

async function createWithKeys(owner: Client, slug: string, expires: Date): Promise<ProjectKeys> {
  await owner.call(contract.projects.create, { body: { slug } })
  const only: Partial<Record<Scope, string>> = {}
  const without: Partial<Record<Scope, string>> = {}
  for (const scope of scopes) {
    only[scope] = await createKey(owner, slug, { name: `only ${scope}`, scopes: [scope] })
    const others = scopes.filter((other) => other !== scope)
    without[scope] = await createKey(owner, slug, { name: `without ${scope}`, scopes: others })
  }
  const expired = await createKey(owner, slug, {
    name: 'expired',
    scopes: [...scopes],
    expiresAt: expires.toISOString(),
  })
  const { id, key: revoked } = await owner.call(contract.keys.create, {
    params: { slug },
    body: { name: 'revoked', scopes: [...scopes] },
  })
  await owner.call(contract.keys.revoke, { params: { slug }, query: { id } })
  return { only: only as Record<Scope, string>, without: without as Record<Scope, string>, expired, revoked }
}
