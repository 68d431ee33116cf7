import { createClient, type Client } from '#client/client.ts'
import type { AssistantEvent, AssistantTurn } from '#contract/assistant.ts'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { startModelServer, type ModelReply, type ModelServer, type ModelScript } from '#test/support/model-server.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const password = 'correct horse battery'

export interface Answered {
  readonly events: readonly AssistantEvent[]
  readonly conversation: string
  /** As it is on record. */
  readonly turn: AssistantTurn
}

interface AskOptions {
  readonly conversation?: string
  readonly client?: Client
  readonly signal?: AbortSignal
}

export interface Person {
  readonly client: Client
  readonly email: string
  readonly token: string
}

/** A service with a scripted model, and a project `docs` with a branch. */
export class AssistantWorld {
  readonly service: TestService
  readonly server: ModelServer
  readonly owner: Person
  readonly slug = 'docs'
  #script: ModelScript = () => ({})

  private constructor(service: TestService, server: ModelServer, owner: Person) {
    this.service = service
    this.server = server
    this.owner = owner
  }

  static async open(
    settings: Record<string, string> = {},
    overrides: Parameters<typeof startTestService>[1] = {},
  ): Promise<AssistantWorld> {
    let script: ModelScript = () => ({})
    const server = await startModelServer((request, index) => script(request, index))
    const service = await startTestService(
      { DEFAULT_PLAN: 'pro', RATE_GENERATE: '100000', RATE_BRANCHES: '100000', ...server.settings, ...settings },
      overrides,
    )
    const owner = await signUp(service, 'ada')
    const world = new AssistantWorld(service, server, owner)
    script = (request, index) => world.#script(request, index)
    await owner.client.call(contract.projects.create, { body: { slug: world.slug } })
    await owner.client.call(contract.deploys.create, {
      query: { project: world.slug },
      body: { files: Object.entries(pages).map(([path, content]) => ({ path, content })) },
    })
    return world
  }

  /** Answers of the model from now on, in order; the last is repeated. */
  answers(...replies: readonly (ModelReply | ModelScript)[]): void {
    let next = 0
    this.#script = (request, index) => {
      const reply = replies[Math.min(next++, replies.length - 1)] ?? {}
      return typeof reply === 'function' ? reply(request, index) : reply
    }
  }

  person(name: string): Promise<Person> {
    return signUp(this.service, name)
  }

  branch(name: string): Promise<Branch> {
    return this.owner.client.call(contract.branches.create, { params: { slug: this.slug }, body: { name } })
  }

  /** Sends a message and reads the answer to its end. */
  async ask(branch: Pick<Branch, 'id'>, content: string, options: AskOptions = {}): Promise<Answered> {
    return this.answered(branch, await this.stream(branch, content, options))
  }

  async stream({ id }: Pick<Branch, 'id'>, content: string, options: AskOptions = {}): Promise<AssistantEvent[]> {
    const { client = this.owner.client, conversation, signal } = options
    const events: AssistantEvent[] = []
    const body = { messages: [{ role: 'user', content }], ...(conversation === undefined ? {} : { conversation }) }
    const sent = { params: { slug: this.slug, id }, body, ...(signal === undefined ? {} : { signal }) }
    for await (const event of client.events<AssistantEvent>(contract.assistant.send, sent)) events.push(event)
    return events
  }

  /** What is on record of a turn that these events told of. */
  async answered({ id }: Pick<Branch, 'id'>, events: readonly AssistantEvent[]): Promise<Answered> {
    const [started] = events
    if (started?.type !== 'started') throw new Error('the answer did not begin with `started`')
    const { turns } = await this.read({ id }, started.conversation)
    const turn = turns.find((each) => each.id === started.turn)
    if (turn === undefined) throw new Error('the turn is not on record')
    return { events, conversation: started.conversation, turn }
  }

  read({ id }: Pick<Branch, 'id'>, conversation: string) {
    return this.owner.client.call(contract.assistant.read, { params: { slug: this.slug, id, conversation } })
  }

  undo({ id }: Pick<Branch, 'id'>, { conversation, turn }: Pick<Answered, 'conversation' | 'turn'>) {
    const params = { slug: this.slug, id, conversation }
    return this.owner.client.call(contract.assistant.undo, { params, body: { turn: turn.id } })
  }

  /** The text of a file of the branch; null where there is none. */
  async file({ id }: Pick<Branch, 'id'>, path: string): Promise<string | null> {
    const { items } = await this.owner.client.call(contract.branches.files, { params: { slug: this.slug, id } })
    if (!items.some((item) => item.path === path && item.status !== 'deleted')) return null
    const params = { slug: this.slug, id, path }
    return (await this.owner.client.call(contract.branches.readFile, { params })).content
  }

  save({ id }: Pick<Branch, 'id'>, path: string, content: string | null) {
    const body = { changes: [{ path, content }] }
    return this.owner.client.call(contract.branches.commit, { params: { slug: this.slug, id }, body })
  }

  async history({ id }: Pick<Branch, 'id'>) {
    return (await this.owner.client.call(contract.branches.history, { params: { slug: this.slug, id }, query: {} }))
      .items
  }

  /** What the model was told last. */
  lastMessages() {
    return this.server.calls.at(-1)?.body.messages ?? []
  }

  async close(): Promise<void> {
    await this.service.close()
    await this.server.close()
  }
}

/** Of the project, at its first deploy. */
export const pages: Readonly<Record<string, string>> = {
  'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index', 'guide'] } }, null, 2),
  'index.mdx': '# Welcome\n\nSee the [guide](/guide).\n',
  'guide.mdx': '# Guide\n\nFirst step.\n\nSecond step.\n',
}

/** A call of a tool. */
export function call(name: string, args: object | string): ModelReply {
  return { calls: [{ name, arguments: args }] }
}

export function says(...chunks: readonly string[]): ModelReply {
  return { chunks }
}

async function signUp(service: TestService, name: string): Promise<Person> {
  const email = `${name}@example.com`
  const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, {
    body: { email, password },
  })
  return { client: createClient({ baseUrl: service.url, token }), email, token }
}
