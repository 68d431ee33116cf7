import { createHash, randomUUID } from 'node:crypto'
import type { Oid } from '../content/repository.ts'
import type { Release } from '../contract/release.ts'
import type { BuildResult, SiteBuilder } from '../site/builder.ts'
import { reusable } from '../site/build/reuse.ts'
import type { DeployRecords } from './records.ts'
import type { Outcome, Prepared, Site } from './work.ts'

const thisProcess = randomUUID()

export interface BuildOptions {
  readonly builder: SiteBuilder
  readonly records: DeployRecords
  readonly url: string
  readonly title: string
}

/** The files of a site to be, by path. */
export interface SiteFiles {
  readonly oids: ReadonlyMap<string, Oid>
  /** Content that is at hand; the rest is read from the repository. */
  readonly contents?: ReadonlyMap<Oid, Buffer>
}

/**
 * Everything beside the files that decides what they build to. The builder may be another one after a restart: then
 * unchanged files are built once more, which renders no page.
 */
export function fingerprint({ url, title }: BuildOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([thisProcess, url, title]))
    .digest('hex')
    .slice(0, 32)
}

/** Builds the site of the files. Pages of the `earlier` releases are taken over where nothing of them has changed. */
export function buildSite(
  site: Site,
  files: SiteFiles,
  earlier: readonly (Release | null)[],
  { builder, url, title, signal }: BuildOptions & { readonly signal: AbortSignal },
): Promise<BuildResult> {
  const { repository, releases, progress, watch } = site
  return watch.time('build', () =>
    builder.build({
      project: repository.slug,
      url,
      title,
      source: {
        files: files.oids,
        read: async (oid) => files.contents?.get(oid) ?? repository.readBlob(oid),
      },
      ...reusable(files.oids, earlier),
      has: (blob) => releases.has(blob),
      store: (blobs) => releases.store(blobs),
      onProgress: ({ done, total }) => progress.pages(done, total),
      signal,
    }),
  )
}

/** Makes a release of what was built; of a site with errors none. */
export async function publishSite(
  site: Site,
  building: Promise<BuildResult>,
  content: { readonly id: string; readonly commit: Oid; readonly tree: Oid },
): Promise<void> {
  const { site: built, errors } = await building
  if (errors.length > 0) return
  if (built === undefined) throw new Error('the builder returned neither a site nor errors')
  const { blobs, ...manifest } = built
  const release: Release = { format: 1, createdAt: site.createdAt, ...content, ...manifest }
  await site.watch.time('release', () => site.releases.publish(release, blobs))
}

/** The live release is what these files would build to: nothing is built or written. Absent a commit, live’s own. */
export async function serveAgain(
  site: Site,
  liveId: string,
  { builder, records }: { readonly builder: string; readonly records: DeployRecords },
  commit?: Oid,
): Promise<Prepared> {
  const live = await records.find(site.order.slug, liveId)
  if (live?.commit === undefined || live.tree === undefined)
    throw new Error(`the record of live deploy ${liveId} is incomplete`)
  const { total } = live.pages
  const outcome: Outcome = { errors: [], warnings: live.warnings, pages: { total, built: 0, reused: total } }
  return {
    commit: commit ?? live.commit,
    tree: live.tree,
    release: live.release,
    builder,
    built: Promise.resolve(outcome),
    published: Promise.resolve(),
  }
}
