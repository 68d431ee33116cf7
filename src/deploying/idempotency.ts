import { createHash } from 'node:crypto'
import { Failure } from '../contract/failure.ts'
import type { DeployTrigger } from './content-source.ts'
import type { AcceptedDeploy } from './ports.ts'
import type { DeployRecords } from './records.ts'

const dayMs = 24 * 60 * 60 * 1000

interface Started {
  readonly body: string
  readonly accepted: Promise<AcceptedDeploy>
  readonly audience: Audience
}

/**
 * The same key with the same body is the same deploy: while it runs, and for a day after, also across a restart. What
 * was refused before it was on record may be tried again with its key.
 */
export class IdempotentDeploys {
  readonly #records: DeployRecords
  readonly #started = new Map<string, Started>()

  constructor(records: DeployRecords) {
    this.#records = records
  }

  /** Answers from an earlier deploy, or starts one. Failure `idempotency_conflict` when the body is another one. */
  async once(
    trigger: DeployTrigger,
    now: Date,
    start: (keyed: DeployTrigger) => Promise<AcceptedDeploy>,
  ): Promise<AcceptedDeploy> {
    if (trigger.idempotency === undefined) return start(trigger)
    const key = digest(trigger.idempotency.key)
    const body = digest(trigger.idempotency.body)
    const slot = `${trigger.projectId} ${key}`
    const earlier = this.#started.get(slot)
    if (earlier?.audience.signal.aborted === false) {
      return same(earlier.body, body, () => {
        earlier.audience.join(trigger.signal)
        return earlier.accepted
      })
    }
    const audience = new Audience(trigger.signal)
    const accepted = this.#recorded(trigger.projectId, { key, body, now }).then(
      (found) => found ?? start({ ...trigger, idempotency: { key, body }, signal: audience.signal }),
    )
    const started = { body, accepted, audience }
    this.#started.set(slot, started)
    const forget = (): void => {
      if (this.#started.get(slot) === started) this.#started.delete(slot)
    }
    accepted.then(({ finished }) => finished.then(forget, forget), forget)
    return accepted
  }

  async #recorded(
    projectId: string,
    request: { key: string; body: string; now: Date },
  ): Promise<AcceptedDeploy | null> {
    const { idempotency } = await this.#records.state(projectId)
    const entry = idempotency.find(
      ({ key, at }) => key === request.key && request.now.getTime() - Date.parse(at) < dayMs,
    )
    if (entry === undefined) return null
    return same(entry.body, request.body, async () => {
      const deploy = await this.#records.read(projectId, entry.deploy)
      return { deploy, finished: Promise.resolve(deploy) }
    })
  }
}

/** All who wait for one deploy. */
class Audience {
  readonly #empty = new AbortController()
  #size = 0

  constructor(first: AbortSignal | undefined) {
    this.join(first)
  }

  /** Aborted when the last of them is gone, with the reason for that one. */
  get signal(): AbortSignal {
    return this.#empty.signal
  }

  /** @param signal aborted when that one is gone; absent: it stays. */
  join(signal: AbortSignal | undefined): void {
    this.#size += 1
    const leave = (): void => {
      this.#size -= 1
      if (this.#size === 0) this.#empty.abort(signal?.reason)
    }
    if (signal?.aborted === true) leave()
    else signal?.addEventListener('abort', leave, { once: true })
  }
}

/** Half of a SHA-256: the document holds very many, and is written with every deploy. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

function same<T>(before: string, now: string, answer: () => Promise<T>): Promise<T> {
  if (before === now) return answer()
  throw new Failure('idempotency_conflict', 'The Idempotency-Key came before with another request.', {
    hint: 'Use a new key for every new request, and the same key only to repeat one.',
  })
}
