import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Branches } from '../../branching/branches.ts'
import type { PreviewEvent } from '../../branching/previews.ts'
import type { BranchRecord } from '../../branching/registry.ts'
import type { PreviewBuild } from '../../branching/state.ts'
import type { ErrorDetail } from '../../contract/common.ts'
import type { Projects } from '../../projects/projects.ts'
import { EventStream } from '../../lib/event-stream.ts'
import type { SiteHost } from '../../visibility/visibility.ts'
import { livePath } from '../../branching/present.ts'
import type { LiveFrames } from './live.ts'
import { sendNotice, type Notice } from './notice.tsx'
import { noSite, suspendedSite, type SiteResponder, type SiteTarget } from './sites.ts'

/** Path of the event stream on the host of a preview, which the script of preview pages reads. */
const eventsPath = '/_quire/preview-events'
const maxStreams = 2_000
const maxStreamsEach = 100
/** How long a browser waits before it connects again: the `retry` field of the stream. */
const retryMs = 2_000

export interface PreviewSitesOptions {
  readonly branches: Branches
  readonly projects: Pick<Projects, 'resolve' | 'formerSlugs' | 'isSuspended'>
  readonly frames: LiveFrames
  /** What the site of a project shows. */
  readonly liveRelease: (projectId: string) => string | undefined
  /** Origin of the live site of a project. */
  readonly siteUrl: (projectId: string) => string
  /** Where the dashboard edits the files of a branch: their path comes behind it. */
  readonly editorUrl: (projectId: string, branch: string) => string
  readonly isPrivate: (projectId: string) => boolean
  /** Whether who asks may read a site now. */
  readonly mayRead: (request: IncomingMessage, site: SiteHost) => boolean | Promise<boolean>
}

/** Answers requests to the hosts of previews. */
export class PreviewSites {
  readonly #options: PreviewSitesOptions
  readonly #events: PreviewEvents

  constructor(options: PreviewSitesOptions) {
    this.#options = options
    this.#events = new PreviewEvents(options)
  }

  /**
   * The current label for a label with a former slug of its project; null when no project had the slug. Of a private
   * project also where there is no such branch.
   */
  movedTo(label: string): string | null {
    const { branches, projects, isPrivate } = this.#options
    const [start = '', ...more] = label.split('--')
    if (more.length === 0) return null
    for (const former of projects.formerSlugs()) {
      // A label holds only the beginning of a long slug.
      const project = former.startsWith(start) ? projects.resolve(former)?.id : undefined
      const moved = project === undefined ? undefined : branches.labelSince(project, former, label)
      if (moved !== undefined) return moved
    }
    const named = projects.resolve(start)
    return named !== null && named.movedTo !== null && isPrivate(named.id) ? [named.movedTo, ...more].join('--') : null
  }

  /** The preview of a label; null when there is none. Only memory is looked at. */
  find(label: string, path: string): SiteTarget | SiteResponder | null {
    const { branches, projects, frames, liveRelease, editorUrl, siteUrl } = this.#options
    const entry = branches.atLabel(label)
    if (entry === undefined) return this.#withheld(label, path)
    if (projects.isSuspended(entry.projectId)) return suspendedSite
    if (path === eventsPath) {
      return { project: entry.projectId, answer: (request, response) => this.#events.respond(request, response, entry) }
    }
    const { served, projectId, name, build } = entry
    const release = liveRelease(projectId)
    if (path === livePath) return frames.document(projectId, served?.release ?? release)
    const themed = frames.file(path)
    if (themed !== undefined) return { ...themed, project: projectId }
    if (served !== undefined)
      return {
        project: projectId,
        release: served.release,
        preview: true,
        label,
        editor: editorUrl(projectId, entry.id),
        branch: name,
        live: release === undefined ? undefined : { url: siteUrl(projectId), release },
      }
    return {
      project: projectId,
      answer: (request, response) =>
        sendNotice(request, response, build?.status === 'failed' ? failed(name, build.errors) : waiting(name)),
    }
  }

  /** Of a private project nobody is told which branches there are: what there is not is answered as what there is. */
  #withheld(label: string, path: string): SiteResponder | null {
    const { projects, frames, isPrivate } = this.#options
    const [start = '', ...more] = label.split('--')
    const named = more.length === 0 ? null : projects.resolve(start)
    if (named === null || named.movedTo !== null || !isPrivate(named.id)) return null
    if (projects.isSuspended(named.id)) return suspendedSite
    const themed = frames.file(path)
    if (themed !== undefined) return { ...themed, project: named.id }
    return { project: named.id, answer: (request, response) => sendNotice(request, response, noSite) }
  }
}

// Programs read Retry-After, browsers Refresh: who waits sees the preview as soon as it is built.
const soon = { 'Retry-After': '2', Refresh: '2' }

function waiting(name: string): Notice {
  return {
    status: 503,
    title: `The preview of ${name} is being built`,
    text: 'This page reloads itself.',
    headers: soon,
  }
}

function failed(name: string, errors: readonly ErrorDetail[]): Notice {
  const lines = errors.slice(0, 20).map(({ path, line, column, message }) => {
    const place = [path, line, column].filter((part) => part !== undefined).join(':')
    return place === '' ? message : `${place}: ${message}`
  })
  const text = 'There is no earlier preview of it.'
  return { status: 503, title: `The branch ${name} does not build`, text, lines, headers: soon }
}

type Source = Pick<PreviewSitesOptions, 'mayRead'> & { readonly branches: Pick<Branches, 'watch'> }

/**
 * Tells open pages of previews when there is something new, as server-sent events: `release` with the id of the release
 * shown now (also at once, so that nothing falls between page and stream), `failed` with the first errors of a build,
 * `gone`. Their number is bounded; a page that gets no stream is simply not reloaded.
 */
class PreviewEvents {
  readonly #source: Source
  readonly #open = new Map<string, Set<ServerResponse>>()
  #count = 0

  constructor(source: Source) {
    this.#source = source
  }

  /** Answers a request for the stream of a preview. */
  respond(request: IncomingMessage, response: ServerResponse, record: BranchRecord): void {
    const streams = this.#open.get(record.id) ?? new Set()
    if (request.method !== 'GET') return refuse(response, 405)
    if (this.#count >= maxStreams || streams.size >= maxStreamsEach) return refuse(response, 503)
    this.#count += 1
    streams.add(response)
    this.#open.set(record.id, streams)
    let stop = (): void => undefined
    const closed = (): void => {
      stop()
      streams.delete(response)
      if (streams.size === 0 && this.#open.get(record.id) === streams) this.#open.delete(record.id)
      this.#count -= 1
    }
    const stream = new EventStream(response, closed, { 'X-Robots-Tag': 'noindex' })
    stream.retryAfter(retryMs)
    const { branches, mayRead } = this.#source
    const site = { project: record.projectId, name: record.label }
    const send = (event: PreviewEvent): void => {
      if (event.type === 'release') stream.send('release', event.release)
      else if (event.type === 'failed') stream.send('failed', shortly(event.build))
      else {
        stream.send('gone', null)
        stream.end()
      }
    }
    stop = branches.watch(record, (event) => {
      // Whoever was let in when it began may not be any more.
      const tell = (may: boolean): void => (may ? send(event) : stream.end())
      const may = mayRead(request, site)
      if (typeof may === 'boolean') tell(may)
      else may.then(tell).catch(() => stream.end())
    })
    if (record.served !== undefined) stream.send('release', record.served.release)
    if (record.build?.status === 'failed') stream.send('failed', shortly(record.build))
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
