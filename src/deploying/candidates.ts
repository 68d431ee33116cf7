import { createHash, randomUUID } from 'node:crypto'
import type { Oid, RefUpdate } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { OnError } from '../contract/projects.ts'
import type { Release } from '../contract/release.ts'
import { inSlices } from '../lib/slices.ts'
import { reusable } from '../site/build/records.ts'
import { timesOf } from './last-changes.ts'
import { filesOf, hasCopies, hasSameTags, type SiteFiles, sourceOf } from './site-source.ts'
import type { BuildRequest, BuildResult } from '../site/builder.ts'
import type { CommitContent, Content } from './content-source.ts'
import type { DeployingPorts } from './ports.ts'
import type { DeployRecords } from './records.ts'
import { endOf, type BuildOutcome, type Candidate, type DeployRun, type DeployTarget } from './run.ts'
import type { StoredDeploy } from './state.ts'
import { sameFiles, withCheckedPaths, type ReceivedFiles } from './uploads.ts'

const thisProcess = randomUUID()

/** One attempt to make a candidate. */
interface Attempt {
  readonly run: DeployRun
  readonly target: DeployTarget
  /** Counts from 1. */
  readonly attempt: number
}

/** What a build depends on beside the files. */
interface BuildSettings {
  readonly url: string
  readonly title: string
  readonly onError: OnError
  /** Digest of all of it. */
  readonly builder: string
}

interface BuildOptions {
  readonly earlier: readonly (Release | null)[]
  readonly signal?: AbortSignal
  readonly lastChanges: NonNullable<BuildRequest['lastChanges']>
  readonly refs?: readonly RefUpdate[]
}

interface CandidateParts {
  readonly ports: Pick<DeployingPorts, 'builder' | 'canonicalUrl' | 'titleOf' | 'onErrorOf'>
  readonly records: Pick<DeployRecords, 'find'>
}

/** Makes of what a source gives a commit and starts the build of its site, which goes on when the promise has settled. */
export class Candidates {
  readonly #parts: CandidateParts

  constructor(parts: CandidateParts) {
    this.#parts = parts
  }

  /** Rejects with what the source refuses, with `quota_exceeded` and, for an earlier deploy, with `release_gone`. */
  async prepare(run: DeployRun, target: DeployTarget, attempt: number): Promise<Candidate> {
    const since = performance.now()
    const content = await run.source.prepare(target.main)
    if (content.type === 'commit') run.stopwatch.lap('commit', since)
    const candidate = await this.#candidateOf(content, { run, target, attempt })
    // The pipeline awaits `built` first, and `published` only when that succeeds: a rejection must not go unhandled.
    candidate.published.catch(() => undefined)
    candidate.built.catch(() => undefined)
    return candidate
  }

