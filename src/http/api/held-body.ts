import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { ClientGone } from '../../lib/client-gone.ts'
import { Budget } from '../../lib/budget.ts'
import { slowestPace, type Pace } from '../../lib/pace.ts'
import type { Growth } from '../../usage/storage-quota.ts'
import { payerOf } from '../auth/authenticate.ts'

/** How much of bodies there may be at a time, and how slowly they may come. */
export interface BodyBounds {
  /** Bytes, by owner. */
  readonly memory: Budget
  readonly pace: Pace
}

/** Of the bodies of one owner that are under way. */
const ownerBytes = 64 * 1024 * 1024

/** What a service has: as text a body takes up to twice its bytes, so all of them together leave half of the heap free. */
export function defaultBodyBounds(): BodyBounds {
  return { memory: new Budget(ownerBytes, getHeapStatistics().heap_size_limit / 4), pace: slowestPace }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body takes of the memory for bodies. */
    heldBody: HeldBody | null
    /** Counts its body on the storage of its account, where it does not say how long it is. */
    growth: Growth | null
  }
}

/**
 * The place of one body in the memory for bodies, from its first bytes until its request is answered and nothing needs its
 * content any more. A small one needs none: connections bound how many there are.
 */
export class HeldBody {
  readonly #memory: Budget
  readonly #owner: string
  readonly #growth: Pick<Growth, 'add'> | null
  #came = 0
  #taken = 0
  /** What needs the content: the request, and work that goes on without it. */
  #holders = 1

  /** @param growth counts what nobody has said before. */
  constructor(memory: Budget, owner: string, growth: Pick<Growth, 'add'> | null = null) {
    this.#memory = memory
    this.#owner = owner
    this.#growth = growth
  }

  /** Counts bytes that came, expanded. @throws Failure `unavailable` when there is no room for them, `quota_exceeded`. */
  add(bytes: number): void {
    // The place went with its client.
    if (this.#holders === 0) throw new ClientGone()
    this.#growth?.add(bytes)
    this.#came += bytes
    if (this.#came <= limits.bodyBytes) return
    const missing = this.#came - this.#taken
    if (!this.#memory.take(this.#owner, missing)) throw tooMuch()
    this.#taken += missing
  }

  /** Keeps the place for as long as the work takes, too. */
  during(work: Promise<unknown>): void {
    this.#holders++
    void work.then(this.release, this.release)
  }

  /** Of one holder. */
  readonly release = (): void => {
    if (--this.#holders > 0) return
    this.#memory.giveBack(this.#owner, this.#taken)
    this.#taken = 0
  }
}

function tooMuch(): Failure {
  return new Failure(
    'unavailable',
    'The requests of this account that are under way are as large as they may be now.',
    {
      hint: 'Nothing was changed. Send it again in a moment, and large requests one after the other.',
      retryAfter: 5,
    },
  )
}

/** Gives each body a place before anything of it is read, when it is known who calls. */
export function useHeldBodies(app: FastifyInstance, { memory }: BodyBounds): void {
  app.decorateRequest('heldBody', null)
  app.decorateRequest('growth', null)
  app.addHook('preParsing', async (request, reply) => {
    const { headers } = request
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
    const held = new HeldBody(memory, payerOf(request) ?? request.ip, request.growth)
    request.heldBody = held
    // Who went away while the access was checked has closed it already: that event does not come again.
    if (reply.raw.destroyed) held.release()
    else reply.raw.once('close', held.release)
  })
}
