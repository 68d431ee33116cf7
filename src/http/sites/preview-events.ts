import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Branches } from '../../branching/branches.ts'
import type { BranchRecord } from '../../branching/registry.ts'
import type { PreviewBuild } from '../../branching/state.ts'

/** On the host of a preview. The script of preview pages listens here. */
export const previewEventsPath = '/_quire/preview-events'

const maxStreams = 2_000
const maxStreamsEach = 100
const heartbeatMs = 25_000
/** A browser that lost its connection waits so long. */
const retryMs = 2_000

type Source = Pick<Branches, 'watch'>

/**
 * Tells open pages of previews when there is something new, as server-sent events: `release` with the id of the release
 * shown now (also at once, so that nothing falls between page and stream), `failed` with the first errors of a build,
 * `gone`. Their number is bounded; a page that gets no stream is simply not reloaded.
 */
export class PreviewEvents {
  readonly #branches: Source
  readonly #open = new Map<string, Set<ServerResponse>>()
  #count = 0

  constructor(branches: Source) {
    this.#branches = branches
  }

  /** Answers a request for the stream of a preview. */
  respond(request: IncomingMessage, response: ServerResponse, entry: BranchRecord): void {
    const streams = this.#open.get(entry.id) ?? new Set()
    if (request.method !== 'GET') return refuse(response, 405)
    if (this.#count >= maxStreams || streams.size >= maxStreamsEach) return refuse(response, 503)
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    })
    response.write(`retry: ${retryMs}\n\n`)
    this.#count += 1
    streams.add(response)
    this.#open.set(entry.id, streams)
    const send = (event: string, data: unknown): void => {
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    }
    const stop = this.#branches.watch(entry, (event) => {
      if (event.type === 'release') send('release', event.release)
      else if (event.type === 'failed') send('failed', shortly(event.build))
      else {
        send('gone', null)
        response.end()
      }
    })
    if (entry.served !== undefined) send('release', entry.served.release)
    if (entry.build?.status === 'failed') send('failed', shortly(entry.build))
    const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs)
    heartbeat.unref()
    response.once('close', () => {
      clearInterval(heartbeat)
      stop()
      streams.delete(response)
      if (streams.size === 0 && this.#open.get(entry.id) === streams) this.#open.delete(entry.id)
      this.#count -= 1
    })
  }
}

/** The first errors, without their source. */
function shortly({ errors }: PreviewBuild) {
  return errors.slice(0, 3).map(({ path, line, column, message }) => ({ path, line, column, message }))
}

function refuse(response: ServerResponse, status: 405 | 503): void {
  response.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Length': '0' })
  response.end()
}
