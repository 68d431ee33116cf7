import { Failure } from '../contract/failure.ts'
import type { ConversationKey } from './conversations.ts'

interface Work {
  readonly key: ConversationKey
  readonly abort: AbortController
  readonly ended: Promise<unknown>
}

/** Conversations in which something is under way: one thing at a time. */
export class Running {
  readonly #works = new Map<string, Work>()

  /** Throws Failure `rate_limited` where something is under way. The signal is for who ends it before its time. */
  async run<T>(key: ConversationKey, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const name = nameOf(key)
    if (this.#works.has(name)) {
      throw new Failure('rate_limited', 'An earlier message of this conversation is still being answered.', {
        hint: 'Wait for its answer, or begin another conversation.',
        retryAfter: 5,
      })
    }
    const abort = new AbortController()
    const { promise: ended, resolve: end } = withResolvers()
    this.#works.set(name, { key, abort, ended })
    try {
      return await work(abort.signal)
    } finally {
      this.#works.delete(name)
      end()
    }
  }

  has(key: ConversationKey): boolean {
    return this.#works.has(nameOf(key))
  }

  /** Ends what is under way in some conversations, and waits until it has ended. */
  async end(which: (key: ConversationKey) => boolean, reason: Failure): Promise<void> {
    const works = [...this.#works.values()].filter(({ key }) => which(key))
    for (const { abort } of works) abort.abort(reason)
    await Promise.all(works.map(({ ended }) => ended))
  }
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

function nameOf({ projectId, branch, conversation }: ConversationKey): string {
  return `${projectId} ${branch} ${conversation}`
}
