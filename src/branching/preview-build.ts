import { timesOf } from '../deploying/last-changes.ts'
import type { Oid } from '../content/repository.ts'
import type { Release } from '../contract/release.ts'
import { countOf } from '../contract/rules.ts'
import type { ProjectReleases } from '../hosting/hosting.ts'
import { earlierPages } from '../deploying/earlier-pages.ts'
import { filesOf, sourceOf } from '../deploying/site-source.ts'
import type { BranchingPorts } from './ports.ts'
import type { BranchRecord } from './registry.ts'
import { bounded, newPreviewId, type PreviewBuild, type ServedPreview } from './state.ts'

export type PreviewBuildPorts = Pick<
  BranchingPorts,
  'repositories' | 'hosting' | 'builder' | 'deploys' | 'titleOf' | 'onErrorOf' | 'urlOf' | 'now'
>

export interface BuiltPreview {
  readonly build: PreviewBuild
  /** Absent when it does not build. */
  readonly served?: ServedPreview
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
  const { tree, committedAt } = await repository.readCommit(commit)
  const report = (outcome: Pick<PreviewBuild, 'status' | 'pages' | 'errors' | 'warnings'>): PreviewBuild => ({
    id: newPreviewId(now),
    commit,
    ...outcome,
    errors: bounded(outcome.errors),
    warnings: bounded(outcome.warnings),
    counts: { errors: countOf(outcome.errors), warnings: countOf(outcome.warnings) },
    durationMs: Math.round((performance.now() - started) * 10) / 10,
    createdAt: now.toISOString(),
    finishedAt: ports.now().toISOString(),
  })
  const onError = await ports.onErrorOf(projectId)
  if (live !== null && (await repository.readCommit(live.commit)).tree === tree) {
    const pages = { total: live.pages, built: 0, reused: live.pages }
    return {
      build: report({ status: 'live', pages, errors: [], warnings: [] }),
      served: { release: live.release, commit },
    }
  }
  const files = await filesOf(repository, commit)
  const earlier = await earlierPages(files.oids, releases, { own: record.served?.release, main: live?.release }, signal)
  const {
    site,
    kept = [],
    ...outcome
  } = await ports.builder.build({
    project: projectId,
    branch: record.id,
    url: ports.urlOf(record.label),
    title: await ports.titleOf(projectId),
    source: sourceOf(repository, files),
    ...earlier,
    ...(onError === 'refuse' ? {} : { fallback: () => releasesOf(releases, record.served?.release, live?.release) }),
    // What neither main nor the preview before has was saved now.
    lastChanges: timesOf({ pages: earlier.earlier ?? {} }, files.oids, { repository, commit, at: committedAt }),
    has: (blob) => releases.has(blob),
    blob: (blob) => releases.blob(blob),
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
  return { build: { ...report({ status: 'live', ...outcome, errors: kept }), id }, served: { release: id, commit } }
}

/** The releases of these ids; null for one that is not there. */
function releasesOf(
  releases: Pick<ProjectReleases, 'read'>,
  ...ids: readonly (string | undefined)[]
): Promise<readonly (Release | null)[]> {
  return Promise.all(ids.map(async (id) => (id === undefined ? null : releases.read(id))))
}
