import { createClient, type Client } from '#client/client.ts'
import { scopes } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import type { FakeDns } from '#test/support/domains/support.ts'
import type { RawAnswer } from '#test/support/send.ts'
import { tokenIn, type PostedLetters } from '#test/support/letters.ts'
import { join } from '#test/support/members.ts'
import type { FuzzCaller, Known } from './names.ts'
import { itemsOf, stateOf, type State } from './state.ts'

const password = 'correct-horse-battery'
const homeFiles = [
  { path: 'index.md', content: '# Home\n' },
  { path: 'guide/start.md', content: 'start\n' },
]

interface Person {
  readonly email: string
  readonly id: string
  token: string
}

/** A service, what it writes to people, and where it looks for the records of domains. */
export interface Place {
  readonly url: string
  readonly dns: FakeDns
  readonly letters: PostedLetters
}

type Pools = Record<keyof Known, readonly string[]>

/** Two accounts, each with a project that has one of everything, and somebody who writes in the first one’s. */
export class Tenants {
  readonly #url: string
  readonly #dns: FakeDns
  readonly #letters: PostedLetters
  readonly #owner: Person
  readonly #stranger: Person
  readonly #writer: Person
  readonly #keys: Readonly<Record<string, string>>
  readonly #keyIds: ReadonlySet<string>
  readonly #pools: Pools

