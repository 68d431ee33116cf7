import type { Oid } from '../content/repository.ts'
import type { Release } from '../contract/release.ts'
import { inSlices } from '../lib/slices.ts'
import { reusable } from '../site/build/records.ts'
import type { BranchingPorts } from './ports.ts'
import type { BranchRecord } from './registry.ts'
import { bounded, newPreviewId, type PreviewBuild, type ServedPreview } from './state.ts'

/** To render so few pages takes less time than to read main’s release and look for them there. */
const fewPages = 20

export type PreviewBuildPorts = Pick<
  BranchingPorts,
  'repositories' | 'hosting' | 'builder' | 'deploys' | 'titleOf' | 'urlOf' | 'now'
>

export interface BuiltPreview {
  readonly build: PreviewBuild
  /** Absent when it does not build. */
  readonly served?: ServedPreview
}

/** How many of the files no page and no asset of the release was made of. */
function lacks(release: Release | null, files: ReadonlyMap<string, Oid>): number {
  let count = 0
  for (const [path, oid] of files)
    if (release?.pages[path]?.oid !== oid && release?.assets?.[path]?.oid !== oid) count += 1
  return count
}

/** Builds the preview of a branch at a commit: rendered is only what neither its last preview nor main has. */
export async function buildPreview(
  ports: PreviewBuildPorts,
  record: BranchRecord,
  commit: Oid,
  signal: AbortSignal,
): Promise<BuiltPreview> {
  const { projectId } = record
  const started = performance.now()
  const now = ports.now()
  const [repository, releases, live] = await Promise.all([
    ports.repositories.open(projectId),
    ports.hosting.open(projectId),
    ports.deploys.liveContent(projectId),
  ])
  const { tree } = await repository.readCommit(commit)
  const report = (outcome: Pick<PreviewBuild, 'status' | 'pages' | 'errors' | 'warnings'>): PreviewBuild => ({
    id: newPreviewId(now),
    commit,
    ...outcome,
    errors: bounded(outcome.errors),
    warnings: bounded(outcome.warnings),
    counts: { errors: outcome.errors.length, warnings: outcome.warnings.length },
    durationMs: Math.round((performance.now() - started) * 10) / 10,
    createdAt: now.toISOString(),
    finishedAt: ports.now().toISOString(),
  })
  if (live !== null && (await repository.readCommit(live.commit)).tree === tree) {
    const pages = { total: live.pages, built: 0, reused: live.pages }
    return {
      build: report({ status: 'live', pages, errors: [], warnings: [] }),
      served: { release: live.release, commit },
    }
  }
  const files = new Map<string, Oid>()
  for (const [path, { oid }] of await repository.readTree(commit)) files.set(path, oid)
  const own = record.served === undefined ? null : await releases.read(record.served.release)
  const isOther = live !== null && live.release !== record.served?.release
  const main = isOther && lacks(own, files) > fewPages ? await releases.read(live.release) : null
  const { site, ...outcome } = await ports.builder.build({
    project: projectId,
    branch: record.id,
    url: ports.urlOf(record.label),
    title: await ports.titleOf(projectId),
    source: { files, read: (oid) => repository.readBlob(oid) },
    ...(await inSlices(reusable(files, [own, main]), signal)),
    has: (blob) => releases.has(blob),
    store: (blobs) => releases.store(blobs),
    signal,
  })
  signal.throwIfAborted()
  if (outcome.errors.length > 0) return { build: report({ status: 'failed', ...outcome }) }
  if (site === undefined) throw new Error('the builder returned neither a site nor errors')
  const { blobs, ...manifest } = site
  const id = newPreviewId(now)
  const release: Release = { format: 1, id, createdAt: now.toISOString(), commit, tree, ...manifest }
  await releases.publish(release, blobs)
  return { build: { ...report({ status: 'live', ...outcome }), id }, served: { release: id, commit } }
}
