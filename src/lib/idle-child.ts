import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { dist } from './paths.ts'
import { lowerPriority } from './priority.ts'

/** Milliseconds after which a child ends that nobody needs. */
const idleMs = 20_000

interface IdleChildOptions {
  /** Name of the program in `dist`. */
  readonly program: string
  /** Megabytes of its heap. */
  readonly heap: number
  /** Milliseconds for one answer. */
  readonly patienceMs: number
  /** All of its environment: nothing of the service’s settings. */
  readonly env?: Readonly<Record<string, string>>
}

/** The child has not answered. */
export class ChildLost extends Error {
  override readonly name = 'ChildLost'
  readonly why: 'ended' | 'late'

  constructor(program: string, why: 'ended' | 'late') {
    super(why === 'ended' ? `${program} ended before its answer` : `${program} took too long to answer`)
    this.why = why
  }
}

/**
 * A child of low priority that answers one question after the other. It begins when one comes, and is ended when it takes
 * too long, when its answer is of no use, and when nobody has asked for a while.
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
    const { program, patienceMs } = this.#options
    return new Promise((resolve, reject) => {
      const done = (act: () => void): void => {
        clearTimeout(timer)
        child.off('message', answered).off('exit', ended)
        act()
      }
      const answered = (reply: unknown): void => done(() => resolve(reply))
      const ended = (): void => done(() => reject(new ChildLost(program, 'ended')))
      const timer = setTimeout(() => done(() => reject(new ChildLost(program, 'late'))), patienceMs)
      child.on('message', answered).on('exit', ended)
      child.send(question, (error) => {
        if (error !== null) done(() => reject(error))
      })
    })
  }
}
