import { Readable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { Budget } from '../../lib/budget.ts'
import type { FairLimit } from '../../lib/fair-limit.ts'
import { PaceMeter, slowestPace, type Pace } from '../../lib/pace.ts'
import { forOwner } from '../../lib/slices.ts'
import { ClientInput } from './client-input.ts'
import { fairSlots, killChild, type Git } from './git.ts'
import { pktLine } from './pkt-line.ts'
import { unreachableWant } from './wants.ts'

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
  /** Clones and fetches of one owner that may wait for their turn; more are told to come back. */
  readonly queue?: number
  /** Milliseconds for one answer; default 15 minutes. */
  readonly timeout?: number
  /** How slowly a client may send its request and read the answer. */
  readonly pace?: Pace
  /** Owners beyond `concurrency` who may have one clone or fetch each; default 64. */
  readonly firsts?: number
  /** How slowly a client may read while as many owners wait for it in vain; default 5 s, and 1 MiB/s from then on. */
  readonly crowdedPace?: Pace
  /** Bytes of requests that are in memory, by owner; default 32 MB each. */
  readonly memory?: Budget
}

/** Of all that is read more slowly while somebody waits in vain, one answer is ended each time. Milliseconds. */
const makeRoomEvery = 250

/** A fetch names what the client has; even for large histories that is far below this. Bytes, unpacked. */
const maxRequestBytes = 8 * 1024 * 1024
/** Of all requests of one owner that are in memory. */
const maxOwnerBytes = 32 * 1024 * 1024

/**
 * Serves clone and fetch with native `git upload-pack`. Bounded apart from deploys, which must not wait for a clone, and
 * divided among owners. A place is taken only when the request is there, and is given back when its client does not read;
 * how fast it has to read depends on whether somebody waits in vain.
 */
export class Transport {
  readonly #git: Git
  readonly #slots: FairLimit
  readonly #timeout: number
  readonly #pace: Pace
  readonly #crowdedPace: Pace
  /** What is being read. */
  readonly #answers = new Set<PacedAnswer>()
  #madeRoomAt = -Infinity
  readonly #memory: Budget

  constructor(options: TransportOptions) {
    this.#git = options.git
    this.#slots = fairSlots(options.concurrency, options.firsts ?? 64, options.queue ?? 100)
    this.#timeout = options.timeout ?? 15 * 60_000
    this.#pace = options.pace ?? slowestPace
    this.#crowdedPace = options.crowdedPace ?? { graceMs: 5_000, bytesPerSecond: 1024 * 1024 }
    this.#memory = options.memory ?? new Budget(maxOwnerBytes)
  }

