import type { Readable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { malformed } from './pkt-line.ts'

/** The client is gone: nobody is there to be told. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface PushInputOptions {
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** Milliseconds until the push has to be received and checked. */
  readonly timeout: number
  /** Milliseconds in which something has to come while we wait for it. */
  readonly patience: number
}

/** The body of a push, which a client may send slowly, not to its end, or never. */
export class PushInput implements AsyncIterator<Buffer> {
  /** Aborted when the client is gone or the time is over; its reason is what every reader then gets. */
  readonly signal: AbortSignal
  readonly #source: AsyncIterator<Buffer>
  readonly #controller = new AbortController()
  readonly #overall: NodeJS.Timeout
  readonly #patience: number
  readonly #stop: () => void

  constructor(source: Readable, options: PushInputOptions) {
    // Destroying the source would end the connection, and with it the answer.
    this.#source = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    this.signal = this.#controller.signal
    this.#patience = options.patience
    const minutes = Math.max(1, Math.round(options.timeout / 60_000))
    this.#overall = setTimeout(() => this.#giveUp(`The push took longer than ${minutes} minutes.`), options.timeout)
    const gone = () => this.#controller.abort(new ClientGone('the client is gone'))
    options.signal.addEventListener('abort', gone)
    this.#stop = () => options.signal.removeEventListener('abort', gone)
    if (options.signal.aborted) gone()
  }

  next(): Promise<IteratorResult<Buffer>> {
    return new Promise((resolve, reject) => {
      this.signal.throwIfAborted()
      const patience = setTimeout(() => this.#giveUp('Nothing more of the push came.'), this.#patience)
      const stop = () => reject(this.signal.reason as Error)
      // Not a race against one promise for the whole push: that would keep every chunk alive.
      this.signal.addEventListener('abort', stop)
      void this.#read()
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(patience)
          this.signal.removeEventListener('abort', stop)
        })
    })
  }

  /** No limit of time holds from here on, and a client that goes away stops nothing. */
  end(): void {
    clearTimeout(this.#overall)
    this.#stop()
    // Lets go of the source, so that the HTTP server can discard what else comes.
    void this.#source.return?.()
  }

  async #read(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#source.next()
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code.startsWith('Z_')) throw malformed('its gzip encoding is broken')
      throw new ClientGone('the connection broke', { cause: error })
    }
  }

  #giveUp(sentence: string): void {
    this.#controller.abort(
      new Failure('unavailable', sentence, { hint: 'Push again; in smaller parts if it is large.' }),
    )
  }
}
