import { request, type ClientRequest } from 'node:http'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { createProject, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'

/** A project of the attacker’s. */
export type Target = ProjectAccess

const firstFiles = [
  { path: 'index.md', content: '# Mine' },
  { path: 'docs.json', content: '{ "name": "Mine" }' },
]

/** An account with as many projects as it likes, and requests as nobody’s client would send them. */
export class Attacker {
  /** How often each status was answered; 0: the connection broke, or the attack was over. */
  readonly answers = new Map<number, number>()
  readonly #service: ServiceProcess
  readonly #session: string
  readonly #owner: Client
  #projects = 0

  private constructor(service: ServiceProcess, session: string) {
    this.#service = service
    this.#session = session
    this.#owner = createClient({ baseUrl: service.url, token: session })
  }

  static async signUp(service: ServiceProcess): Promise<Attacker> {
    const { session } = await createProject(service.url, 'mallory')
    return new Attacker(service, session)
  }

  /** New projects of the one account, each with a first deploy. */
  async projects(count: number): Promise<readonly Target[]> {
    const made: Target[] = []
    for (let index = 0; index < count; index++) {
      const slug = `mallory-${++this.#projects}`
      await this.#owner.call(contract.projects.create, { body: { slug } })
      const scopes = ['read', 'write', 'deploy'] as const
      const { key } = await this.#owner.call(contract.keys.create, {
        params: { slug },
        body: { name: 'bench', scopes: [...scopes] },
      })
      const client = createClient({ baseUrl: this.#service.url, token: key })
      await client.call(contract.deploys.create, { body: { files: firstFiles } })
      made.push({ slug, key, session: this.#session, client })
    }
    return made
  }

  /** Begins a request; its body is whoever calls it to send. */
  begin(target: Target, path: string, headers: Readonly<Record<string, string>>, method = 'POST'): ClientRequest {
    const { port } = this.#service
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: { host: `localhost:${port}`, ...headers },
    })
    sent.on('error', () => undefined)
    sent.setHeader('authorization', path.startsWith('/git/') ? basic(target.key) : `Bearer ${target.key}`)
    return sent
  }

  /** Waits for the answer’s end and counts it. A request that the signal ends counts as status 0. */
  async answerOf(sent: ClientRequest, signal: AbortSignal): Promise<number> {
    const end = (): void => void sent.destroy()
    signal.addEventListener('abort', end)
    const status = await new Promise<number>((resolve) => {
      sent.once('close', () => resolve(0))
      sent.once('response', (response) => {
        response.resume()
        response.once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0))
      })
    })
    signal.removeEventListener('abort', end)
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
    return status
  }

  json(target: Target, path: string, body: Buffer, signal: AbortSignal, method = 'POST'): Promise<number> {
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length), 'if-match': '*' }
    const sent = this.begin(target, path, headers, method)
    sent.end(body)
    return this.answerOf(sent, signal)
  }
}

function basic(key: string): string {
  return `Basic ${Buffer.from(`anybody:${key}`).toString('base64')}`
}
