import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type InjectOptions } from 'fastify'
import { useJsonBodies } from '../api/body.ts'
import { useProblems } from '../api/problems.ts'
import { Router } from '../api/route.ts'
import { operatorAccountRoutes, operatorProjectRoutes, type HoldOptions, type OperatorRooms } from './routes.ts'

export interface OperatorAppOptions extends Pick<HoldOptions, 'hold'>, Partial<Pick<HoldOptions, 'longestHold'>> {
  /** Opens what accounts and projects need. */
  readonly rooms: () => Promise<OperatorRooms>
  readonly logger: FastifyBaseLogger
}

const hour = 60 * 60_000

/** The endpoints of an operator. Whoever can ask is one: how it is reached decides who can. */
export async function createOperatorApp(options: OperatorAppOptions): Promise<FastifyInstance> {
  const { rooms, hold, longestHold = hour, logger } = options
  const app = Fastify({
    logController: new LogController({ disableRequestLogging: true }),
    loggerInstance: logger,
    routerOptions: { maxParamLength: 1024 },
  })
  useJsonBodies(app)
  const router = new Router(app, { admit: () => () => Promise.resolve() })
  useProblems(app, (path) => router.allowed(path))
  operatorAccountRoutes(router, rooms)
  operatorProjectRoutes(router, rooms, { hold, longestHold })
  await app.ready()
  return app
}

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
    return new Response(body, { status: answer.statusCode, headers: new Headers(answer.headers as HeadersInit) })
  }
}
