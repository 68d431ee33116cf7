import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService, type ServiceProcess } from '#test/support/service-process.ts'

export interface Killing {
  readonly kills: number
  /** Milliseconds of life between a start and its kill. */
  readonly life: () => number
  /** `performance.now()` after which nobody is killed any more. */
  readonly until: number
  /** What a life is for has come about: a slow machine gets longer lives, else nothing would be at work to be killed. */
  readonly worked?: () => boolean
  readonly onKill: (kills: number) => void
}

/** Milliseconds of a life in which nothing comes about. */
const longestIdle = 30_000

/** A service on one data directory and one port that is killed and started again and again. */
export class KilledService {
  readonly #directory: string
  readonly #settings: Record<string, string>
  #service: ServiceProcess | undefined
  #port: number | undefined
  #kills = 0
  /** Milliseconds from the start of a process to its first answer. */
  readonly starts: number[] = []
  /** Mistakes that it logged: `level` error and fatal. */
  readonly mistakes: string[] = []

  constructor(directory: string, settings: Record<string, string>) {
    this.#directory = directory
    this.#settings = settings
  }

  get kills(): number {
    return this.#kills
  }

  get running(): ServiceProcess {
    if (this.#service === undefined) throw new Error('the service does not run')
    return this.#service
  }

  async start(): Promise<void> {
    const began = performance.now()
    this.#service = await startService(this.#directory, this.#settings, this.#port)
    this.starts.push(performance.now() - began)
    this.#port = this.#service.port
  }

  async kill(): Promise<void> {
    await this.running.kill()
    this.#learn()
    this.#kills++
  }

  async stop(): Promise<void> {
    await this.#service?.stop()
    this.#learn()
    this.#service = undefined
  }

  /** Kills and starts until it was killed so often, or until time is up. */
  async killAgainAndAgain({ kills, life, until, worked = () => true, onKill }: Killing): Promise<void> {
    while (this.#kills < kills && performance.now() < until) {
      const latest = performance.now() + longestIdle
      await sleep(life())
      while (!worked() && performance.now() < latest) await sleep(20)
      await this.kill()
      onKill(this.#kills)
      await this.start()
    }
  }

  #learn(): void {
    for (const line of this.#service?.log().split('\n') ?? [])
      if (/"level":(?:50|60)\b/.test(line) || /^(?:\S*Error|fatal):/i.test(line))
        this.mistakes.push(line.slice(0, 2000))
  }
}

/** Counts the collections of garbage in a repository by the file that each holds while it runs. */
export function watchCollections(repository: string): { count(): number; stop(): void } {
  const seen = new Set<string>()
  const look = (): void => {
    const file = `${repository}/gc.pid`
    try {
      if (existsSync(file)) seen.add(readFileSync(file, 'utf8'))
    } catch (error) {
      // It ended between the two calls.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  const timer = setInterval(look, 20)
  return { count: () => seen.size, stop: () => clearInterval(timer) }
}
