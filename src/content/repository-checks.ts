import { Failure } from '../contract/failure.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import type { Repository } from './repository.ts'

export interface RepositoryChecksOptions {
  /** Whose a project is: of one owner one check runs at a time. */
  readonly ownerOf: (projectId: string) => string
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

const hour = 60 * 60_000
/** Checks of one project in an hour: each reads every object. */
const perHour = 4
/** Of all projects at a time, beside everything else that git does. */
const slots = 2
/** Owners beyond those who may have one each; they run with low priority. */
const firsts = 14
/** Of one owner that may wait. */
const queue = 10

/** Checks of repositories that users ask for: few, one at a time for each project, and in slots that nothing else waits for. */
export class RepositoryChecks {
  readonly #ownerOf: RepositoryChecksOptions['ownerOf']
  readonly #now: () => number
  readonly #slots = new FairLimit({ slots, firsts, share: 1, reserve: 1, queue })
  readonly #underWay = new Set<string>()
  /** When checks of the last hour began, by project. */
  readonly #begun = new Map<string, number[]>()

  constructor({ ownerOf, now = () => performance.now() }: RepositoryChecksOptions) {
    this.#ownerOf = ownerOf
    this.#now = now
  }

  /**
   * Git’s complaints about a repository.
   *
   * @param signal ends the check, or the waiting for it, when nobody wants it any more.
   * @throws Failure `rate_limited` when the project is being checked or was too often, `unavailable` when too many wait.
   */
  async run(repository: Repository, signal: AbortSignal): Promise<readonly string[]> {
    const { projectId } = repository
    const owner = this.#ownerOf(projectId)
    if (this.#underWay.has(projectId))
      throw new Failure('rate_limited', 'This project is being checked.', {
        hint: 'Wait for the answer of that request.',
        retryAfter: 60,
      })
    if (this.#slots.isFull(owner))
      throw new Failure('unavailable', 'Too many checks of projects of this account are waiting.', { retryAfter: 60 })
    this.#count(projectId)
    this.#underWay.add(projectId)
    try {
      return await this.#slots.run(owner, () => repository.fsck(signal), signal)
    } finally {
      this.#underWay.delete(projectId)
    }
  }

  #count(projectId: string): void {
    const now = this.#now()
    for (const [id, times] of this.#begun) {
      const recent = times.filter((time) => time > now - hour)
      if (recent.length > 0) this.#begun.set(id, recent)
      else this.#begun.delete(id)
    }
    const times = this.#begun.get(projectId) ?? []
    const [first = now] = times
    if (times.length >= perHour)
      throw new Failure('rate_limited', `This project was checked ${perHour} times within an hour.`, {
        hint: 'Nothing is damaged by waiting: the service checks what is pushed as it arrives.',
        retryAfter: Math.ceil((first + hour - now) / 1000),
      })
    this.#begun.set(projectId, [...times, now])
  }
}
