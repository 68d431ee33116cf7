import pLimit from 'p-limit'
import { branchRef } from '../content/refs/ref-names.ts'
import type { Oid } from '../content/repository.ts'
import type { BranchingPorts } from './ports.ts'
import { buildPreview, type BuiltPreview } from './preview-build.ts'
import { PreviewRecorder } from './preview-recorder.ts'
import type { Entry, Registry } from './registry.ts'
import { newPreviewId, type PreviewBuild } from './state.ts'

/** Builds of previews at a time; deploys are not counted. */
const concurrency = 2

/** Told to open pages of a preview. */
export type PreviewEvent =
  | { readonly type: 'release'; readonly release: string }
  | { readonly type: 'failed'; readonly build: PreviewBuild }
  | { readonly type: 'gone' }

export type PreviewListener = (event: PreviewEvent) => void

/** The builds of one branch: one at a time, each of the newest head. */
interface Line {
  readonly entry: Entry
  /** How often the branch has moved: a build answers all wishes that came before it looked at the head. */
  wanted: number
  answered: number
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
  readonly #ports: BranchingPorts
  readonly #recorder: PreviewRecorder
  readonly #lines = new Map<string, Line>()
  readonly #listeners = new Map<string, Set<PreviewListener>>()
  readonly #slots = pLimit(concurrency)
  #closed = false

  constructor(ports: BranchingPorts, registry: Registry) {
    this.#ports = ports
    this.#recorder = new PreviewRecorder({ registry, log: ports.log })
  }

  /** Wants the preview of a branch to show its head. */
  request(entry: Entry): void {
    if (this.#closed || entry.gone) return
    const line = this.#lines.get(entry.id)
    if (line === undefined) this.#start(entry)
    else line.wanted += 1
  }

  /** What is under way for a branch. */
  pending(entry: Entry): 'queued' | 'building' | null {
    const line = this.#lines.get(entry.id)
    if (line === undefined || line.answered === line.wanted) return null
    return line.building ? 'building' : 'queued'
  }

  /** Waits until nothing is under way for a branch, at most so long. True when that came to pass. */
  async settled(entry: Entry, milliseconds: number): Promise<boolean> {
    const line = this.#lines.get(entry.id)
    if (line === undefined) return true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds)
    })
    try {
      return await Promise.race([line.ended.then(() => true), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Tells what happens to a preview. Returns how to stop. */
  watch(entry: Entry, listener: PreviewListener): () => void {
    const listeners = this.#listeners.get(entry.id) ?? new Set()
    listeners.add(listener)
    this.#listeners.set(entry.id, listeners)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(entry.id) === listeners) this.#listeners.delete(entry.id)
    }
  }

  /** The branch is gone. */
  drop(entry: Entry): void {
    this.#lines.get(entry.id)?.abort.abort()
    this.#tell(entry, { type: 'gone' })
    this.#ports.deploys.collectSoon(entry.slug)
  }

  /** Settles when nothing of these branches is being built any more. */
  async idle(entries: readonly Entry[]): Promise<void> {
    for (const { id } of entries) await this.#lines.get(id)?.ended
  }

  /** Cuts off what runs: the next start builds it. */
  async close(): Promise<void> {
    this.#closed = true
    this.#recorder.close()
    const lines = [...this.#lines.values()]
    for (const line of lines) line.abort.abort()
    await Promise.all(lines.map((line) => line.ended))
  }

  #start(entry: Entry): void {
    const abort = new AbortController()
    let ended: () => void = () => undefined
    const line: Line = {
      entry,
      wanted: 1,
      answered: 0,
      building: false,
      abort,
      ended: new Promise((resolve) => (ended = resolve)),
    }
    this.#lines.set(entry.id, line)
    void this.#run(line).finally(ended)
  }

  async #run(line: Line): Promise<void> {
    const { entry, abort } = line
    while (line.answered < line.wanted && !abort.signal.aborted) await this.#slots(() => this.#build(line))
    // In the same tick as the last look at what is wanted: nobody's wish falls in between.
    this.#lines.delete(entry.id)
  }

  async #build(line: Line): Promise<void> {
    const { entry, wanted } = line
    line.building = true
    const built = await this.#attempt(entry, line.abort.signal)
    line.building = false
    line.answered = wanted
    if (built === null || entry.gone) return
    entry.build = built.build
    if (built.served !== undefined) entry.served = built.served
    this.#tell(
      entry,
      built.served === undefined
        ? { type: 'failed', build: built.build }
        : { type: 'release', release: built.served.release },
    )
    await this.#recorder.save(entry)
    this.#ports.deploys.collectSoon(entry.slug)
  }

  /** Null when there is nothing new to show. */
  async #attempt(entry: Entry, signal: AbortSignal): Promise<BuiltPreview | null> {
    let commit: Oid | null = null
    try {
      signal.throwIfAborted()
      commit = await (await this.#ports.repositories.open(entry.slug)).resolveRef(branchRef(entry.name))
      if (commit === null || (await this.#shows(entry, commit))) return null
      return await buildPreview(this.#ports, entry, commit, signal)
    } catch (error) {
      if (signal.aborted) return null
      this.#ports.log.error({ err: error, slug: entry.slug, branch: entry.name }, 'a preview broke off')
      return commit === null ? null : { build: brokenOff(commit, this.#ports.now()) }
    }
  }

  async #shows({ slug, build, served }: Entry, commit: Oid): Promise<boolean> {
    if (build?.status !== 'live' || build.commit !== commit || served === undefined) return false
    return (await this.#ports.hosting.open(slug)).keeps(served.release)
  }

  #tell(entry: Entry, event: PreviewEvent): void {
    for (const listener of this.#listeners.get(entry.id) ?? []) listener(event)
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
