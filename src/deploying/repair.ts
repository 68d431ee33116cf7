import { filesOf, sourceOf } from './site-source.ts'
import type { Release } from '../contract/release.ts'
import type { SiteBuilder } from '../site/builder.ts'
import type { DeployingPorts } from './ports.ts'
import type { DeployRecords } from './records.ts'
import { liveReleases, type StoredDeploy } from './state.ts'

/** What came of a repair. */
export interface RepairedReleases {
  /** Published files that were damaged. */
  readonly damagedFiles: number
  /** Ids of releases that were built again from Git. */
  readonly rebuilt: readonly string[]
  /** Previews that could not be read: they are built again. */
  readonly previews: number
  /** Releases that could not be read and that nobody goes back to. */
  readonly dropped: number
  /** Releases that could not be built again, and why. */
  readonly failed: readonly { readonly release: string; readonly reason: string }[]
}

interface RepairParts {
  readonly ports: Pick<DeployingPorts, 'repositories' | 'hosting' | 'previews' | 'canonicalUrl' | 'titleOf'>
  /** Opened when something has to be built. */
  readonly builder: () => Promise<Pick<SiteBuilder, 'build'>>
  readonly records: Pick<DeployRecords, 'state' | 'find'>
}

/**
 * Builds the releases of a project again that cannot be read, the live one and those to go back to, under their names,
 * from the commits of their deploys: Git has all that they were made of. Whoever calls has the project's lock.
 */
export class Repair {
  readonly #parts: RepairParts

  constructor(parts: RepairParts) {
    this.#parts = parts
  }

  /** Reads all published files first. Throws Failure `not_found`. */
  async run(projectId: string): Promise<RepairedReleases> {
    const { ports, records } = this.#parts
    const state = await records.state(projectId)
    const releases = await ports.hosting.open(projectId)
    const damagedFiles = await releases.verify()
    const live = state.live === null ? [] : [{ release: state.live.release, deploy: state.live.id }]
    const wanted = new Map([...liveReleases(state), ...live].map(({ release, deploy }) => [release, deploy]))
    const rebuilt: string[] = []
    const failed: { release: string; reason: string }[] = []
    for (const [release, id] of wanted) {
      if ((await releases.read(release)) !== null) continue
      const deploy = await records.find(projectId, id)
      const reason = await this.#rebuild(projectId, release, deploy)
      if (reason === null) rebuilt.push(release)
      else failed.push({ release, reason })
    }
    const previews = new Set(await ports.previews.releases(projectId))
    // A release of nobody, such as an earlier preview’s, would keep what it shares with others from being collected.
    const dropped = await releases.dropDamaged(new Set(wanted.keys()))
    const shown = dropped.filter((release) => previews.has(release)).length
    return { damagedFiles, rebuilt, previews: shown, dropped: dropped.length - shown, failed }
  }

  /** Returns why not; null when it is there. */
  async #rebuild(projectId: string, id: string, deploy: StoredDeploy | null): Promise<string | null> {
    const { ports, builder } = this.#parts
    if (deploy?.commit === undefined) return 'nothing says of which commit it was made'
    const repository = await ports.repositories.open(projectId)
    const releases = await ports.hosting.open(projectId)
    try {
      const { tree } = await repository.readCommit(deploy.commit)
      const files = await filesOf(repository, deploy.commit)
      const { site, errors } = await (
        await builder()
      ).build({
        project: projectId,
        url: ports.canonicalUrl(projectId),
        title: await ports.titleOf(projectId),
        source: sourceOf(repository, files),
        earlier: null,
        has: (blob) => releases.has(blob),
        blob: (blob) => releases.blob(blob),
        store: (blobs) => releases.store(blobs),
      })
      if (site === undefined) return errors[0]?.message ?? 'it does not build'
      const { blobs, ...manifest } = site
      const { commit, createdAt } = deploy
      const release: Release = { format: 1, id, commit, tree, createdAt, ...manifest }
      await releases.publish(release, blobs)
      return null
    } catch (error) {
      // The next one may do; the operator is told.
      return error instanceof Error ? error.message : String(error)
    }
  }
}
