import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { dist } from './paths.ts'
import { lowerPriority } from './priority.ts'
import { usageOf } from './process-usage.ts'

/** Milliseconds after which a child ends that nobody needs. */
const idleMs = 20_000

interface IdleChildOptions {
  /** Name of the program in `dist`. */
  readonly program: string
  /** Megabytes of its heap. */
  readonly heap: number
  /** Megabytes of all its memory, which also holds what is no JavaScript; looked at where there is /proc. */
  readonly memory: number
  /** Milliseconds for one answer. */
  readonly patienceMs: number
  /** All of its environment: nothing of the service’s settings. */
  readonly env?: Readonly<Record<string, string>>
}

/** Milliseconds between two looks at the memory of a child at work. */
const lookMs = 50

const endings = {
  ended: 'ended before its answer',
  late: 'took too long to answer',
  large: 'took more memory than it may',
} as const

/** The child has not answered. */
export class ChildLost extends Error {
  override readonly name = 'ChildLost'
  readonly why: 'ended' | 'late' | 'large'

  constructor(program: string, why: ChildLost['why']) {
    super(`${program} ${endings[why]}`)
    this.why = why
  }
}

/**
 * A child of low priority that answers one question after the other. It begins when one comes, and is ended when it takes
 * too long or too much memory, when its answer is of no use, and when nobody has asked for a while.
 */
export class IdleChild<Question extends object> {
  readonly #options: IdleChildOptions
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(options: IdleChildOptions) {
    this.#options = options
  }

  /**
   * One question at a time.
   * @param read what of an answer is used; throws where it is of no use
   * @throws ChildLost
   */
  async ask<Answer>(question: Question, read: (reply: unknown) => Answer): Promise<Answer> {
    clearTimeout(this.#idle)
    if (this.#child?.connected !== true) this.#child = this.#start()
    try {
      return read(await this.#reply(this.#child, question))
    } catch (error) {
      this.end()
      throw error
    } finally {
      this.#idle = setTimeout(() => this.end(), idleMs).unref()
    }
  }

  end(): void {
    clearTimeout(this.#idle)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  #start(): ChildProcess {
    const { program, heap, env = {} } = this.#options
    const child = fork(join(dist, program), [], {
      env,
      execArgv: [`--max-old-space-size=${heap}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('error', () => undefined)
    if (child.pid !== undefined) lowerPriority(child.pid)
    child.unref()
    child.channel?.unref()
    return child
  }

  #reply(child: ChildProcess, question: Question): Promise<unknown> {
    const { program, patienceMs, memory } = this.#options
    return new Promise((resolve, reject) => {
      const done = (act: () => void): void => {
        clearTimeout(timer)
        clearInterval(looking)
        child.off('message', answered).off('exit', ended)
        act()
      }
      const answered = (reply: unknown): void => done(() => resolve(reply))
      const ended = (): void => done(() => reject(new ChildLost(program, 'ended')))
      const timer = setTimeout(() => done(() => reject(new ChildLost(program, 'late'))), patienceMs)
      const looking = setInterval(() => {
        const used = child.pid === undefined ? 0 : (usageOf(child.pid)?.rssBytes ?? 0)
        if (used > memory * 2 ** 20) done(() => reject(new ChildLost(program, 'large')))
      }, lookMs)
      child.on('message', answered).on('exit', ended)
      child.send(question, (error) => {
        if (error !== null) done(() => reject(error))
      })
    })
  }
}
