import { assertSame, SharedWork, shortDigest } from '../lib/shared-work.ts'
import type { DeployTrigger } from './content-source.ts'
import type { AcceptedDeploy } from './ports.ts'
import type { DeployRecords } from './records.ts'

const dayMs = 24 * 60 * 60 * 1000

/**
 * The same key with the same body is the same deploy: while it runs, and for a day after, also across a restart. What
 * was refused before it was on record may be tried again with its key.
 */
export class IdempotentDeploys {
  readonly #records: DeployRecords
  readonly #shared = new SharedWork<AcceptedDeploy>()

  constructor(records: DeployRecords) {
    this.#records = records
  }

  /** Answers from an earlier deploy, or starts one. Failure `idempotency_conflict` when the body is another one. */
  async once(
    trigger: DeployTrigger,
    now: Date,
    start: (keyed: DeployTrigger) => Promise<AcceptedDeploy>,
  ): Promise<AcceptedDeploy> {
    const { idempotency, projectId } = trigger
    if (idempotency === undefined) return start(trigger)
    const key = shortDigest(idempotency.key)
    const body = shortDigest(idempotency.body)
    return this.#shared.run(
      { slot: `${projectId} ${key}`, body, signal: trigger.signal },
      async (signal) =>
        (await this.#recorded(projectId, { key, body, now })) ??
        start({ ...trigger, idempotency: { key, body }, signal }),
      ({ finished }) => finished,
    )
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
    assertSame(entry.body, request.body)
    const deploy = await this.#records.read(projectId, entry.deploy)
    return { deploy, finished: Promise.resolve(deploy) }
  }
}
