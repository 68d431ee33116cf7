import { Low, type Adapter } from 'lowdb'
import { Failure } from '../../contract/failure.ts'
import { UncertainWrite } from '../../lib/durable-file.ts'
import { currentSchema, type Envelope } from './envelope.ts'
import { GroupCommit } from '../group-commit.ts'
import { adopt } from './draft.ts'

/** A step from one envelope to the next. Pure; the same envelope back means that there is nothing to write. */
export type Step<R> = (envelope: Envelope) => { readonly envelope: Envelope; readonly result: R }

interface Waiting {
  run(envelope: Envelope): Envelope
  /** Called in the very tick in which readers begin to see the change. */
  commit(): void
  fail(error: unknown): void
}

/**
 * One document in memory and where it lasts. Steps run one after the other; those that came while a write was under way share
 * the next one (group commit). Readers see only what is on disk for good.
 */
export class StoredDocument {
  readonly #low: Low<Envelope>
  readonly #waiting = new GroupCommit<Waiting>((batch) => this.#commit(batch))
  #broken: Failure | null = null

  constructor(adapter: Adapter<Envelope>) {
    this.#low = new Low<Envelope>(adapter, { schema: currentSchema(), revision: 0, meters: {} })
  }

  get envelope(): Envelope {
    return this.#low.data
  }

  /** Reads it. What a migration changed is written with the next change. */
  async load(): Promise<void> {
    await this.#low.read()
    this.take(this.#low.data)
  }

  /** Has this in memory; the next change writes it. */
  take(envelope: Envelope): void {
    const { document } = envelope
    this.#low.data = document === undefined ? envelope : { ...envelope, document: adopt(document) }
  }

  /** Resolves when the step's change is durable. @param committed runs as soon as readers see the change. */
  change<R>(step: Step<R>, committed?: (result: R) => void): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      let result: R
      this.#waiting.add({
        run: (envelope) => {
          const next = step(envelope)
          result = next.result
          return next.envelope
        },
        commit: () => {
          committed?.(result)
          resolve(result)
        },
        fail: reject,
      })
    })
  }

  /** When nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#waiting.idle()
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    let next = this.envelope
    const refused = new Map<Waiting, unknown>()
    for (const waiting of batch) {
      try {
        next = waiting.run(next)
      } catch (error) {
        refused.set(waiting, error)
      }
    }
    let written = this.envelope
    try {
      if (next !== written) written = await this.#write(next)
    } catch (error) {
      // Also who changed nothing or was refused has seen a state that never came to be.
      for (const waiting of batch) waiting.fail(error)
      return
    }
    // In one step with what follows: whoever looks in between would count a reservation and its use.
    this.#low.data = written
    for (const waiting of batch) {
      if (refused.has(waiting)) waiting.fail(refused.get(waiting))
      else waiting.commit()
    }
  }

  /** Disk first, then memory: Low.write would show readers data that may never reach the disk. */
  async #write(changed: Envelope): Promise<Envelope> {
    if (this.#broken !== null) throw this.#broken
    const next = { ...changed, revision: this.envelope.revision + 1 }
    try {
      await this.#low.adapter.write(next)
    } catch (cause) {
      if (cause instanceof UncertainWrite) await this.#restore()
      throw new Failure('unavailable', 'The change could not be stored.', {
        hint: 'Nothing was changed. Try again; when it goes on, the service’s disk is full or failing.',
        retryAfter: 5,
        cause,
      })
    }
    return next
  }

  /** Puts the last acknowledged state back; when that fails too, no more writes until a start has read the disk. */
  async #restore(): Promise<void> {
    try {
      await this.#low.adapter.write(this.envelope)
    } catch (cause) {
      this.#broken = new Failure('unavailable', 'The disk fails: what it holds is uncertain.', {
        hint: 'Check the disk, then start the service again.',
        cause,
      })
    }
  }
}
