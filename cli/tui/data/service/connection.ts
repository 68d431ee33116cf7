import { createClient, type Client } from '#client/client.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { parseInSlices, stringifyInSlices } from './json-slices.ts'
import { decode } from '../disk/slices.ts'
import type { ConnectionState } from '../workspace.ts'

/** Between two looks whether the service can be reached again. */
const firstLookMs = 1_000
const longestLookMs = 30_000
/** How long such a look waits for its answer. */
const lookMs = 4_000
/** While a call is under way: after this long without an answer it is looked whether the service is there at all. */
const watchMs = 5_000
/** What an ordinary call may take; what builds a site, or asks a model, takes longer. */
const callMs = 60_000
const longCallMs = 15 * 60_000

export interface ConnectionOptions {
  readonly url: string
  readonly token: string
  readonly fetch?: typeof globalThis.fetch
  readonly onChange: () => void
}

type LooseCall = (endpoint: Endpoint, options?: CallOptions) => Promise<unknown>
interface CallOptions {
  readonly signal?: AbortSignal
  readonly [name: string]: unknown
}

/**
 * Whether the service can be reached, learned from the calls themselves; while it cannot be, it is looked for, seldom and
 * seldom again. No call waits for ever on a network that swallows it, and none is begun while there is no network.
 */
export class Connection {
  readonly #fetch: typeof globalThis.fetch | undefined
  #raw: Client
  readonly #url: string
  readonly #onChange: () => void
  #state: ConnectionState = 'online'
  #looking: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined
  #pause = firstLookMs
  #closed = false
  readonly client: Client

  constructor({ url, token, fetch, onChange }: ConnectionOptions) {
    this.#fetch = fetch
    this.#url = url
    this.#raw = this.#clientWith(token)
    this.#onChange = onChange
    this.client = {
      call: ((endpoint, options) => this.#call(endpoint, options)) as LooseCall as Client['call'],
      events: (endpoint, options) => this.#events(endpoint, options),
    }
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** Calls from now on come with this token. */
  renew(token: string): void {
    this.#raw = this.#clientWith(token)
  }

  /** Looks now, unless that is under way. @returns whether it can be reached */
  look(): Promise<boolean> {
    this.#looking ??= this.#ask().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #clientWith(token: string): Client {
    return createClient({
      baseUrl: this.#url,
      token,
      fetch: inSlices(this.#fetch),
      stringify: stringifyInSlices,
    })
  }

  async #call(endpoint: Endpoint, options: CallOptions = {}): Promise<unknown> {
    await this.#assertReachable()
    const guard = new Guard(() => this.look(), isLong(endpoint) ? longCallMs : callMs, options.signal)
    try {
      const reply = await (this.#raw.call as LooseCall)(endpoint, { ...options, signal: guard.signal })
      this.#become('online')
      return reply
    } catch (error) {
      throw await this.#judge(error, guard)
    } finally {
      guard.end()
    }
  }

  async *#events<T>(endpoint: Endpoint, options: Parameters<Client['events']>[1]): AsyncGenerator<T, void, undefined> {
    await this.#assertReachable()
    const guard = new Guard(() => this.look(), undefined, options.signal)
    try {
      yield* this.#raw.events<T>(endpoint, { ...options, signal: guard.signal })
      this.#become('online')
    } catch (error) {
      throw await this.#judge(error, guard)
    } finally {
      guard.end()
    }
  }

  /** While offline a call looks first: the network may have come back a moment ago. */
  async #assertReachable(): Promise<void> {
    if (this.#state === 'online' || (await this.look())) return
    throw unreachable(this.#url, 'it did not answer', undefined, { isSent: false })
  }

  /** What the caller is told of an error, and what it says of the connection. */
  async #judge(error: unknown, guard: Guard): Promise<unknown> {
    if (guard.reason === 'silent') {
      this.#become('offline')
      return unreachable(this.#url, 'it does not answer', error)
    }
    if (guard.reason === 'long')
      return new Failure('unavailable', `${this.#url} took too long to answer.`, {
        hint: 'Look whether it was done all the same before you try again.',
        cause: error,
      })
    if (guard.isBrokenOff) return error
    if (error instanceof Failure) {
      if (error.code !== 'unavailable') this.#become('online')
      // A proxy that answers for a service that is gone, or one that is about to stop: `look` tells them apart.
      else if (error.extra['httpStatus'] === undefined) this.#become('offline')
      else await this.look()
      return error
    }
    // The answer was cut off, or is the page of a network that wants a sign-in of its own.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) return error
    await this.look()
    return unreachable(this.#url, 'its answer was cut off or is not its own', error)
  }

  async #ask(): Promise<boolean> {
    clearTimeout(this.#timer)
    let reached: boolean
    try {
      const { status } = await this.#raw.call(contract.service.health, { signal: AbortSignal.timeout(lookMs) })
      reached = status === 'ok'
    } catch {
      reached = false
    }
    this.#become(reached ? 'online' : 'offline')
    if (!reached) this.#lookLater()
    return reached
  }

  #become(state: ConnectionState): void {
    if (state === this.#state) return
    this.#state = state
    this.#pause = firstLookMs
    clearTimeout(this.#timer)
    if (state === 'offline') this.#lookLater()
    this.#onChange()
  }

  #lookLater(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#pause = Math.min(longestLookMs, 2 * this.#pause)
      void this.look()
    }, this.#pause)
    // A UI that ends does not wait for the network.
    this.#timer.unref()
  }
}

/** Large answers are parsed such that keys get their turn. */
function inSlices(send: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const json = async (): Promise<unknown> => parseInSlices(await decode(new Uint8Array(await response.arrayBuffer())))
    return Object.defineProperty(response, 'json', { value: json })
  }
}

/** Ends a call that gets no answer: the service is gone, or it takes far too long. */
class Guard {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #watch: NodeJS.Timeout
  readonly #limit: NodeJS.Timeout | undefined
  readonly #caller: AbortSignal | undefined
  #reason: 'silent' | 'long' | undefined

  constructor(look: () => Promise<boolean>, limitMs: number | undefined, caller: AbortSignal | undefined) {
    this.#caller = caller
    this.signal = caller === undefined ? this.#controller.signal : AbortSignal.any([caller, this.#controller.signal])
    this.#watch = setInterval(() => void look().then((reached) => reached || this.#end('silent')), watchMs)
    this.#limit = limitMs === undefined ? undefined : setTimeout(() => this.#end('long'), limitMs)
  }

  get reason(): 'silent' | 'long' | undefined {
    return this.#reason
  }

  /** By whoever called. */
  get isBrokenOff(): boolean {
    return this.#caller?.aborted === true
  }

  end(): void {
    clearInterval(this.#watch)
    clearTimeout(this.#limit)
  }

  #end(reason: 'silent' | 'long'): boolean {
    this.#reason ??= reason
    this.end()
    this.#controller.abort()
    return true
  }
}

function isLong({ limit, respondAsync, streams }: Endpoint): boolean {
  return limit === 'deploy' || limit === 'generate' || respondAsync === true || streams === true
}

function unreachable(url: string, why: string, cause?: unknown, extra: Failure['extra'] = {}): Failure {
  return new Failure('unavailable', `${url} cannot be reached: ${why}.`, {
    hint: 'What was opened before can be read and edited; it is saved when the service is back.',
    extra,
    cause,
  })
}
