import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../../src/client/client.ts'
import { scopes } from '../../../src/contract/endpoint.ts'
import { contract } from '../../../src/contract/index.ts'
import { FakeTexts } from '../../changelog/support.ts'
import { FakeBuilder } from '../../support/fake-builder.ts'
import { send, type RawAnswer } from '../../support/send.ts'
import { unlimited } from '../../support/service-process.ts'
import { noonClock, startTestService, type TestService } from '../../support/service.ts'

/** Who calls: one without a credential, two accounts with a project each, keys of the first one’s, and wrong credentials. */
export const callers = ['nobody', 'owner', 'stranger', ...scopes, 'revoked', 'wrong', 'malformed'] as const
export type FuzzCaller = (typeof callers)[number]

/** What there is. A request carries the name, `__branch__`, and the world puts in what it stands for now. */
export const known = [
  'slug',
  'branch',
  'deploy',
  'webhook',
  'delivery',
  'entry',
  'key',
  'invitation',
  'code',
  'session',
  'member',
  'email',
  'password',
  'oid',
  'commit',
  'userCode',
  'deviceCode',
  'foreignSlug',
  'foreignBranch',
  'foreignDeploy',
  'foreignEmail',
] as const
export type KnownName = (typeof known)[number]

export interface FuzzRequest {
  readonly caller: FuzzCaller
  readonly operation: string
  readonly method: string
  readonly path: string
  /** Whose project it is about. */
  readonly target: 'own' | 'foreign' | 'elsewhere'
  readonly headers: Readonly<Record<string, string>>
  readonly text?: string
  readonly encode?: (text: string) => Buffer
}

/** All that a refusal must leave as it is, by the address that tells it. */
export type State = ReadonlyMap<string, string>

interface Generation {
  readonly number: number
  readonly known: Readonly<Record<KnownName, string>>
  readonly credentials: Readonly<Record<FuzzCaller, string | null>>
  readonly owner: string
  readonly stranger: string
}

const password = 'correct-horse-battery'
/** Changes after which there is a new world: what it holds is read again and again. */
const mostChanges = 25
const files = [
  { path: 'index.md', content: '# Home\n' },
  { path: 'guide/start.md', content: 'start\n' },
]

/** A service with two accounts, each with a project that has one of everything; made anew when too much of it is gone. */
export class FuzzWorld {
  readonly #service: TestService
  readonly #passHour: () => void
  #generation: Generation
  #state: State
  #changes = 0

  private constructor(service: TestService, passHour: () => void, generation: Generation, state: State) {
    this.#service = service
    this.#passHour = passHour
    this.#generation = generation
    this.#state = state
  }

  static async open(): Promise<FuzzWorld> {
    const names = [
      'SIGN_INS_PER_MINUTE',
      'RATE_DEVICE',
      'RATE_OBJECTS',
      'RATE_WEBHOOKS',
      'RATE_STRANGERS',
      'RATE_FAILURES',
    ]
    const clock = noonClock()
    let passed = 0
    const service = await startTestService(
      { ...unlimited, ...Object.fromEntries(names.map((name) => [name, '1000000'])) },
      {
        builder: new FakeBuilder(),
        texts: new FakeTexts(),
        now: () => new Date(clock().getTime() + passed),
        send: async () => ({ status: 200, headers: {}, body: 'thanks', truncated: false }),
      },
    )
    const generation = await generate(service.url, 1)
    const passHour = (): void => void (passed += 3_600_000)
    return new FuzzWorld(service, passHour, generation, await stateOf(service.url, generation))
  }

  close(): Promise<void> {
    return this.#service.close()
  }

  /** The request with all names replaced, for whoever reads of it. */
  resolve(text: string): string {
    const values: Readonly<Record<string, string>> = this.#generation.known
    return text.replace(/__([A-Za-z]+)__/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
    )
  }

