import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Composer, Document, Release, Sha256, SiteSettings } from '../contract/release.ts'
import type { Blobs } from '../storage/blobs.ts'
import type { PublishStep } from './project.ts'
import { OpenProjects } from './open-projects.ts'
import { SiteCards, type SiteCardsOptions } from './serving/cards.ts'
import { parseTarget, resolveTarget } from './serving/resolve.ts'
import type { Compressed } from './serving/body.ts'
import { Responder, type SiteRequest } from './serving/responder.ts'
import { ServedReleases } from './serving/served.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'
import { withoutBase } from '../lib/base-path.ts'
import { shown } from '../lib/secrets.ts'

/** Keeps and serves the releases of all projects. */
export interface Hosting {
  /** Blobs of a project, loaded once; `has` is then a look-up in memory. */
  open(project: string): Promise<ProjectReleases>
  /** Answers a request for a site: `site` was found from the Host header by the caller. */
  respond(
    request: IncomingMessage,
    response: ServerResponse,
    site: {
      readonly project: string
      readonly release: string
      readonly preview: boolean
      /** Where the project’s changelog is, when there is one. */
      readonly changelog?: string | undefined
    },
  ): void
  /** The path that a release’s site stands below, empty where that is the root; at once where the release is in memory. */
  baseOf(project: string, release: string): string | Promise<string>
  /** Whether a release itself has something at a path: a page, a file or a redirect. */
  answersAt(project: string, release: string, path: string): Promise<boolean>
  /** The Markdown of the page at a path, also of one that a release redirects to within itself; null where there is none. */
  markdown(project: string, release: string, path: string): Promise<Buffer | null>
  /** What readers of a release are asked or counted for; null when it is not kept. */
  settings(project: string, release: string): Promise<SiteSettings | null>
  /** Decoded URL path of the page that a release itself has at a path as it stands in an address; null for all else. */
  pageAt(project: string, release: string, path: string): Promise<string | null>
  /**
   * The document of a page that is in no release, in the look of a kept one.
   * @param make gives the artifact, as a build makes them, in the language of the document
   */
  compose(
    site: { readonly project: string; readonly release: string; readonly changelog?: string | undefined },
    path: string,
    make: (lang: string) => Uint8Array,
  ): Promise<Document>
  /** The document around pages that are not built, in the look of a release; of a plain site where there is none. */
  live(project: string, release: string | undefined): Promise<Document>
  /** Until the function that it returns is called, no file of the project is collected; `collect` waits. */
  hold(project: string): Promise<() => void>
  /** Removes all of a project. */
  remove(project: string): Promise<void>
  close(): Promise<void>
}

