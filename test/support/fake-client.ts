import type { Client } from '#client/client.ts'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '#contract/endpoint.ts'
import { Failure } from '#contract/failure.ts'

interface Call<E> {
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
}

/** Stands in for the service: each endpoint answers as a test says, and what was asked is kept. */
export class FakeClient {
  /** Methods and paths in order, such as `POST /api/projects/:slug/publish`. */
  readonly asked: string[] = []
  /** Bodies of what was asked, beside `asked`. */
  readonly bodies: unknown[] = []
  readonly #replies = new Map<string, (call: never) => unknown>()
  readonly #streams = new Map<string, (call: never) => AsyncIterable<unknown>>()

  /** Says what an endpoint answers from now on; what it throws is the refusal. */
  on<E extends Endpoint>(endpoint: E, reply: (call: Call<E>) => ReplyOf<E> | Promise<ReplyOf<E>>): this {
    this.#replies.set(keyOf(endpoint), reply)
    return this
  }

  /** Says which events a stream has. */
  stream<E extends Endpoint>(endpoint: E, events: (call: Call<E>) => AsyncIterable<unknown>): this {
    this.#streams.set(keyOf(endpoint), events)
    return this
  }

  /** How often an endpoint was asked. */
  count(endpoint: Endpoint): number {
    return this.asked.filter((key) => key === keyOf(endpoint)).length
  }

  get client(): Client {
    return {
      call: async (endpoint, ...[options]) => {
        const call = this.#taken(endpoint, options)
        const reply = this.#replies.get(keyOf(endpoint))
        if (reply === undefined) throw new Failure('not_found', `No test answers ${keyOf(endpoint)}.`)
        return (await reply(call as never)) as never
      },
      events: <T>(endpoint: Endpoint, options: object) => this.#events<T>(endpoint, options),
    }
  }

  async *#events<T>(endpoint: Endpoint, options: object): AsyncGenerator<T, void, undefined> {
    const call = this.#taken(endpoint, options)
    const events = this.#streams.get(keyOf(endpoint))
    if (events === undefined) throw new Failure('not_found', `No test answers ${keyOf(endpoint)}.`)
    yield* events(call as never) as AsyncIterable<T>
  }

  #taken(endpoint: Endpoint, options: object | undefined): Call<Endpoint> {
    const call = { headers: {}, ...options } as Call<Endpoint>
    this.asked.push(keyOf(endpoint))
    this.bodies.push(call.body)
    return call
  }
}

function keyOf({ method, path }: Endpoint): string {
  return `${method} ${path}`
}
