import type { Readable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { ClientGone } from '../../lib/client-gone.ts'
import { PaceMeter, type Pace } from '../../lib/pace.ts'
import { malformed } from './pkt-line.ts'

interface ClientInputOptions {
  /** For the sentences that the client is told. */
  readonly request: 'push' | 'fetch'
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** Milliseconds until the request has to be received and worked on. */
  readonly timeout: number
  /** How slowly it may come. */
  readonly pace: Pace
}

/** The body of a request, which a client may send slowly, not to its end, or never. */
export class ClientInput implements AsyncIterator<Buffer> {
  /** Aborted when the client is gone or the time is over; its reason is what every reader then gets. */
  readonly signal: AbortSignal
  readonly #request: ClientInputOptions['request']
  readonly #source: AsyncIterator<Buffer>
  readonly #controller = new AbortController()
  readonly #overall: NodeJS.Timeout
  readonly #meter: PaceMeter
  readonly #stop: () => void

  constructor(source: Readable, options: ClientInputOptions) {
    // Destroying the source would end the connection, and with it the answer.
    this.#source = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    this.signal = this.#controller.signal
    this.#request = options.request
    this.#meter = new PaceMeter(options.pace)
    const minutes = Math.max(1, Math.round(options.timeout / 60_000))
    this.#overall = setTimeout(
      () => this.#giveUp(`The ${options.request} took longer than ${minutes} minutes.`),
      options.timeout,
    )
    const gone = () => this.#controller.abort(new ClientGone())
    options.signal.addEventListener('abort', gone)
    this.#stop = () => options.signal.removeEventListener('abort', gone)
    if (options.signal.aborted) gone()
  }

  next(): Promise<IteratorResult<Buffer>> {
    return new Promise((resolve, reject) => {
      this.signal.throwIfAborted()
      const { leftMs } = this.#meter
      const waited = this.#meter.wait()
      const patience = setTimeout(
        () => this.#giveUp(`The ${this.#request} came too slowly, or stopped coming.`),
        Math.max(0, leftMs),
      )
      const stop = () => reject(this.signal.reason as Error)
      // Not a race against one promise for the whole request: that would keep every chunk alive.
      this.signal.addEventListener('abort', stop)
      void this.#read(waited)
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

  async #read(waited: (bytes: number) => void): Promise<IteratorResult<Buffer>> {
    try {
      const result = await this.#source.next()
      waited(result.done === true ? 0 : result.value.length)
      return result
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code.startsWith('Z_')) throw malformed('its gzip encoding is broken', this.#request)
      throw new ClientGone(error)
    }
  }

  #giveUp(sentence: string): void {
    const hint = this.#request === 'push' ? 'Push again; in smaller parts if it is large.' : 'Fetch again.'
    this.#controller.abort(new Failure('unavailable', sentence, { hint }))
  }
}
