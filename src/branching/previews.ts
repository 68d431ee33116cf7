import { branchRef } from '../content/refs/ref-names.ts'
import type { Oid } from '../content/repository.ts'
import type { BranchingPorts } from './ports.ts'
import { buildPreview, type BuiltPreview, type PreviewBuildPorts } from './preview-build.ts'
import type { BranchRecord, Registry } from './registry.ts'
import { newPreviewId, type PreviewBuild } from './state.ts'

/** Milliseconds until the record of a preview that was refused is tried again. */
const recordAgainMs = 10_000

type PreviewPorts = PreviewBuildPorts & Pick<BranchingPorts, 'builds' | 'ownerOf' | 'slugOf' | 'deploys' | 'log'>

/** Told to open pages of a preview. */
export type PreviewEvent =
  | { readonly type: 'release'; readonly release: string }
  | { readonly type: 'failed'; readonly build: PreviewBuild }
  | { readonly type: 'gone' }

export type PreviewListener = (event: PreviewEvent) => void

/** The builds of one branch: one at a time, each of the newest head. */
interface BuildLoop {
  readonly record: BranchRecord
  /** How often a build was requested, and how many of these requests are met: a build meets all that came before it read the head. */
  requested: number
  met: number
  building: boolean
  readonly abort: AbortController
  readonly ended: Promise<void>
}

/**
 * Keeps previews current. Builds of a branch never overlap and each looks at the head when it begins, so ten quick saves
 * end on the last one, and an older result never replaces a newer. A running build is not cut short by a save: the next one takes
 * its pages over, which is sooner done than beginning anew.
 */
export class Previews {
  readonly #ports: PreviewPorts
  readonly #recorder: PreviewRecorder
  readonly #loops = new Map<string, BuildLoop>()
  readonly #listeners = new Map<string, Set<PreviewListener>>()
  #closed = false

  /** @param againMs until the record of a preview that was refused is tried again. */
  constructor(ports: PreviewPorts, registry: Pick<Registry, 'savePreview'>, againMs = recordAgainMs) {
    this.#ports = ports
    this.#recorder = new PreviewRecorder({ registry, log: ports.log, againMs })
  }

