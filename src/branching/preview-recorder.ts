import type { BranchingPorts } from './ports.ts'
import type { Entry, Registry } from './registry.ts'

const defaultAgainMs = 10_000

export interface PreviewRecorderOptions {
  readonly registry: Pick<Registry, 'savePreview'>
  readonly log: Pick<BranchingPorts['log'], 'warn'>
  /** Milliseconds until what was refused is tried again. */
  readonly againMs?: number
}

/**
 * Writes down what previews show. A preview is shown whatever the disk and the outbox say; what they refuse is written
 * when they take it, and not at all when the service ends before: the next start builds it once more.
 */
export class PreviewRecorder {
  readonly #options: PreviewRecorderOptions
  readonly #unrecorded = new Set<Entry>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: PreviewRecorderOptions) {
    this.#options = options
  }

  /** Settles when it is durable, or put off. */
  async save(entry: Entry): Promise<void> {
    const { registry, log } = this.#options
    try {
      await registry.savePreview(entry)
      this.#unrecorded.delete(entry)
    } catch (error) {
      log.warn({ err: error, slug: entry.slug, branch: entry.name }, 'a preview could not be recorded yet')
      this.#unrecorded.add(entry)
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
    this.#timer = setTimeout(() => void this.#again(), this.#options.againMs ?? defaultAgainMs)
    this.#timer.unref()
  }

  async #again(): Promise<void> {
    for (const entry of Array.from(this.#unrecorded)) {
      this.#unrecorded.delete(entry)
      if (!entry.gone && !this.#closed) await this.save(entry)
    }
  }
}