  #candidateOf(content: Content, attempt: Attempt): Promise<Candidate> {
    if (content.type === 'files') return this.#ofFiles(content.files, attempt)
    if (content.type === 'commit') return this.#ofCommit(content, attempt)
    return ofEarlier(content.deploy, attempt)
  }

  async #ofFiles(sent: ReceivedFiles, { run, target }: Attempt): Promise<Candidate> {
    const { repository, releases, state, main } = target
    const [live, tree, settings] = await Promise.all([
      state.live === null ? null : releases.read(state.live.release),
      main === null ? null : repository.readTree(main),
      this.#settings(run.trigger.projectId),
    ])
    const { builder } = settings
    const files = await withCheckedPaths(sent, tree)
    const unchanged = main !== null && tree !== null && sameFiles(tree, files.oids)
    const isSame = unchanged && (live === null || (await hasSameTags(repository, live)))
    const isStill = isSame && live !== null && !hasCopies(live)
    if (isStill && state.live?.commit === main && state.live.builder === builder)
      return this.#liveAgain(run, state.live.id, { builder })
    // After a restart the files that are live are built once more: that is no deploy of theirs.
    await run.charge.decide(!isSame || state.live?.commit !== main)
    const abort = new AbortController()
    // Building needs the files’ ids and contents, not the commit: it need not wait until that is durable.
    const building = this.#build({ run, target }, files, {
      ...settings,
      earlier: [live],
      signal: abort.signal,
      // What is sent is committed now; what was there before, git tells.
      lastChanges: timesOf(live, files.oids, { repository, commit: main, at: run.createdAt }),
    })
    // Awaited below or by the pipeline, but not when the commit is refused first: a rejection must not go unhandled.
    building.catch(() => undefined)
    try {
      const { commit, tree: root } = unchanged
        ? { commit: main, tree: (await repository.readCommit(main)).tree }
        : await commitFiles(run, target, files)
      const release = { id: run.id, commit, tree: root }
      const published = publishRelease(run, target, building, release)
      return { commit, tree: root, release: release.id, builder, built: building, published }
    } catch (error) {
      abort.abort()
      throw error
    }
  }

  async #ofCommit(content: CommitContent, { run, target, attempt }: Attempt): Promise<Candidate> {
    const { repository, releases, state } = target
    const { type: _type, reuse = [], ...fields } = content
    const { commit } = content
    const [{ tree, parents, committedAt }, settings] = await Promise.all([
      repository.readCommit(commit),
      this.#settings(run.trigger.projectId),
    ])
    const { builder } = settings
    const live = state.live === null ? null : await releases.read(state.live.release)
    const isSame = state.live?.tree === tree && (live === null || (await hasSameTags(repository, live, content.refs)))
    await run.charge.decide(!isSame)
    if (live !== null && isSame && !hasCopies(live) && state.live?.builder === builder)
      return { ...(await this.#liveAgain(run, state.live.id, { builder })), ...fields }
    const earlier = [live, ...(await Promise.all(reuse.map((id) => releases.read(id))))]
    const files = await filesOf(repository, commit)
    // A commit upon the live one has made all that differs; of several, git tells which.
    const isNext = parents.length === 1 && parents[0] === state.live?.commit
    const at = isNext ? committedAt : undefined
    const lastChanges = timesOf(live, files.oids, { repository, commit, at })
    const building = this.#build({ run, target }, files, {
      ...settings,
      earlier,
      lastChanges,
      refs: content.refs ?? [],
    })
    building.catch(() => undefined)
    // Each attempt makes a release of its own: releases never change.
    const release = { id: attempt === 1 ? run.id : `${run.id}-${attempt}`, commit, tree }
    const published = publishRelease(run, target, building, release)
    return { ...fields, tree, release: release.id, builder, built: building, published }
  }

  /** The live release is what these files would build to: nothing is built or written. */
  async #liveAgain(run: DeployRun, liveId: string, { builder }: { readonly builder: string }): Promise<Candidate> {
    const live = await this.#parts.records.find(run.trigger.projectId, liveId)
    if (live?.commit === undefined || live.tree === undefined)
      throw new Error(`the record of live deploy ${liveId} is incomplete`)
    return { ...servedAgain(live), commit: live.commit, tree: live.tree, builder }
  }

  /** Builds the site of the files. Pages of the `earlier` releases are taken over where nothing of them has changed. */
  #build(
    { run, target }: Pick<Attempt, 'run' | 'target'>,
    files: SiteFiles,
    options: BuildSettings & BuildOptions,
  ): Promise<BuildResult> {
    const { repository, releases } = target
    const { url, title, onError, earlier, signal, lastChanges, refs } = options
    const [live = null] = earlier
    return run.stopwatch.time('build', async () =>
      this.#parts.ports.builder.build({
        project: repository.projectId,
        url,
        title,
        source: sourceOf(repository, files, refs),
        ...(await inSlices(reusable(files.oids, earlier), signal)),
        lastChanges,
        refetch: true,
        live: async () => live,
        ...(onError === 'refuse' ? {} : { fallback: async () => [live] }),
        has: (blob) => releases.has(blob),
        blob: (blob) => releases.blob(blob),
        store: (blobs) => releases.store(blobs),
        onProgress: ({ done, total }) => run.progress.pages(done, total),
        signal: endOf(run, signal),
      }),
    )
  }

  /**
   * The builder may be another one after a restart: then unchanged files are built once more, which renders no page.
   */
  async #settings(projectId: string): Promise<BuildSettings> {
    const { canonicalUrl, titleOf, onErrorOf } = this.#parts.ports
    const url = canonicalUrl(projectId)
    const [title, onError] = await Promise.all([titleOf(projectId), onErrorOf(projectId)])
    const digest = createHash('sha256').update(JSON.stringify([thisProcess, url, title, onError]))
    return { url, title, onError, builder: digest.digest('hex').slice(0, 32) }
  }
}

