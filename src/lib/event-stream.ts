import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** Proxies and browsers end a connection on which nothing comes. */
const heartbeatMs = 15_000

/** An answer of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class EventStream {
  readonly #response: ServerResponse
  #heartbeat: NodeJS.Timeout | undefined

  /**
   * Begins it. `onClose` is told once, later than this returns: when the client has gone, be it before the beginning, or
   * after `end`.
   */
  constructor(response: ServerResponse, onClose: () => void = () => undefined, headers: OutgoingHttpHeaders = {}) {
    this.#response = response
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    })
    if (response.destroyed) {
      // Who leaves while the answer is prepared has closed it already: that event does not come again.
      queueMicrotask(onClose)
      return
    }
    response.flushHeaders()
    this.#heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs)
    this.#heartbeat.unref()
    response.once('close', () => {
      clearInterval(this.#heartbeat)
      onClose()
    })
  }

  /** The client reads more slowly than events come. */
  get isBehind(): boolean {
    return this.#response.writableNeedDrain
  }

  /** The client has gone. */
  get isOver(): boolean {
    return this.#response.destroyed
  }

  /** Settles when the client has read enough for more to come, or is gone. */
  async drained(): Promise<void> {
    const response = this.#response
    // Who is gone reads nothing any more.
    if (!response.writableNeedDrain || response.destroyed) return
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        response.off('drain', settle).off('close', settle)
        resolve()
      }
      response.on('drain', settle).on('close', settle)
    })
  }

  send(type: string, data: unknown): void {
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** How long a browser that lost its connection waits. */
  retryAfter(milliseconds: number): void {
    this.#response.write(`retry: ${milliseconds}\n\n`)
  }

  end(): void {
    // Who reads slowly keeps the answer open long after its end, and nothing may be written then.
    clearInterval(this.#heartbeat)
    this.#response.end()
  }
}
