import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '#contract/failure.ts'
import type { FailpointName } from '#deploying/ports.ts'
import { startService, type ServiceProcess } from './service-process.ts'
import { removeDirectory } from './temporary.ts'

/**
 * A service that is killed at one step after the other, each time in another project. What ran after one kill is what
 * runs before the next: a start is most of what such a test costs.
 */
export class FailingService {
  readonly directory: string
  readonly port: number
  readonly #settings: Readonly<Record<string, string>>
  #process: ServiceProcess

  private constructor(directory: string, settings: Readonly<Record<string, string>>, process: ServiceProcess) {
    this.directory = directory
    this.port = process.port
    this.#settings = settings
    this.#process = process
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<FailingService> {
    const directory = await mkdtemp(join(tmpdir(), 'quire-failing-'))
    return new FailingService(directory, settings, await startService(directory, settings))
  }

  get url(): string {
    return this.#process.url
  }

  /**
   * Starts it such that it kills itself at a step, does what leads there, and starts it again. Work gets no answer.
   *
   * @param left does what the killed process might have done further.
   */
  async killAt(failpoint: FailpointName, work: () => Promise<unknown>, left?: () => void): Promise<void> {
    await this.#process.stop()
    this.#process = await startService(this.directory, { ...this.#settings, QUIRE_FAILPOINT: failpoint }, this.port)
    const ended = once(this.#process.child, 'exit')
    const answered = await work().then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Failure) || error.code !== 'unavailable') throw error
        return false
      },
    )
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
    if (answered || signal !== 'SIGKILL')
      throw new Error(`at ${failpoint} it ${answered ? 'answered' : 'did not die'} (${code})`)
    left?.()
    this.#process = await startService(this.directory, this.#settings, this.port)
  }

  async close(): Promise<void> {
    await this.#process.stop()
    await removeDirectory(this.directory)
  }
}
