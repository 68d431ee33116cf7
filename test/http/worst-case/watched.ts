import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../../src/client/client.ts'
import { contract } from '../../../src/contract/index.ts'
import { createProject, startService, unlimited, type ServiceProcess } from '../../support/service-process.ts'
import { send } from '../../support/send.ts'
import type { WorstRequest } from './requests.ts'

/** Milliseconds after an answer in which the service has written down what it was held by. */
const settleMs = 25
const slug = 'worst'
const credentials = { email: `${slug}@example.com`, password: 'correct horse battery' }

/** A service in a process of its own with one account and project, that tells how long each request held it. */
export class WatchedService {
  readonly slug = slug
  readonly #service: ServiceProcess
  #token: string
  #seen = 0

  private constructor(service: ServiceProcess, token: string) {
    this.#service = service
    this.#token = token
  }

  static async start(directory: string): Promise<WatchedService> {
    const names = ['SIGN_INS_PER_MINUTE', 'DEVICE', 'OBJECTS', 'WEBHOOKS', 'STRANGERS', 'FAILURES']
    const rates = names.map((name) => [name.includes('_') ? name : `RATE_${name}`, '1000000'])
    const service = await startService(directory, { ...unlimited, ...Object.fromEntries(rates), LOG_LEVEL: 'error' })
    const { session } = await createProject(service.url, slug)
    return new WatchedService(service, session)
  }

  /** What the request was answered, and the longest time for which it held the event loop, in milliseconds. */
  async measure(request: WorstRequest): Promise<{ readonly status: number; readonly ms: number }> {
    this.#seen = this.#service.stalls().length
    const headers = { authorization: `Bearer ${this.#token}`, ...request.headers }
    const { status } = await send(this.#service.port, { ...request, headers })
    await sleep(settleMs)
    return {
      status,
      ms: Math.max(
        0,
        ...this.#service
          .stalls()
          .slice(this.#seen)
          .map(({ ms }) => ms),
      ),
    }
  }

  /** Some requests end the session, or remove the project. */
  async restore(): Promise<void> {
    const { url: baseUrl } = this.#service
    const client = () => createClient({ baseUrl, token: this.#token })
    const alive = await client()
      .call(contract.accounts.me)
      .then(
        () => true,
        () => false,
      )
    if (!alive)
      this.#token = (await createClient({ baseUrl }).call(contract.accounts.login, { body: credentials })).token
    const projects = await client().call(contract.projects.list, {})
    if (projects.items.every((project) => project.slug !== slug))
      await client().call(contract.projects.create, { body: { slug } })
  }

  /** What a GET answers. */
  async json(path: string): Promise<unknown> {
    const response = await fetch(this.#service.url + path, { headers: { authorization: `Bearer ${this.#token}` } })
    return response.json()
  }

  stop(): Promise<void> {
    return this.#service.stop()
  }
}