  /**
   * Protocols 0, 1 and 2 (https://git-scm.com/docs/gitprotocol-http).
   *
   * @returns the body of the answer, once its turn has come. Destroying it ends git.
   * @throws Failure `unavailable` when too many wait or the request comes too slowly, `request_too_large`.
   */
  async uploadPack(request: UploadPackRequest): Promise<Readable> {
    const owner = this.#git.ownerOf(request.directory)
    return forOwner(owner, () => this.#uploadPack(owner, request))
  }

  async #uploadPack(owner: string, request: UploadPackRequest): Promise<Readable> {
    if (this.#slots.isFull(owner)) throw tooMany()
    if (request.input === null) return this.#inTurn(owner, request, null)
    const body = new RequestBody(owner, this.#memory)
    try {
      return await this.#inTurn(owner, request, await this.#receive(request, request.input, body))
    } finally {
      // Git has it by now, or will not get it.
      body.release()
    }
  }

  async #receive({ signal }: UploadPackRequest, source: Readable, body: RequestBody): Promise<Buffer> {
    const input = new ClientInput(source, { request: 'fetch', signal, timeout: this.#timeout, pace: this.#pace })
    try {
      for (let next = await input.next(); next.done !== true; next = await input.next()) body.take(next.value)
      return body.read()
    } finally {
      input.end()
    }
  }

  async #inTurn(owner: string, request: UploadPackRequest, body: Buffer | null): Promise<Readable> {
    if (this.#slots.isFull(owner)) throw tooMany()
    const release = await this.#acquire(owner, request.signal)
    let ended: Promise<void> | undefined
    try {
      const { directory, signal } = request
      const refused = body && (await unreachableWant({ git: this.#git, directory, signal, request: body }))
      if (refused !== null) return Readable.from([pktLine(`ERR upload-pack: not our ref ${refused}`)])
      const served = this.#serve(request, body)
      ended = served.ended
      return served.answer
    } finally {
      void (ended ?? Promise.resolve()).then(release)
    }
  }

  /** A slot; an owner who has none gets one at the cost of those who read slowly. */
  async #acquire(owner: string, signal: AbortSignal): Promise<() => void> {
    const makingRoom = setInterval(() => {
      if (this.#slots.isStarving(owner)) this.#endSlowest()
    }, makeRoomEvery)
    try {
      return await this.#slots.acquire(owner, signal)
    } finally {
      clearInterval(makingRoom)
    }
  }

  /** One at a time, however many wait: its slot is free when its git has ended. */
  #endSlowest(): void {
    const now = performance.now()
    if (now - this.#madeRoomAt < makeRoomEvery - 10) return
    let slowest: PacedAnswer | undefined
    let least = 0
    for (const answer of this.#answers) {
      const left = answer.leftAt(this.#crowdedPace)
      if (left >= least) continue
      slowest = answer
      least = left
    }
    if (slowest === undefined) return
    this.#madeRoomAt = now
    slowest.giveUp()
  }

  /** `ended` resolves when git has ended. */
  #serve(request: UploadPackRequest, body: Buffer | null): { answer: Readable; ended: Promise<void> } {
    const protocol = /^version=[012]$/.test(request.protocol ?? '') ? { GIT_PROTOCOL: request.protocol ?? '' } : {}
    const advertise = body === null ? ['--advertise-refs'] : []
    const args = ['upload-pack', '--stateless-rpc', '--strict', '--timeout=120', ...advertise, request.directory]
    const child = this.#git.start(args, request.directory, protocol)
    const answer = new PacedAnswer(child.stdout, this.#pace)
    this.#answers.add(answer)
    const stop = () => killChild(child)
    const timer = setTimeout(stop, this.#timeout)
    request.signal.addEventListener('abort', stop)
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)))
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        answer.destroy(error)
        resolve()
      })
      child.once('close', (code) => {
        clearTimeout(timer)
        request.signal.removeEventListener('abort', stop)
        if (answer.tooSlow) request.onError('git upload-pack: its client read too slowly')
        else if (code !== 0 && !request.signal.aborted)
          request.onError(`git upload-pack: ${stderr.trim() || `exit code ${code}`}`)
        resolve()
      })
    })
    answer.once('close', () => {
      this.#answers.delete(answer)
      if (answer.readableEnded) return
      stop()
      child.stdout.destroy()
    })
    // Git may have read enough (EPIPE): its answer says what was wrong.
    child.stdin.on('error', () => child.stdin.destroy())
    child.stdin.end(body ?? undefined)
    return { answer, ended }
  }
}

function tooMany(): Failure {
  return new Failure('unavailable', 'Too many clones and fetches of this account are waiting.', { retryAfter: 10 })
}

/** A request as it comes, in memory: bounded for itself and with the others of its owner. */
class RequestBody {
  readonly #owner: string
  readonly #memory: Budget
  readonly #parts: Buffer[] = []
  #bytes = 0

  constructor(owner: string, memory: Budget) {
    this.#owner = owner
    this.#memory = memory
  }

  take(chunk: Buffer): void {
    if (this.#bytes + chunk.length > maxRequestBytes)
      throw new Failure('request_too_large', 'The request of this fetch is too large.')
    if (!this.#memory.take(this.#owner, chunk.length)) throw tooMany()
    this.#bytes += chunk.length
    this.#parts.push(chunk)
  }

  read(): Buffer {
    return Buffer.concat(this.#parts)
  }

  release(): void {
    this.#memory.giveBack(this.#owner, this.#bytes)
  }
}

/** What git answers, as fast as the client reads; a client that reads too slowly ends it. */
class PacedAnswer extends Readable {
  tooSlow = false
  readonly #source: Readable
  readonly #meter: PaceMeter
  #waited: ((bytes: number) => void) | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(source: Readable, pace: Pace) {
    super()
    this.#source = source
    this.#meter = new PaceMeter(pace)
    source.on('data', (chunk: Buffer) => this.#hand(chunk))
    source.once('end', () => this.push(null))
  }

  /** Milliseconds for which its client may still read as it does, at a pace; below 0: it is slower than that. */
  leftAt(pace: Pace): number {
    return this.#meter.leftAt(pace)
  }

  /** Ends it: its client reads too slowly. */
  giveUp(): void {
    this.tooSlow = true
    this.destroy()
  }

  override _read(): void {
    if (this.#waited === null) return
    clearTimeout(this.#timer)
    this.#waited(0)
    this.#waited = null
    this.#source.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    done(error)
  }

  #hand(chunk: Buffer): void {
    const waited = this.#meter.wait()
    const more = this.push(chunk)
    waited(chunk.length)
    if (more || this.#waited !== null) return
    this.#source.pause()
    this.#waited = this.#meter.wait()
    this.#timer = setTimeout(() => this.giveUp(), this.#meter.leftMs)
  }
}
