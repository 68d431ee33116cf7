import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { hasCode } from '#lib/disk.ts'
import { breachesAmong } from '#test/support/event-loop/stalls.ts'
import { createProject, startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { send } from '#test/support/send.ts'
import { isThorough } from './bodies.ts'
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

  /**
   * What is wrong with the answers to requests: a mistake of the service, or a time for which one held the event loop.
   * Where one did, all are sent again, each by itself: to tell which it is, and because code that runs for the first time
   * is slow.
   */
  async faultsOf(requests: readonly WorstRequest[]): Promise<string[]> {
    if ((await this.#faultsOfAll(requests)).length === 0) return []
    const faults: string[] = []
    for (const request of requests) faults.push(...(await this.faultsOfOne(request)))
    return faults
  }

  /** The same of one request, which is sent once: what it did cannot be done again. */
  faultsOfOne(request: WorstRequest): Promise<string[]> {
    return this.#faultsOfAll([request])
  }

  async #faultsOfAll(requests: readonly WorstRequest[]): Promise<string[]> {
    const seen = this.#service.stalls().length
    const faults: string[] = []
    for (const request of requests) {
      const status = await this.#statusOf(request)
      if (status >= 500) faults.push(`${request.what}: ${status}`)
    }
    await sleep(settleMs)
    const [worst] = this.#service
      .stalls()
      .slice(seen)
      .toSorted((a, b) => b.ms - a.ms)
    if (worst === undefined) return faults
    const what = requests.length === 1 ? requests[0]?.what : worst.requests.join(', ')
    const told = `${what}: ${worst.ms} ms, and ${worst.collectorMs} ms for the collector`
    if (isThorough) console.log(told)
    return breachesAmong([worst]).length > 0 ? [...faults, told] : faults
  }

  /** 0 where the service closed the connection before all was sent: it had refused what is too large. */
  async #statusOf(request: WorstRequest): Promise<number> {
    const headers = { authorization: `Bearer ${this.#token}`, ...request.headers }
    try {
      return (await send(this.#service.port, { ...request, headers })).status
    } catch (error) {
      if (hasCode(error, 'EPIPE') || hasCode(error, 'ECONNRESET')) return 0
      throw error
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
