import type { Composer } from '../contract/release.ts'
import type { Hosting, ProjectReleases } from './hosting.ts'
import type { PublishStep } from './project.ts'
import { Projects } from './projects.ts'
import { sendText } from './serving/answer.ts'
import { Responder, type SiteRequest } from './serving/responder.ts'
import { ServedReleases } from './serving/served.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'

export interface DiskHostingOptions {
  /** Holds a folder a project. Made when absent. Belongs to one process. */
  readonly directory: string
  readonly composer: Composer
  readonly log: {
    warn(message: string): void
    /** The whole error; readers see none of it. */
    error(error: unknown, message: string): void
  }
  /** A release stays one hour after it was made or last used, a hashed asset 30 days after its last release. */
  readonly grace?: { readonly releaseMs: number; readonly assetMs: number }
  /** Bounds of what stays in memory, in bytes: projects' tables, releases' routes, answers. */
  readonly memory?: { readonly projects: number; readonly releases: number; readonly answers: number }
  /** Told before each durable step: a failpoint. */
  step?(name: PublishStep): void
}

const hour = 60 * 60 * 1000
const megabyte = 1 << 20

/** `Hosting` on the local disk. Finish `open` before the first request. */
export async function openDiskHosting(options: DiskHostingOptions): Promise<Hosting> {
  const { log, composer } = options
  const memory = options.memory ?? { projects: 64 * megabyte, releases: 64 * megabyte, answers: 64 * megabyte }
  const grace = options.grace ?? { releaseMs: hour, assetMs: 30 * 24 * hour }
  const warn = (message: string): void => log.warn(message)
  const projects = new Projects(
    options.directory,
    { grace, warn, step: (name) => options.step?.(name) },
    memory.projects,
  )
  await projects.sweep()
  const mutex = new KeyedMutex()
  const releases = new ServedReleases(projects, memory.releases)
  const responder = new Responder({
    composer,
    releases,
    bodyBytes: memory.answers,
    onError: (error, request) => log.error(error, describe(request)),
  })

  return {
    async open(slug): Promise<ProjectReleases> {
      const project = await projects.open(slug)
      return {
        has: (blob) => project.has(blob),
        keeps: (id) => project.keeps(id),
        read: (id) => project.read(id),
        store: (blobs) => project.store(blobs),
        async publish(release, blobs) {
          await project.publish(release, blobs)
          projects.weigh(slug, project)
        },
        collect: (keep, now) =>
          mutex.run(slug, async () => {
            const collected = await project.collect(keep, now)
            releases.forget(slug, (id) => project.keeps(id))
            projects.weigh(slug, project)
            return collected
          }),
      }
    },
    hold: (slug) => mutex.acquire(slug),
    respond(request, response, site) {
      if (site === null) sendText(response, 404, 'There is no site here')
      else responder.respond(request, response, site)
    },
    async remove(slug) {
      releases.forget(slug, () => false)
      await projects.remove(slug)
    },
    close: () => Promise.resolve(),
  }
}

function describe(request: { readonly site: SiteRequest; readonly url: string } | null): string {
  if (request === null) return 'A compression failed'
  return `Release ${request.site.release} of ${request.site.project} could not answer ${request.url}`
}