  ask({ caller, method, path, headers, text, encode }: FuzzRequest): Promise<RawAnswer> {
    const authorization = this.#generation.credentials[caller]
    const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, this.resolve(value)])
    return send(this.#service.port, {
      method,
      path: this.resolve(path),
      headers: { ...(authorization === null ? {} : { authorization }), ...Object.fromEntries(lines) },
      ...(text === undefined || encode === undefined ? {} : { body: encode(this.resolve(text)) }),
    })
  }

  /** What is not as it was when this was asked last, or when a change was accepted. */
  async changed(): Promise<string[]> {
    const before = this.#state
    this.#state = await stateOf(this.#service.url, this.#generation)
    return [...this.#state]
      .filter(([at, text]) => before.get(at) !== text)
      .map(([at, text]) => `${at}: ${before.get(at) ?? ''} → ${text}`)
  }

  /** After a change that was accepted: its outcome is how it is from here on. */
  async accept(): Promise<void> {
    this.#changes += 1
    const state = await stateOf(this.#service.url, this.#generation).catch(() => null)
    if (state !== null && this.#changes < mostChanges && isWhole(state, this.#generation)) {
      this.#state = state
      return
    }
    this.#changes = 0
    // Who tries many addresses that have an account may not sign up for an hour.
    this.#passHour()
    this.#generation = await generate(this.#service.url, this.#generation.number + 1)
    this.#state = await stateOf(this.#service.url, this.#generation)
  }
}

/** Ids that reads tell; a session’s own end shows in that nothing can be read. */
const lasting = [
  'slug',
  'branch',
  'webhook',
  'entry',
  'key',
  'invitation',
  'session',
  'foreignSlug',
  'foreignBranch',
] as const

function isWhole(state: State, { known: values }: Generation): boolean {
  const all = [...state.values()].join('\n')
  return lasting.every((name) => all.includes(`"${values[name]}"`))
}

async function generate(baseUrl: string, number: number): Promise<Generation> {
  const owner = await account(baseUrl, `owner-${number}`)
  const stranger = await account(baseUrl, `stranger-${number}`)
  const own = await project(owner.client, `own-${number}`)
  const foreign = await project(stranger.client, `foreign-${number}`)
  const params = { slug: own.slug }
  const { client } = owner
  const keys: Partial<Record<FuzzCaller, string>> = {}
  for (const scope of scopes)
    keys[scope] =
      `Bearer ${(await client.call(contract.keys.create, { params, body: { name: scope, scopes: [scope] } })).key}`
  const revoked = await client.call(contract.keys.create, { params, body: { name: 'revoked' } })
  await client.call(contract.keys.revoke, { params, query: { id: revoked.id } })
  const key = await client.call(contract.keys.create, { params, body: { name: 'spare' } })
  const webhook = await client.call(contract.webhooks.create, { params, body: { url: 'https://example.com/hook' } })
  const delivery = await client.call(contract.webhooks.test, { params: { ...params, id: webhook.id } })
  const entry = await client.call(contract.changelog.create, { params, body: { title: 'Title', content: 'Content' } })
  const invitation = await client.call(contract.invitations.create, { params, body: { email: stranger.email } })
  const body = { email: owner.email, password }
  await createClient({ baseUrl }).call(contract.accounts.login, { body })
  const session = (await client.call(contract.sessions.list)).items.find(({ current }) => !current)
  const device = await createClient({ baseUrl }).call(contract.device.authorize, { body: { client_id: 'quire-cli' } })
  const saved = await client.call(contract.branches.saveFile, {
    params: { ...params, id: own.branch, path: 'guide/start.md' },
    headers: { 'if-match': '*' },
    body: { content: 'changed\n' },
  })
  return {
    number,
    owner: owner.token,
    stranger: stranger.token,
    known: {
      ...own,
      webhook: webhook.id,
      delivery: delivery.id,
      entry: entry.id,
      key: key.id,
      invitation: invitation.id,
      code: invitation.code,
      session: session?.id ?? '',
      member: stranger.id,
      email: owner.email,
      password,
      oid: saved.oid ?? '',
      commit: saved.commit,
      userCode: device.user_code,
      deviceCode: device.device_code,
      foreignSlug: foreign.slug,
      foreignBranch: foreign.branch,
      foreignDeploy: foreign.deploy,
      foreignEmail: stranger.email,
    },
    credentials: {
      ...(keys as Record<FuzzCaller, string>),
      nobody: null,
      owner: `Bearer ${owner.token}`,
      stranger: `Bearer ${stranger.token}`,
      revoked: `Bearer ${revoked.key}`,
      wrong: `Bearer ${owner.token.slice(0, -1)}`,
      malformed: 'Basic Og==',
    },
  }
}

async function account(baseUrl: string, name: string) {
  const email = `${name}@example.com`
  const { token, account: made } = await createClient({ baseUrl }).call(contract.accounts.signup, {
    body: { email, password },
  })
  return { email, token, id: made.id, client: createClient({ baseUrl, token }) }
}

async function project(client: ReturnType<typeof createClient>, slug: string) {
  await client.call(contract.projects.create, { body: { slug } })
  const deploy = await client.call(contract.deploys.create, { query: { project: slug }, body: { files } })
  const branch = await client.call(contract.branches.create, { params: { slug }, body: { name: 'draft' } })
  return { slug, deploy: deploy.id, branch: branch.id }
}

const parts = [
  '',
  '/members',
  '/invitations',
  '/keys?limit=200',
  '/webhooks?limit=200',
  '/changelog?limit=200',
  '/files',
  '/usage',
]
const history = ['/branches?limit=200', '/audit?limit=200']
const ofAccount = ['/api/projects?limit=200', '/api/invitations', '/api/auth/sessions', '/api/auth/me']

/** Read as the two accounts read it, when nothing is under way for it any more. Throws when one of them cannot. */
async function stateOf(url: string, { known: { slug, foreignSlug }, owner, stranger }: Generation): Promise<State> {
  const read = async (path: string, token: string): Promise<[string, string]> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' })
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status}`)
    return [`${token === owner ? 'owner' : 'stranger'}: ${path}`, await response.text()]
  }
  for (;;) {
    const of = `/api/projects/${slug}`
    const foreign = `/api/projects/${foreignSlug}`
    const deploys = [await read(`${of}/deploys?limit=5`, owner), await read(`${foreign}/deploys?limit=5`, stranger)]
    const texts = await Promise.all([
      ...[...parts, ...history].map((part) => read(of + part, owner)),
      ...['', ...history].map((part) => read(foreign + part, stranger)),
      ...ofAccount.flatMap((path) => [read(path, owner), read(path, stranger)]),
    ])
    const unsettled = [...deploys, ...texts].some(([, text]) => /"status":"(?:queued|building)"/.test(text))
    if (!unsettled) return new Map(texts.map(([at, text]) => [at, lastingOf(text)]))
    await sleep(5)
  }
}

/** Reading uses a credential: when that was is no part of the state. */
function lastingOf(text: string): string {
  return text.replace(/,?"(?:last_used_at|usedAt)":"[^"]*"/g, '')
}