  /** Wants the preview of a branch to show its head. */
  request(record: BranchRecord): void {
    if (this.#closed || record.gone) return
    const loop = this.#loops.get(record.id)
    if (loop === undefined) this.#start(record)
    else loop.requested += 1
  }

  /** What is under way for a branch. */
  pending(record: BranchRecord): 'queued' | 'building' | null {
    const loop = this.#loops.get(record.id)
    if (loop === undefined || loop.met === loop.requested) return null
    return loop.building ? 'building' : 'queued'
  }

  /** Waits until nothing is under way for a branch, at most so long. True when that came to pass. */
  async settled(record: BranchRecord, milliseconds: number): Promise<boolean> {
    const loop = this.#loops.get(record.id)
    if (loop === undefined) return true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds)
    })
    try {
      return await Promise.race([loop.ended.then(() => true), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Tells what happens to a preview. Returns how to stop. */
  watch(record: BranchRecord, listener: PreviewListener): () => void {
    const listeners = this.#listeners.get(record.id) ?? new Set()
    listeners.add(listener)
    this.#listeners.set(record.id, listeners)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(record.id) === listeners) this.#listeners.delete(record.id)
    }
  }

  /** The branch is gone. */
  drop(record: BranchRecord): void {
    this.#loops.get(record.id)?.abort.abort()
    this.#tell(record, { type: 'gone' })
    this.#ports.deploys.collectSoon(record.projectId)
  }

  /** Settles when nothing of these branches is being built any more. */
  async idle(records: readonly BranchRecord[]): Promise<void> {
    for (const { id } of records) await this.#loops.get(id)?.ended
  }

  /** Cuts off what runs: the next start builds it. */
  async close(): Promise<void> {
    this.#closed = true
    this.#recorder.close()
    const loops = [...this.#loops.values()]
    for (const loop of loops) loop.abort.abort()
    await Promise.all(loops.map((loop) => loop.ended))
  }

  #start(record: BranchRecord): void {
    const abort = new AbortController()
    let ended: () => void = () => undefined
    const loop: BuildLoop = {
      record,
      requested: 1,
      met: 0,
      building: false,
      abort,
      ended: new Promise((resolve) => (ended = resolve)),
    }
    this.#loops.set(record.id, loop)
    void this.#run(loop).finally(ended)
  }

  async #run(loop: BuildLoop): Promise<void> {
    const { record, abort } = loop
    const { builds, ownerOf } = this.#ports
    while (loop.met < loop.requested && !abort.signal.aborted) {
      try {
        await builds.run(ownerOf(record.projectId), () => this.#build(loop), abort.signal)
      } catch (error) {
        // It was still waiting for its turn.
        if (!abort.signal.aborted) throw error
      }
    }
    // In the same tick as the last comparison, so that no request falls in between.
    this.#loops.delete(record.id)
  }

  async #build(loop: BuildLoop): Promise<void> {
    const { record, requested } = loop
    loop.building = true
    const built = await this.#attempt(record, loop.abort.signal)
    loop.building = false
    loop.met = requested
    if (built === null || record.gone) return
    record.build = built.build
    if (built.served !== undefined) record.served = built.served
    this.#log(record, built.build)
    this.#tell(
      record,
      built.served === undefined
        ? { type: 'failed', build: built.build }
        : { type: 'release', release: built.served.release },
    )
    await this.#recorder.save(record)
    this.#ports.deploys.collectSoon(record.projectId)
  }

  #log({ projectId, id, name }: BranchRecord, { status, commit, pages, counts, durationMs }: PreviewBuild): void {
    const { log, slugOf } = this.#ports
    const of = { projectId, slug: slugOf(projectId), branchId: id, branch: name, commit }
    log.info({ ...of, status, pages, ...counts, ms: durationMs }, 'preview')
  }

  /** Null when there is nothing new to show. */
  async #attempt(record: BranchRecord, signal: AbortSignal): Promise<BuiltPreview | null> {
    let commit: Oid | null = null
    try {
      signal.throwIfAborted()
      commit = await (await this.#ports.repositories.open(record.projectId)).resolveRef(branchRef(record.name))
      if (commit === null || (await this.#shows(record, commit))) return null
      return await buildPreview(this.#ports, record, commit, signal)
    } catch (error) {
      if (signal.aborted) return null
      this.#ports.log.error({ err: error, projectId: record.projectId, branch: record.name }, 'a preview broke off')
      return commit === null ? null : { build: brokenOff(commit, this.#ports.now()) }
    }
  }

  async #shows({ projectId, build, served }: BranchRecord, commit: Oid): Promise<boolean> {
    if (build?.status !== 'live' || build.commit !== commit || served === undefined) return false
    return (await this.#ports.hosting.open(projectId)).keeps(served.release)
  }

  #tell(record: BranchRecord, event: PreviewEvent): void {
    for (const listener of this.#listeners.get(record.id) ?? []) listener(event)
  }
}

function brokenOff(commit: Oid, now: Date): PreviewBuild {
  const at = now.toISOString()
  return {
    id: newPreviewId(now),
    status: 'failed',
    commit,
    pages: { total: 0, built: 0, reused: 0 },
    errors: [{ message: 'The service made a mistake. Save again, and the preview is built once more.' }],
    warnings: [],
    counts: { errors: 1, warnings: 0 },
    durationMs: 0,
    createdAt: at,
    finishedAt: at,
  }
}

interface PreviewRecorderOptions {
  readonly registry: Pick<Registry, 'savePreview'>
  readonly log: Pick<BranchingPorts['log'], 'warn'>
  readonly againMs: number
}

/**
 * Writes down what previews show. A preview is shown whatever the disk and the outbox say; what they refuse is written
 * when they take it, and not at all when the service ends before: the next start builds it once more.
 */
class PreviewRecorder {
  readonly #options: PreviewRecorderOptions
  readonly #unrecorded = new Set<BranchRecord>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: PreviewRecorderOptions) {
    this.#options = options
  }

  /** Settles when it is durable, or put off. */
  async save(record: BranchRecord): Promise<void> {
    const { registry, log } = this.#options
    try {
      await registry.savePreview(record)
      this.#unrecorded.delete(record)
    } catch (error) {
      log.warn({ err: error, projectId: record.projectId, branch: record.name }, 'a preview could not be recorded yet')
      this.#unrecorded.add(record)
      this.#arm()
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #arm(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.#again(), this.#options.againMs)
    this.#timer.unref()
  }

  async #again(): Promise<void> {
    for (const record of Array.from(this.#unrecorded)) {
      this.#unrecorded.delete(record)
      if (!record.gone && !this.#closed) await this.save(record)
    }
  }
}
