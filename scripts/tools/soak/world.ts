import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '#contract/index.ts'
import type { ProjectAccess } from '#test/support/service-process.ts'
import { attempt, type Outcome } from './attempt.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'

/** Longer than anything takes on a busy machine: who waits so long has found a lock that is stuck. */
const patience = 60_000

/** What all who take part share. */
export class World {
  readonly project: ProjectAccess
  readonly ledger: Ledger
  readonly random: Random
  /** Main’s clone URL, key included. */
  readonly cloneUrl: string
  /** Which of the files that many write is the current one: they are left when they have grown. */
  board = 0
  stopping = false

  constructor(options: Pick<World, 'project' | 'ledger' | 'random' | 'cloneUrl'>) {
    this.project = options.project
    this.ledger = options.ledger
    this.random = options.random
    this.cloneUrl = options.cloneUrl
  }

  /** Sends a request once; what is unknown is counted, and the service is given a moment to come back. */
  async send<T>(request: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>> {
    const signal = AbortSignal.timeout(patience)
    const outcome = await attempt(() => request(signal))
    if (outcome.kind !== 'unknown') return outcome
    if (signal.aborted) this.ledger.unexpected.push(`a request had no answer for ${patience / 1000} s`)
    if (outcome.status === 500) {
      this.ledger.count('mistakes')
      this.ledger.unexpected.push(`answered 500: ${String(outcome.error)}`)
    } else this.ledger.count('cut')
    await this.rest(50, 200)
    return outcome
  }

  /** Between some milliseconds. */
  async rest(from: number, to: number): Promise<void> {
    await sleep(this.random.between(from, to))
  }

  /** The id of the branch of a name, made from main when there is none; null when that is not known now. */
  async branchId(name: string): Promise<string | null> {
    const { client, slug } = this.project
    const found = await this.send((signal) =>
      client.call(contract.branches.list, { params: { slug }, query: { name }, signal }),
    )
    if (found.kind !== 'done') return null
    const [branch] = found.value.items
    if (branch !== undefined) return branch.id
    const made = await this.send((signal) =>
      client.call(contract.branches.create, { params: { slug }, body: { name }, signal }),
    )
    if (made.kind === 'done') return made.value.id
    if (made.kind === 'refused' && made.failure.code !== 'branch_exists')
      this.ledger.unexpected.push(`no branch ${name}: ${made.failure.message}`)
    return null
  }
}
