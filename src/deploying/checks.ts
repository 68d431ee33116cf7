import { LRUCache } from 'lru-cache'
import { mainRef } from '../content/refs/ref-names.ts'
import type { Oid } from '../content/repository.ts'
import type { Check } from '../contract/checks.ts'
import type { DeployFile } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import type { FairLimit } from '../lib/fair-limit.ts'
import { weightOf, type BuiltBefore } from '../site/build/records.ts'
import type { Deploys } from './deploys.ts'
import { earlierPages } from './earlier-pages.ts'
import type { DeployingPorts } from './ports.ts'
import { reportOf } from './run.ts'
import { sourceOf } from './site-source.ts'
import { receiveFiles, requireContent, withCheckedPaths } from './uploads.ts'

/** Of records of pages that are kept between checks, of all projects together. What is forgotten costs time, nothing else. */
const keptBytes = 64 * 1024 * 1024

/** Seconds after which a check that found too many waiting is worth another try. */
const fullSeconds = 10

type ChecksPorts = Pick<
  DeployingPorts,
  'repositories' | 'hosting' | 'builder' | 'titleOf' | 'ownerOf' | 'canonicalUrl'
> & {
  /** Checks under way, divided among owners. */
  readonly builds: Pick<FairLimit, 'isFull' | 'run'>
  readonly deploys: Pick<Deploys, 'liveContent'>
}

/** Files that are to be checked. */
export interface CheckedFiles {
  /** By path. */
  readonly oids: ReadonlyMap<string, Oid>
  /** Content that is at hand; the rest is read from the repository. */
  readonly contents: ReadonlyMap<Oid, Buffer>
  /** As of `SiteFiles`. */
  readonly leftLinks?: ReadonlyMap<string, string>
}

/** The branch that files are meant for. */
export interface CheckedBranch {
  readonly id: string
  /** Where its preview is. */
  readonly url: string
  /** The release that its preview shows. */
  readonly release: string | undefined
}

/**
 * Builds files to see what comes of them, and keeps nothing: no object, no ref, no published file, no record. Pages that
 * an earlier build has are not rendered again.
 */
export class Checks {
  readonly #ports: ChecksPorts
  /** What the last check of each project and branch made: files may be checked many times before they are deployed. */
  readonly #built = new LRUCache<string, BuiltBefore>({
    maxSize: keptBytes,
    sizeCalculation: (built) => 1 + weightOf(built),
  })

  constructor(ports: ChecksPorts) {
    this.#ports = ports
  }

  /**
   * What a deploy of the files would say. Failures: those of `receiveFiles`, `invalid_path`, `missing_objects`,
   * `rate_limited`; the signal’s reason when nobody waits for it any more.
   */
  async upload(projectId: string, sent: readonly DeployFile[], signal: AbortSignal): Promise<Check> {
    const received = await receiveFiles(sent)
    const repository = await this.#ports.repositories.open(projectId)
    const main = await repository.resolveRef(mainRef)
    const tree = main === null ? null : await repository.readTree(main)
    const files = await withCheckedPaths(received, tree)
    await requireContent(repository, tree, files)
    return this.build(projectId, files, signal)
  }

  /** What a build of files would say, on main or on a branch. Failure `rate_limited`. */
  build(projectId: string, files: CheckedFiles, signal: AbortSignal, branch?: CheckedBranch): Promise<Check> {
    const { builds, ownerOf } = this.#ports
    const owner = ownerOf(projectId)
    if (builds.isFull(owner)) {
      throw new Failure('rate_limited', 'Too many checks of projects of this account wait for their turn.', {
        hint: 'Check fewer at a time, and again when others have ended.',
        retryAfter: fullSeconds,
      })
    }
    return builds.run(owner, () => this.#build(projectId, files, signal, branch), signal)
  }

  async #build(
    projectId: string,
    files: CheckedFiles,
    signal: AbortSignal,
    branch: CheckedBranch | undefined,
  ): Promise<Check> {
    const { repositories, hosting, builder, deploys, titleOf, canonicalUrl } = this.#ports
    const [repository, releases, live, title] = await Promise.all([
      repositories.open(projectId),
      hosting.open(projectId),
      deploys.liveContent(projectId),
      titleOf(projectId),
    ])
    const key = `${projectId} ${branch?.id ?? ''}`
    const main = live?.release
    const places = { built: this.#built.get(key), own: branch === undefined ? main : branch.release, main }
    const { site, ...outcome } = await builder.build({
      project: projectId,
      ...(branch === undefined ? {} : { branch: branch.id }),
      url: branch?.url ?? canonicalUrl(projectId),
      title,
      source: sourceOf(repository, files),
      ...(await earlierPages(files.oids, releases, places, signal)),
      trial: true,
      live: async () => (main === undefined ? null : releases.read(main)),
      // Nothing is served of it: no blob need be anywhere.
      has: () => true,
      blob: (blob) => releases.blob(blob),
      signal,
    })
    signal.throwIfAborted()
    if (site !== undefined)
      this.#built.set(key, {
        pages: site.pages,
        assets: site.assets,
        ...(site.tags === undefined ? {} : { tags: site.tags }),
      })
    return reportOf(outcome)
  }
}
