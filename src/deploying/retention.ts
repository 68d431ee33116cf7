import pLimit from 'p-limit'
import type { DeployingPorts } from './ports.ts'
import type { DeployRecords } from './records.ts'
import type { DeployReports } from './reports.ts'
import { liveReleases } from './state.ts'

/** Deploys in quick succession are cleaned up after once. */
const delayMs = 5_000
/** Previews change with every save: what they leave is dropped for many of them together. */
const previewDelayMs = 10 * 60_000

interface RetentionParts {
  readonly ports: Pick<DeployingPorts, 'hosting' | 'previews' | 'log' | 'now'>
  readonly records: Pick<DeployRecords, 'state'>
  readonly reports: Pick<DeployReports, 'prune'>
}

/** Cleans up behind deploys, in the background, one project at a time. */
export class Retention {
  readonly #parts: RetentionParts
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #one = pLimit(1)
  #closed = false

  constructor(parts: RetentionParts) {
    this.#parts = parts
  }

  /** After a deploy. */
  schedule(projectId: string): void {
    if (this.#closed || this.#timers.has(projectId)) return
    this.#start(projectId, delayMs, () => this.#run(projectId))
  }

  /** After a change of previews. */
  scheduleCollection(projectId: string): void {
    if (this.#closed || this.#timers.has(`${projectId} previews`)) return
    this.#start(`${projectId} previews`, previewDelayMs, () =>
      this.#logFailure(projectId, () => this.collect(projectId)),
    )
  }

  /** Forgets what is planned and waits for what runs. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    await this.#one(() => undefined)
  }

  #start(key: string, delay: number, run: () => Promise<void>): void {
    const timer = setTimeout(() => {
      this.#timers.delete(key)
      void this.#one(run)
    }, delay)
    timer.unref()
    this.#timers.set(key, timer)
  }

  #run(projectId: string): Promise<void> {
    const { records, reports } = this.#parts
    return this.#logFailure(projectId, async () => {
      await this.collect(projectId)
      const kept = liveReleases(await records.state(projectId)).map(({ deploy }) => deploy)
      await reports.prune(projectId, new Set(kept))
    })
  }

  async #logFailure(projectId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // The project may be gone by now; else the next deploy tries again.
      this.#parts.ports.log.warn({ err: error, projectId }, 'cleaning up behind a deploy failed')
    }
  }

  /** Drops the releases that no rollback can reach any more; returns how many, and the bytes that this freed. */
  async collect(projectId: string): Promise<{ readonly releases: number; readonly bytes: number }> {
    const { ports, records } = this.#parts
    const state = await records.state(projectId)
    const building = state.deploys.filter((deploy) => deploy.status === 'building')
    const keep = new Set([...liveReleases(state), ...building].map((deploy) => deploy.release))
    if (state.live !== null) keep.add(state.live.release)
    for (const release of await ports.previews.releases(projectId)) keep.add(release)
    return (await ports.hosting.open(projectId)).collect(keep, ports.now())
  }
}
