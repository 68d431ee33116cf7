import type { FastifyInstance, InjectOptions } from 'fastify'

/** Asks an application in this process as if it were behind a connection. */
export function fetchFrom(app: FastifyInstance): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const options: InjectOptions = {
      method: init.method ?? 'GET',
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
      payloadAsStream: true,
    }
    const answer = await app.inject(options)
    const leave = (): void => void answer.raw.res.destroy()
    init.signal?.addEventListener('abort', leave, { once: true })
    const stream = answer.stream()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream.on('data', (chunk: Uint8Array) => controller.enqueue(chunk))
        stream.once('end', () => controller.close())
        stream.once('error', (error) => controller.error(error))
      },
      cancel: leave,
    })
    // A reply of this status has none.
    const shown = answer.statusCode === 204 ? null : body
    return new Response(shown, { status: answer.statusCode, headers: new Headers(answer.headers as HeadersInit) })
  }
}
