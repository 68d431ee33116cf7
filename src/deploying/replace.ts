import { createHash, randomUUID } from 'node:crypto'
import type { NewFile, Oid, Tree } from '../content/repository.ts'
import type { Release } from '../contract/release.ts'
import type { BuildResult, SiteBuilder } from '../site/builder.ts'
import { withCheckedPaths, type ReceivedFiles } from './files.ts'
import type { DeployRecords } from './records.ts'
import type { Outcome, Prepared, Site, Work } from './work.ts'

const thisProcess = randomUUID()

export interface ReplaceOptions {
  readonly builder: SiteBuilder
  readonly records: DeployRecords
  readonly url: string
  readonly title: string
}

/** A deploy of files: they replace everything that the project holds. */
export function replaceFiles(received: ReceivedFiles, options: ReplaceOptions): Work {
  return { kind: 'deploy', prepare: (site) => prepare(site, received, options) }
}

async function prepare(site: Site, sent: ReceivedFiles, options: ReplaceOptions): Promise<Prepared> {
  const { repository, releases, state, main } = site
  const [base, tree] = await Promise.all([
    state.live === null ? null : releases.read(state.live.release),
    main === null ? null : repository.readTree(main),
  ])
  const received = withCheckedPaths(sent, tree)
  const builder = fingerprint(options)
  const unchanged = main !== null && tree !== null && sameFiles(tree, received.oids)
  if (unchanged && base !== null && state.live?.commit === main && state.live.builder === builder) {
    return serveAgain(site, state.live.id, builder, options.records)
  }
  const abort = new AbortController()
  // Building needs the files’ ids and contents, not the commit: it need not wait until that is durable.
  const building = site.watch.time('build', () => build(site, received, base, options, abort.signal))
  // Awaited below or by the pipeline; a refused commit comes first, and then nobody does.
  building.catch(() => undefined)
  try {
    const { commit, tree: root } = unchanged
      ? { commit: main, tree: (await repository.readCommit(main)).tree }
      : await commitFiles(site, received.files)
    return {
      commit,
      tree: root,
      release: site.id,
      builder,
      built: building,
      published: publish(site, building, { commit, tree: root }),
    }
  } catch (error) {
    abort.abort()
    throw error
  }
}

function commitFiles(site: Site, files: readonly NewFile[]): Promise<{ commit: Oid; tree: Oid }> {
  const { order, repository, main, watch } = site
  const message = order.message?.trim() || 'Deploy documentation'
  return watch.time('commit', () => repository.replaceTree({ files, parent: main, author: order.author, message }))
}

function build(
  site: Site,
  received: ReceivedFiles,
  base: Release | null,
  { builder, url, title }: ReplaceOptions,
  signal: AbortSignal,
): Promise<BuildResult> {
  const { repository, releases, progress } = site
  return builder.build({
    project: repository.slug,
    url,
    title,
    source: {
      files: received.oids,
      read: async (oid) => received.contents.get(oid) ?? repository.readBlob(oid),
    },
    earlier: base?.pages ?? null,
    earlierAssets: base?.assets ?? null,
    has: (blob) => releases.has(blob),
    store: (blobs) => releases.store(blobs),
    onProgress: ({ done, total }) => progress.pages(done, total),
    signal,
  })
}

async function publish(site: Site, building: Promise<BuildResult>, content: { commit: Oid; tree: Oid }): Promise<void> {
  const { site: built, errors } = await building
  if (errors.length > 0) return
  if (built === undefined) throw new Error('the builder returned neither a site nor errors')
  const { blobs, ...manifest } = built
  const release: Release = { format: 1, id: site.id, createdAt: site.createdAt, ...content, ...manifest }
  await site.watch.time('release', () => site.releases.publish(release, blobs))
}

/** The live release is what these files would build to: nothing is committed, built or written. */
async function serveAgain(site: Site, liveId: string, builder: string, records: DeployRecords): Promise<Prepared> {
  const live = await records.find(site.order.slug, liveId)
  if (live?.commit === undefined || live.tree === undefined)
    throw new Error(`the record of live deploy ${liveId} is incomplete`)
  const { total } = live.pages
  const outcome: Outcome = { errors: [], warnings: live.warnings, pages: { total, built: 0, reused: total } }
  return {
    commit: live.commit,
    tree: live.tree,
    release: live.release,
    builder,
    built: Promise.resolve(outcome),
    published: Promise.resolve(),
  }
}

/**
 * Everything beside the files that decides what they build to. The builder may be another one after a restart: then
 * unchanged files are built once more, which renders no page.
 */
function fingerprint({ url, title }: ReplaceOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([thisProcess, url, title]))
    .digest('hex')
    .slice(0, 32)
}

function sameFiles(tree: Tree, oids: ReadonlyMap<string, Oid>): boolean {
  if (tree.size !== oids.size) return false
  for (const [path, oid] of oids) if (tree.get(path)?.oid !== oid) return false
  return true
}
