import { AsyncResource } from 'node:async_hooks'
import { createHash, type Hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { PaceMeter, type Pace } from '../../lib/pace.ts'
import { nextTurn, isTurnOver } from '../../lib/slices.ts'
import { useHeldBodies, type BodyBounds } from './held-body.ts'
import { findJsonError } from './json-error.ts'
import { JsonStream, NotJson } from './json-stream.ts'
import { tooLarge } from './problems.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** `performance.now()` when the last byte of the body had come; 0 without a body. */
    receivedAt: number
    /** SHA-256 of the body, where the request has an Idempotency-Key. */
    bodyHash: string | null
  }
}

type Done = (error: Error | null, body?: unknown) => void

/** Reads the body of one request, which others do not wait for. */
class JsonBody {
  readonly #request: FastifyRequest
  readonly #payload: Readable
  readonly #done: Done
  readonly #reader = new JsonStream()
  readonly #hash: Hash | null
  readonly #limit: number
  readonly #patience: Patience
  #bytes = 0
  #isBehind = false
  #hasEnded = false
  #isOver = false

  constructor(request: FastifyRequest, payload: Readable, { pace, done }: { pace: Pace; done: Done }) {
    this.#request = request
    this.#payload = payload
    this.#done = done
    this.#hash = request.headers['idempotency-key'] === undefined ? null : createHash('sha256')
    this.#limit = request.routeOptions.bodyLimit
    this.#patience = new Patience(request.raw, pace, (failure) => this.#refuse(failure))
  }

  read(): void {
    // It says so itself: nothing of it is read.
    if (Number(this.#request.headers['content-length']) > this.#limit) {
      this.#done(tooLarge(this.#limit))
      return
    }
    this.#payload.on('data', this.#onData)
    this.#payload.once('end', this.#onEnd)
    this.#payload.once('error', this.#refuse)
    this.#patience.begin()
  }

  // The parts of a body come in nobody’s turn by themselves.
  readonly #onData = AsyncResource.bind((chunk: Buffer): void => {
    if (!isTurnOver()) {
      this.#add(chunk)
      return
    }
    // Many bodies at once are read a part a turn, as all long work is.
    this.#isBehind = true
    this.#payload.pause()
    void this.#addInTurn(chunk)
  })

  async #addInTurn(chunk: Buffer): Promise<void> {
    await nextTurn()
    this.#isBehind = false
    if (!this.#isOver) this.#add(chunk)
    if (this.#hasEnded && !this.#isOver) this.#end()
    else this.#payload.resume()
  }

  /** Also while the last part waits for its turn. */
  readonly #onEnd = AsyncResource.bind((): void => {
    this.#hasEnded = true
    if (!this.#isBehind) this.#end()
  })

  #end(): void {
    this.#request.receivedAt = performance.now()
    if (this.#hash !== null) this.#request.bodyHash = this.#hash.digest('hex')
    this.#stop()
    let value: unknown
    try {
      value = this.#reader.end()
    } catch (error) {
      this.#refuse(error as Error)
      return
    }
    if (isTurnOver()) void nextTurn().then(() => this.#done(null, value))
    else this.#done(null, value)
  }

  #add(chunk: Buffer): void {
    this.#bytes += chunk.length
    try {
      if (this.#bytes > this.#limit) throw tooLarge(this.#limit)
      this.#request.heldBody?.add(chunk.length)
      this.#hash?.update(chunk)
      this.#reader.add(chunk)
    } catch (error) {
      this.#refuse(error as Error)
    }
  }

  readonly #refuse = AsyncResource.bind((error: Error): void => {
    this.#stop()
    if (error instanceof NotJson) void this.#tellPlace(error.text)
    else this.#done(error)
  })

  async #tellPlace(text: string): Promise<void> {
    this.#done(await notJson(text).catch((error: unknown) => error as Error))
  }

  /** What still comes is dropped; a connection that breaks then breaks nothing else. */
  #stop(): void {
    this.#isOver = true
    this.#patience.end()
    this.#payload.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#refuse)
    this.#payload.on('error', () => undefined)
    if (this.#payload === this.#request.raw) return
    // At once: what is taken from its pipe later is paused, and the client would not come to its end.
    this.#request.raw.unpipe()
    this.#payload.destroy()
  }
}

/** Looks after the bytes of a body as they come over the wire: a client may not keep its place for nothing. */
class Patience {
  readonly #source: Readable
  readonly #pace: Pace
  readonly #meter: PaceMeter
  readonly #giveUp: (failure: Failure) => void
  #waited: (bytes: number) => void = () => undefined
  #cameAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(source: Readable, pace: Pace, giveUp: (failure: Failure) => void) {
    this.#source = source
    this.#pace = pace
    this.#meter = new PaceMeter(pace)
    this.#giveUp = giveUp
  }

  begin(): void {
    this.#source.on('data', this.#onData)
    this.#onData({ length: 0 })
    this.#plan()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#source.off('data', this.#onData)
  }

  readonly #onData = ({ length }: { readonly length: number }): void => {
    this.#waited(length)
    this.#waited = this.#meter.wait()
    this.#cameAt = performance.now()
  }

  /** What came fast pays for what comes slowly, but not for nothing at all. */
  #leftMs(): number {
    return Math.min(this.#meter.leftMs, this.#cameAt + this.#pace.graceMs - performance.now())
  }

  #plan(): void {
    this.#timer = setTimeout(this.#look, Math.max(1, this.#leftMs()))
  }

  readonly #look = (): void => {
    // It is we who do not read: that time is not the client’s.
    if (this.#source.isPaused()) this.#cameAt = performance.now()
    else this.#waited(0)
    this.#waited = this.#meter.wait()
    if (this.#leftMs() > 0) return this.#plan()
    this.#giveUp(
      new Failure('unavailable', 'The body of the request came too slowly, or stopped coming.', {
        hint: 'Nothing was changed. Send it again.',
      }),
    )
  }
}

/** The refusal, with the place of the mistake. */
async function notJson(text: string): Promise<Failure> {
  const found = await findJsonError(text)
  if (found === null) throw new Error('a body is JSON though its parser refused it')
  if (found === 'beyond') {
    return new Failure('invalid_request', 'The body is not JSON: it goes wrong somewhere after the first 1 MB.', {
      hint: 'Was it cut off, or put together by hand? Let a JSON library write it.',
    })
  }
  const { line, column, expected } = found
  const message = `${expected} was expected`
  return new Failure('invalid_request', `The body is not JSON: in line ${line}, column ${column}, ${message}.`, {
    errors: [{ line, column, message }],
  })
}

/** Takes JSON bodies only. The bytes are parsed as they come and not kept. */
export function useJsonBodies(app: FastifyInstance, bounds: BodyBounds): void {
  useHeldBodies(app, bounds)
  app.decorateRequest('receivedAt', 0)
  app.decorateRequest('bodyHash', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i, (request, payload, done) =>
    new JsonBody(request, payload, { pace: bounds.pace, done }).read(),
  )
}