  private constructor(
    { url, dns, letters }: Place,
    people: readonly [Person, Person, Person],
    keys: Readonly<Record<string, string>>,
    keyIds: ReadonlySet<string>,
    pools: Pools,
  ) {
    this.#url = url
    this.#dns = dns
    this.#letters = letters
    ;[this.#owner, this.#stranger, this.#writer] = people
    this.#keys = keys
    this.#keyIds = keyIds
    this.#pools = pools
  }

  static async settle(place: Place, number: number): Promise<Tenants> {
    const { url } = place
    const owner = await account(url, `owner-${number}`)
    const stranger = await account(url, `stranger-${number}`)
    const writer = await account(url, `writer-${number}`)
    const client = createClient({ baseUrl: url, token: owner.token })
    const own = await project(client, `own-${number}`)
    const foreign = await project(createClient({ baseUrl: url, token: stranger.token }), `foreign-${number}`)
    const params = { slug: own.slug }
    const keys: Record<string, string> = {}
    const ids = new Set<string>()
    for (const scope of [...scopes, 'revoked'] as const) {
      const body = { name: scope, ...(scope === 'revoked' ? {} : { scopes: [scope] }) }
      const { id, key } = await client.call(contract.keys.create, { params, body })
      keys[scope] = key
      ids.add(id)
      if (scope === 'revoked') await client.call(contract.keys.revoke, { params, query: { id } })
    }
    const pools = {
      slug: [own.slug],
      foreignSlug: [foreign.slug],
      foreignBranch: [foreign.branch],
      foreignDeploy: [foreign.deploy],
      email: [owner.email],
      foreignEmail: [stranger.email],
      password: [password],
    }
    return new Tenants(place, [owner, stranger, writer], keys, ids, pools as unknown as Pools)
  }

  get known(): Known {
    return this.#pools
  }

  credentialOf(caller: FuzzCaller): string | null {
    if (caller === 'nobody') return null
    if (caller === 'malformed') return 'Basic Og=='
    if (caller === 'wrong') return `Bearer ${this.#owner.token.slice(0, -1)}`
    if (caller === 'owner') return `Bearer ${this.#owner.token}`
    return `Bearer ${caller === 'stranger' ? this.#stranger.token : (this.#keys[caller] ?? '')}`
  }

  read(): Promise<State> {
    const [[slug = ''], [foreignSlug = '']] = [this.#pools.slug, this.#pools.foreignSlug]
    return stateOf({
      url: this.#url,
      owner: this.#owner.token,
      stranger: this.#stranger.token,
      slug,
      foreignSlug,
    })
  }

  /**
   * After a change: what it took away is there again, and the names stand for what is there now. Throws where more is
   * gone than that.
   */
  async mend(operation = '', answer?: RawAnswer): Promise<State> {
    if (operation === 'projects.update') this.#follow(answer)
    const state = await this.read().catch(async () => {
      for (const person of [this.#owner, this.#stranger]) await this.#signIn(person)
      return this.read()
    })
    const made = [
      await this.#mendPeople(state),
      await this.#mendDomains(state),
      await this.#mendVisibility(),
      await this.#mendContent(state),
      await this.#mendSubscriptions(state),
      await this.#mendDevices(operation),
      await this.#mendLinks(operation),
    ].some((one) => one)
    return made ? this.mend() : state
  }

  get #client(): Client {
    return createClient({ baseUrl: this.#url, token: this.#owner.token })
  }

  get #params(): { readonly slug: string } {
    return { slug: this.#pools.slug[0] ?? '' }
  }

  #follow(answer: RawAnswer | undefined): void {
    const { slug } = JSON.parse(answer?.text ?? '{}') as { slug?: string }
    if (slug !== undefined) this.#pools.slug = [slug]
  }

  async #signIn(person: Person): Promise<void> {
    const body = { email: person.email, password }
    person.token = (await createClient({ baseUrl: this.#url }).call(contract.accounts.login, { body })).token
  }

  /** Members, invitations, keys and sessions. */
  async #mendPeople(state: State): Promise<boolean> {
    const [client, params, pools] = [this.#client, this.#params, this.#pools]
    const members = itemsOf(state, `/api/projects/${params.slug}/members`)
    if (members.some(({ id }) => id === this.#stranger.id))
      await client.call(contract.members.remove, { params, query: { id: this.#stranger.id } })
    const isLeft = members.every(({ id }) => id !== this.#writer.id)
    if (isLeft) {
      const { email, token } = this.#writer
      await join(client, params.slug, { client: createClient({ baseUrl: this.#url, token }), email })
    }
    pools.member = [this.#writer.id]
    const invitations = itemsOf(state, `/api/projects/${params.slug}/invitations`)
    const isInvited = invitations.some(({ id }) => id === pools.invitation?.[0])
    if (!isInvited) {
      const body = { email: this.#stranger.email }
      const { id, code } = await client.call(contract.invitations.create, { params, body })
      ;[pools.invitation, pools.invitationCode] = [[id], [code]]
    }
    const keys = itemsOf(state, `/api/projects/${params.slug}/keys`).map(({ id = '' }) => id)
    pools.key = keys.filter((id) => !this.#keyIds.has(id))
    if (pools.key.length === 0) await client.call(contract.keys.create, { params, body: { name: 'spare' } })
    const sessions = itemsOf(state, '/api/auth/sessions').filter(({ current }) => String(current) !== 'true')
    pools.session = sessions.map(({ id = '' }) => id)
    const body = { email: this.#owner.email, password }
    if (sessions.length === 0) await createClient({ baseUrl: this.#url }).call(contract.accounts.login, { body })
    return isLeft || !isInvited || pools.key.length === 0 || sessions.length === 0
  }

  /** A domain that was verified. */
  async #mendDomains(state: State): Promise<boolean> {
    const [client, params] = [this.#client, this.#params]
    const verified = itemsOf(state, `/api/projects/${params.slug}/domains`).filter(
      (one) => String(one.verified) === 'true',
    )
    this.#pools.domain = verified.map(({ domain = '' }) => domain)
    if (verified.length > 0) return false
    const domain = `docs.${params.slug}.example.com`
    this.#dns.enter(await client.call(contract.domains.create, { params, body: { domain } }))
    await client.call(contract.domains.verify, { params: { ...params, domain } })
    return true
  }

  /** A private site with a share link. */
  async #mendVisibility(): Promise<boolean> {
    const [client, params] = [this.#client, this.#params]
    const { links, visibility } = await client.call(contract.visibility.read, { params })
    this.#pools.shareLink = links.map(({ id }) => id)
    if (links.length > 0) return false
    if (visibility === 'public') await client.call(contract.visibility.set, { params, body: { visibility: 'private' } })
    await client.call(contract.visibility.createLink, { params, body: { name: 'Readers' } })
    return true
  }

  /** Deploys, branches and their files. */
  async #mendContent(state: State): Promise<boolean> {
    const [client, params, pools] = [this.#client, this.#params, this.#pools]
    const deploys = itemsOf(state, `/api/projects/${params.slug}/deploys`)
    pools.deploy = deploys.filter(({ status }) => status !== 'failed').map(({ id = '' }) => id)
    const main = itemsOf(state, `/api/projects/${params.slug}/files`)
    ;[pools.mainPath, pools.mainOid] = [main.map(({ path = '' }) => path), main.map(({ oid = '' }) => oid)]
    if (!pools.mainPath.includes('index.md')) {
      const query = { project: params.slug }
      await client.call(contract.deploys.create, { query, body: { files: homeFiles } })
      return true
    }
    const history = await client.call(contract.files.history, { params })
    pools.mainCommit = history.items.map(({ oid }) => oid)
    const branches = itemsOf(state, `/api/projects/${params.slug}/branches`)
    pools.branch = branches.map(({ id = '' }) => id)
    for (const { id = '', name = '', head = '' } of branches) {
      const files = await client.call(contract.branches.files, { params: { ...params, id } })
      const there = files.items.filter(({ status }) => status !== 'deleted')
      if (there.length === 0) continue
      pools.edited = [id]
      pools.editedName = [name]
      pools.commit = [head]
      ;[pools.editedPath, pools.editedOid] = [there.map(({ path }) => path), there.map(({ oid }) => oid)]
      const isSaid = await this.#mendComment(id)
      return (await this.#mendConversation(id)) || isSaid
    }
    const created = await client.call(contract.branches.create, { params, body: { name: `draft-${Date.now()}` } })
    await client.call(contract.branches.saveFile, {
      params: { ...params, id: created.id, path: 'guide/start.md' },
      headers: { 'if-match': '*' },
      body: { content: 'changed\n' },
    })
    return true
  }

  /** A comment on a branch that its owner wrote. */
  async #mendComment(id: string): Promise<boolean> {
    const [client, params, pools] = [this.#client, { ...this.#params, id }, this.#pools]
    const { items } = await client.call(contract.comments.list, { params })
    const own = items.find(({ author }) => author.id === this.#owner.id)
    const { id: comment, thread } =
      own ?? (await client.call(contract.comments.create, { params, body: { text: 'Why?' } }))
    ;[pools.comment, pools.thread] = [[comment], [thread]]
    return own === undefined
  }

  /** A conversation of a branch with a turn that can be taken back. */
  async #mendConversation(id: string): Promise<boolean> {
    const [client, params, pools] = [this.#client, { ...this.#params, id }, this.#pools]
    const [newest] = (await client.call(contract.assistant.list, { params })).items
    if (newest !== undefined) {
      const conversation = newest.id
      const { turns } = await client.call(contract.assistant.read, { params: { ...params, conversation } })
      const turn = turns.findLast(({ commit, undone }) => commit !== undefined && undone === undefined)
      ;[pools.conversation, pools.turn] = [[conversation], turn === undefined ? [] : [turn.id]]
      if (turn !== undefined) return false
    }
    const body = { messages: [{ role: 'user', content: 'Write' }] }
    for await (const _ of client.events(contract.assistant.send, { params, body })) continue
    return true
  }

  /** Webhooks, deliveries and entries. */
  async #mendSubscriptions(state: State): Promise<boolean> {
    const [client, params, pools] = [this.#client, this.#params, this.#pools]
    pools.webhook = itemsOf(state, `/api/projects/${params.slug}/webhooks`).map(({ id = '' }) => id)
    pools.entry = itemsOf(state, `/api/projects/${params.slug}/changelog`).map(({ id = '' }) => id)
    const isDelivered = pools.webhook.includes(pools.deliveryWebhook?.[0] ?? '')
    if (!isDelivered) {
      const { id } = await client.call(contract.webhooks.create, { params, body: { url: 'https://example.com/hook' } })
      pools.deliveryWebhook = [id]
      pools.delivery = [(await client.call(contract.webhooks.test, { params: { ...params, id } })).id]
    }
    const body = { title: 'Title', content: 'Content' }
    if (pools.entry.length === 0) await client.call(contract.changelog.create, { params, body })
    return !isDelivered || pools.entry.length === 0
  }

  /** Links in letters to somebody who has nothing else. */
  async #mendLinks(operation: string): Promise<boolean> {
    const isUsed = operation === 'accounts.resetPassword' || operation === 'accounts.confirmEmail'
    if (this.#pools.resetToken !== undefined && !isUsed) return false
    const { email, token } = await account(this.#url, `linked-${Date.now()}`)
    const client = createClient({ baseUrl: this.#url, token })
    await client.call(contract.accounts.changeEmail, { body: { email: `to-${email}`, password } })
    await client.call(contract.accounts.forgotPassword, { body: { email } })
    const letters = await this.#letters.take()
    const tokensTo = (address: string): string[] =>
      letters.flatMap((letter) => (letter?.to === address && letter.text.includes('#token=') ? [tokenIn(letter)] : []))
    this.#pools.resetToken = tokensTo(email)
    this.#pools.confirmToken = tokensTo(`to-${email}`)
    return true
  }

  /** A terminal that waits, and one that may sign in. */
  async #mendDevices(operation: string): Promise<boolean> {
    if (this.#pools.userCode !== undefined && !operation.startsWith('device.')) return false
    const anybody = createClient({ baseUrl: this.#url })
    const begin = () => anybody.call(contract.device.authorize, { body: { client_id: 'quire-cli' } })
    const [waiting, approved] = [await begin(), await begin()]
    this.#pools.userCode = [waiting.user_code]
    this.#pools.deviceCode = [approved.device_code]
    await this.#client.call(contract.device.approve, { body: { user_code: approved.user_code } })
    return true
  }
}

async function account(baseUrl: string, name: string): Promise<Person> {
  const email = `${name}@example.com`
  const { token, account: made } = await createClient({ baseUrl }).call(contract.accounts.signup, {
    body: { email, password },
  })
  return { email, token, id: made.id }
}

async function project(client: Client, slug: string) {
  await client.call(contract.projects.create, { body: { slug } })
  const deploy = await client.call(contract.deploys.create, { query: { project: slug }, body: { files: homeFiles } })
  const branch = await client.call(contract.branches.create, { params: { slug }, body: { name: 'draft' } })
  return { slug, deploy: deploy.id, branch: branch.id }
}