export interface ProjectReleases {
  has(blob: Sha256): boolean
  /** Keeps blobs ahead of the release that will name them, for the grace period at least. Durable. */
  store(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
  /** Durable: blobs in one append-only pack, then the manifest atomically. Serving starts when the caller moves the live pointer. */
  publish(release: Release, blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
  /** Whether a release is kept; only memory is looked at. */
  keeps(id: string): boolean
  /** The manifest, or null when it is not kept (any more), or cannot be read: then it is built again, or dropped. */
  read(id: string): Promise<Release | null>
  /** The bytes of a blob that a kept release names. */
  blob(blob: Sha256): Promise<Buffer>
  /** Reads all files: those that are damaged count as absent from then on. Returns how many. */
  verify(): Promise<number>
  /** Drops the releases that cannot be read and are not in `keep`, and forgets hashed assets that are lost. Answers with their ids. */
  dropDamaged(keep: ReadonlySet<string>): Promise<readonly string[]>
  /**
   * Drops releases that are not in `keep` and older than the grace period, and the blobs that no kept release names.
   * Hashed assets of dropped releases stay for their own, longer grace period.
   */
  collect(keep: ReadonlySet<string>, now: Date): Promise<{ releases: number; bytes: number }>
}

export interface HostingOptions {
  readonly blobs: Blobs
  readonly composer: Composer
  /** Blobs that somebody has compressed before: files of the theme. */
  readonly compressed?: ReadonlyMap<Sha256, Compressed>
  /** Draws the card of a page; absent: there are none. */
  readonly drawCard?: SiteCardsOptions['draw']
  readonly log: {
    /** The whole error; readers see none of it. */
    error(error: unknown, message: string, request?: IncomingMessage): void
  }
  /** A release stays one hour after it was made or last used, a hashed asset 30 days after its last release. */
  readonly grace?: { readonly releaseMs: number; readonly assetMs: number }
  /** Bounds of what stays in memory, in bytes: projects' tables, releases' routes, answers. */
  readonly memory?: { readonly projects: number; readonly releases: number; readonly answers: number }
  /** Told before each durable step: a failpoint. */
  step?(name: PublishStep): void
}

const isMarkdownType = (type: string): boolean => type.startsWith('text/markdown')
/** Redirects that are followed from one path. */
const mostHops = 5
/** Characters of a path in the log. */
const longestPath = 200
const hour = 60 * 60 * 1000
const megabyte = 1 << 20

/** Finish `open` before the first request. */
export function createHosting(options: HostingOptions): Hosting {
  const { log, composer } = options
  const memory = options.memory ?? { projects: 64 * megabyte, releases: 64 * megabyte, answers: 64 * megabyte }
  const grace = options.grace ?? { releaseMs: hour, assetMs: 30 * 24 * hour }
  const onDamage = (error: unknown): void =>
    log.error(error, 'something of a release cannot be read and counts as absent')
  const step = (name: PublishStep): void => options.step?.(name)
  const projects = new OpenProjects(options.blobs, { grace, step, onDamage }, memory.projects)
  const mutex = new KeyedMutex()
  const releases = new ServedReleases(projects, memory.releases)
  const responder = new Responder({
    composer,
    cards: options.drawCard === undefined ? undefined : new SiteCards({ composer, draw: options.drawCard }),
    releases,
    compressed: options.compressed,
    bodyBytes: memory.answers,
    onError: (error, failed) => log.error(error, describe(failed), failed?.request),
  })

  return {
    async open(projectId): Promise<ProjectReleases> {
      const project = await projects.open(projectId)
      return {
        has: (blob) => project.has(blob),
        keeps: (id) => project.keeps(id),
        read: (id) => project.read(id),
        blob: (blob) => project.blob(blob),
        store: (blobs) => project.store(blobs),
        verify: () => project.verify(),
        async dropDamaged(keep) {
          const dropped = await project.dropDamaged(keep)
          releases.forget(projectId, (id) => project.keeps(id))
          return dropped
        },
        async publish(release, blobs) {
          await project.publish(release, blobs)
          // It may be there already, of which some could not be read.
          releases.forget(projectId, (id) => id !== release.id)
          projects.weigh(projectId, project)
        },
        collect: (keep, now) =>
          mutex.run(projectId, async () => {
            const collected = await project.collect(keep, now)
            releases.forget(projectId, (id) => project.keeps(id))
            projects.weigh(projectId, project)
            return collected
          }),
      }
    },
    hold: (projectId) => mutex.acquire(projectId),
    respond: (request, response, site) => responder.respond(request, response, site),
    async answersAt(projectId, release, path) {
      const served = await releases.load(projectId, release)
      return served !== null && resolveTarget(served, { path, query: '' }, false).kind !== 'missing'
    },
    async markdown(projectId, release, path) {
      const served = await releases.load(projectId, release)
      if (served === null) return null
      let target = parseTarget(path)
      for (let hops = 0; target !== null && hops < mostHops; hops++) {
        const found = resolveTarget(served, target, true)
        if (found.kind === 'file' && isMarkdownType(found.route.type)) return served.project.blob(found.route.blob)
        if (found.kind !== 'redirect') return null
        target = parseTarget(found.location.replace(/#.*$/s, ''))
      }
      return null
    },
    async settings(projectId, release) {
      const served = await releases.load(projectId, release)
      return served === null ? null : (await served.openShell(composer)).settings
    },
    baseOf(projectId, release) {
      const served = releases.peek(projectId, release)
      return served === undefined ? releases.load(projectId, release).then((loaded) => loaded?.base ?? '') : served.base
    },
    async pageAt(projectId, release, path) {
      const served = await releases.load(projectId, release)
      const target = parseTarget(withoutBase(path, served?.base ?? ''))
      if (served === null || target === null) return null
      return resolveTarget(served, target, false).kind === 'page' ? target.path : null
    },
    async compose({ project, release, changelog }, path, make) {
      const served = await releases.load(project, release)
      if (served === null) throw new Error(`Release ${release} of ${project} should give its look and is not kept`)
      const shell = await served.openShell(composer)
      return shell.page(make(shell.language(path)), path, changelog === undefined ? {} : { changelog })
    },
    async live(projectId, release) {
      const served = release === undefined ? null : await releases.load(projectId, release)
      return served === null ? composer.live() : (await served.openShell(composer)).live()
    },
    async remove(projectId) {
      releases.forget(projectId, () => false)
      await projects.remove(projectId)
    },
    close: () => Promise.resolve(),
  }
}

function describe(failed: { readonly site: SiteRequest; readonly request: IncomingMessage } | null): string {
  if (failed === null) return 'A compression failed'
  const { site, request } = failed
  return `Release ${site.release} of ${site.project} could not answer ${shown(request.url?.split('?', 1)[0] ?? '', longestPath)}`
}
