import type { Readable } from 'node:stream'
import pLimit from 'p-limit'
import { Failure } from '../../contract/failure.ts'
import type { Git } from './git.ts'

/** What precedes the advertisement in protocols 0 and 1. */
export const advertisementHeader = '001e# service=git-upload-pack\n0000'

export interface UploadPackRequest {
  /** Absolute path of the bare repository. */
  readonly directory: string
  /** The Git-Protocol header; what is not one of the protocol’s versions is ignored. */
  readonly protocol: string | undefined
  /** The body of the request, decoded; null asks for the advertisement of refs. */
  readonly input: Readable | null
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** Told what git said when it did not end well; for the log. */
  readonly onError: (message: string) => void
}

export interface TransportOptions {
  readonly git: Git
  /** Clones and fetches at a time. */
  readonly concurrency: number
  /** Clones and fetches that may wait for their turn; more are told to come back. */
  readonly queue?: number
  /** Milliseconds for one answer; default 15 minutes. */
  readonly timeout?: number
}

/** Serves clone and fetch with native `git upload-pack`. Bounded apart from deploys, which must not wait for a clone. */
export class Transport {
  readonly #git: Git
  readonly #limit
  readonly #queue: number
  readonly #timeout: number

  constructor(options: TransportOptions) {
    this.#git = options.git
    this.#limit = pLimit(options.concurrency)
    this.#queue = options.queue ?? 100
    this.#timeout = options.timeout ?? 15 * 60_000
  }

  /**
   * Protocols 0, 1 and 2 (https://git-scm.com/docs/gitprotocol-http).
   *
   * @returns the body of the answer, once its turn has come. Destroying it ends git.
   * @throws Failure `unavailable` when too many wait.
   */
  uploadPack(request: UploadPackRequest): Promise<Readable> {
    if (this.#limit.pendingCount >= this.#queue) {
      throw new Failure('unavailable', 'Too many clones and fetches are waiting.', { retryAfter: 10 })
    }
    return new Promise((resolve, reject) => {
      this.#limit(() => this.#serve(request, resolve)).catch(reject)
    })
  }

  /** Settles when git has ended. */
  #serve(request: UploadPackRequest, started: (output: Readable) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      request.signal.throwIfAborted()
      const protocol = /^version=[012]$/.test(request.protocol ?? '') ? { GIT_PROTOCOL: request.protocol ?? '' } : {}
      const advertise = request.input === null ? ['--advertise-refs'] : []
      const args = ['upload-pack', '--stateless-rpc', '--strict', '--timeout=120', ...advertise, request.directory]
      const child = this.#git.start(args, request.directory, protocol)
      const stop = () => child.kill('SIGTERM')
      const timer = setTimeout(stop, this.#timeout)
      request.signal.addEventListener('abort', stop)
      child.stdout.once('close', () => {
        if (!child.stdout.readableEnded) stop()
      })
      let stderr = ''
      child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)))
      child.once('error', reject)
      child.once('close', (code) => {
        clearTimeout(timer)
        request.signal.removeEventListener('abort', stop)
        if (code !== 0 && !request.signal.aborted)
          request.onError(`git upload-pack: ${stderr.trim() || `exit code ${code}`}`)
        resolve()
      })
      // Git may have read enough (EPIPE): its answer says what was wrong.
      child.stdin.on('error', () => child.stdin.destroy())
      if (request.input === null) child.stdin.end()
      else {
        request.input.once('error', stop)
        request.input.pipe(child.stdin)
      }
      started(child.stdout)
    })
  }
}
