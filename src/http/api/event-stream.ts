import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DeployEvent } from '../../contract/deploys.ts'
import type { DeployListener } from '../../deploying/run.ts'

const heartbeatMs = 15_000
/** Counts come with every page: this often is enough to watch. */
const progressEveryMs = 50

/**
 * Answers with server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) until one is `done`
 * or the client goes. Refusals of `follow` are answered as usual.
 */
export async function streamEvents(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  follow: (listener: DeployListener) => Promise<() => void>,
): Promise<void> {
  const { raw } = reply
  const early: DeployEvent[] = []
  let send: DeployListener = (event) => early.push(event)
  const stop = await follow((event) => send(event))
  reply.hijack()
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  raw.flushHeaders()
  const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
  heartbeat.unref()
  const end = (): void => {
    clearInterval(heartbeat)
    stop()
    raw.end()
  }
  request.raw.once('close', end)
  let lastProgress = 0
  send = (event) => {
    if (event.type === 'progress') {
      const now = performance.now()
      // A slow reader misses counts, never stages or the end.
      if (event.done < event.total && (now - lastProgress < progressEveryMs || raw.writableNeedDrain)) return
      lastProgress = now
    }
    raw.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    if (event.type === 'done') end()
  }
  for (const event of early) send(event)
}
