import { randomUUID } from 'node:crypto'
import type { Conflict, Resolution } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import type { Failure } from '#contract/failure.ts'
import type { PublishOrder } from './ledger.ts'
import { bothBoards, isBoard, saveOf } from './texts.ts'
import type { World } from './world.ts'

const maxRounds = 20

/** Publishes branches, and brings main into others, settling every conflict so that nobody loses anything. */
export class Publisher {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  async run(): Promise<void> {
    const { random } = this.#world
    while (!this.#world.stopping) {
      await this.#world.rest(200, 1200)
      const branch = random.pick((await this.branches()) ?? [])
      if (branch === undefined) continue
      if (random.once(4)) await this.#update(branch.id)
      else await this.publish(branch)
    }
  }

  /** All branches; null when that is not known now. */
  async branches(): Promise<readonly { readonly id: string; readonly name: string }[] | null> {
    const { client, slug } = this.#world.project
    const listed = await this.#world.send((signal) =>
      client.call(contract.branches.list, { params: { slug }, query: { limit: 100 }, signal }),
    )
    return listed.kind === 'done' ? listed.value.items : null
  }

  /** Until it is live, or gone by other hands. */
  async publish({ id, name }: { readonly id: string; readonly name: string }): Promise<void> {
    let resolutions: Resolution[] = []
    for (let round = 0; round < maxRounds; round++) {
      const failure = await this.#order({ id, name, resolutions })
      if (failure?.code !== 'merge_conflict') return
      resolutions = settle(failure)
      this.#world.ledger.count('conflicts')
    }
    // Every decision was overtaken by another save. When nobody saves any more, that must not happen.
    if (this.#world.stopping) this.#world.ledger.unexpected.push(`${name} did not publish in ${maxRounds} rounds`)
    else this.#world.ledger.count('givenUp')
  }

  /** One request with one key, repeated until it is answered. Returns the refusal that another request may settle. */
  async #order(what: { id: string; name: string; resolutions: Resolution[] }): Promise<Failure | null> {
    const { ledger, project } = this.#world
    const key = randomUUID()
    const order: PublishOrder = { message: `Publish ${what.name} ${key}`, branch: what.name, state: 'open' }
    ledger.orders.push(order)
    const body = { branchId: what.id, message: order.message, resolutions: what.resolutions }
    // A storm that ends leaves what is under way open; what is asked for after it is waited for.
    const inTheStorm = !this.#world.stopping
    const goOn = (): boolean => !(inTheStorm && this.#world.stopping)
    while (goOn()) {
      const answer = await this.#world.send((signal) =>
        project.client.call(contract.branches.publish, {
          params: { slug: project.slug },
          body,
          headers: { 'idempotency-key': key },
          signal,
        }),
      )
      if (answer.kind === 'unknown') continue
      if (answer.kind === 'done') {
        ledger.count('publishes')
        Object.assign(order, { state: 'live', mergeCommit: answer.value.mergeCommit, number: answer.value.number })
        if (answer.value.status !== 'live' && answer.value.status !== 'superseded')
          ledger.unexpected.push(`a publish was answered with ${answer.value.status}`)
        return null
      }
      const { code, message } = answer.failure
      if (code === 'deploy_in_progress' || code === 'stale_ref') await this.#world.rest(100, 300)
      else {
        order.state = code === 'not_found' ? 'gone' : 'refused'
        if (code !== 'not_found' && code !== 'merge_conflict')
          ledger.unexpected.push(`publish of ${what.name}: ${code} ${message}`)
        return answer.failure
      }
    }
    return null
  }

  async #update(id: string): Promise<void> {
    const { project, ledger } = this.#world
    let resolutions: Resolution[] = []
    for (let round = 0; round < maxRounds && !this.#world.stopping; round++) {
      const answer = await this.#world.send((signal) =>
        project.client.call(contract.branches.update, {
          params: { slug: project.slug, id },
          body: { resolutions },
          signal,
        }),
      )
      if (answer.kind === 'done') return ledger.count('updates')
      if (answer.kind === 'unknown') continue
      if (answer.failure.code !== 'merge_conflict') {
        if (answer.failure.code !== 'not_found' && answer.failure.code !== 'stale_ref')
          ledger.unexpected.push(`update: ${answer.failure.code} ${answer.failure.message}`)
        return
      }
      resolutions = settle(answer.failure)
    }
  }
}

function settle({ extra }: Failure): Resolution[] {
  return ((extra['conflicts'] ?? []) as readonly Conflict[]).map(({ path, main = '', branch = '', oids }) => {
    const seen = { main: oids.main ?? null, branch: oids.branch ?? null }
    if (isBoard(path)) return { path, content: bothBoards(main, branch), seen }
    return { path, use: saveOf(main) > saveOf(branch) ? 'main' : 'branch', seen }
  })
}