/**
 * Serves the release of an earlier deploy without a build. Main gets a new commit with that deploy’s files, so that main
 * stays what is live and nothing leaves the history.
 */
async function ofEarlier(earlier: StoredDeploy, { run, target }: Attempt): Promise<Candidate> {
  const { tree, release, number, builder } = earlier
  if (earlier.status !== 'live' || tree === undefined) {
    throw new Failure('release_gone', `The deploy ${number} never went live: there is nothing to go back to.`)
  }
  if ((await target.releases.read(release)) === null) {
    const state = target.releases.keeps(release) ? 'is damaged' : 'is no longer kept'
    throw new Failure('release_gone', `The release of deploy ${number} ${state}.`, {
      hint: `Its files are still in Git: check out refs/deploys/${number} and deploy them.`,
    })
  }
  const commit = await commitAgain(run, target, { number, tree })
  const known = builder === undefined ? {} : { builder }
  return { ...servedAgain(earlier), commit, tree, rollbackOf: earlier.id, ...known }
}

/** A release that is there already. */
function servedAgain({ release, errors, warnings, pages: { total } }: StoredDeploy) {
  // Of a deploy that is live: what was wrong with pages that it kept.
  const outcome: BuildOutcome = { errors: [], kept: errors, warnings, pages: { total, built: 0, reused: total } }
  return { release, built: Promise.resolve(outcome), published: Promise.resolve() }
}

function commitFiles(
  { trigger, stopwatch }: DeployRun,
  { repository, main }: DeployTarget,
  { files }: ReceivedFiles,
): Promise<{ readonly commit: Oid; readonly tree: Oid }> {
  const { author } = trigger
  const message = trigger.message?.trim() || 'Deploy documentation'
  return stopwatch.time('commit', () => repository.replaceTree({ files, parent: main, author, message }))
}

async function commitAgain(
  { trigger, stopwatch }: DeployRun,
  { repository, main }: DeployTarget,
  { number, tree }: { readonly number: number; readonly tree: Oid },
): Promise<Oid> {
  if (main !== null && (await repository.readCommit(main)).tree === tree) return main
  const parents = main === null ? [] : [main]
  const message = trigger.message?.trim() || `Roll back to deploy ${number}`
  // The very tree: pushed ones also keep what a deploy could not send, such as dotfiles.
  return stopwatch.time('commit', () => repository.commitTree({ tree, parents, author: trigger.author, message }))
}

/** Makes a release of what was built; of a site with errors none. */
async function publishRelease(
  run: DeployRun,
  { releases }: DeployTarget,
  building: Promise<BuildResult>,
  content: { readonly id: string; readonly commit: Oid; readonly tree: Oid },
): Promise<void> {
  const { site: built, errors } = await building
  if (errors.length > 0) return
  if (built === undefined) throw new Error('the builder returned neither a site nor errors')
  const { blobs, ...manifest } = built
  const release: Release = { format: 1, createdAt: run.createdAt, ...content, ...manifest }
  await run.stopwatch.time('release', () => releases.publish(release, blobs))
}
