import { setTimeout as sleep } from 'node:timers/promises'
import { tellCrash } from './crash.ts'

/** Why the UI ends without being asked to. */
export type Ending =
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** The terminal was closed, or the connection to it broke. */
  | { readonly kind: 'hangup' }
  | { readonly kind: 'crash'; readonly error: unknown }

/**
 * Called when the terminal has been restored, and a crash told: makes durable what is not. The process ends when it
 * resolves, or after two seconds.
 */
export type Leave = (ending: Ending) => void | Promise<void>

interface Hooks {
  readonly leave: Leave
  /** Where a crash leaves its log. */
  readonly stateDirectory: string
  /** Gives the terminal back as it was; must not throw. */
  readonly release: () => void
  /** Takes it, in whatever state it is. */
  readonly take: () => void
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const patienceMs = 2000
const lateMs = 10

/** While the UI has the terminal, whatever ends the process restores it first. */
export class Signals {
  readonly #hooks: Hooks
  #isEnding = false
  #others: (readonly [signal: NodeJS.Signals, listener: NodeJS.SignalsListener])[] = []
  /** Another program has the terminal: its interrupt is not ours. */
  #isLent = false

  constructor(hooks: Hooks) {
    this.#hooks = hooks
  }

  start(): void {
    // Those of the command line, which end the process at once.
    for (const signal of endings)
      for (const listener of process.listeners(signal)) {
        this.#others.push([signal, listener])
        process.off(signal, listener)
      }
    for (const signal of endings) process.on(signal, this.#ended)
    process.on('SIGTSTP', this.#suspended).on('SIGCONT', this.#continued)
    process
      .on('uncaughtException', this.#crashed)
      .on('unhandledRejection', this.#crashed)
      .on('exit', this.#hooks.release)
  }

  stop(): void {
    for (const signal of endings) process.off(signal, this.#ended)
    process.off('SIGTSTP', this.#suspended).off('SIGCONT', this.#continued)
    process.off('uncaughtException', this.#crashed).off('unhandledRejection', this.#crashed)
    process.off('exit', this.#hooks.release)
    for (const [signal, listener] of this.#others) process.on(signal, listener)
    this.#others = []
  }

  /** While another program has the terminal. */
  async lent<T>(work: () => Promise<T>): Promise<T> {
    this.#isLent = true
    try {
      return await work()
    } finally {
      // The key that ended it told us as well, perhaps later than its end did.
      await sleep(lateMs)
      this.#isLent = false
    }
  }

  hangUp(): void {
    this.#end({ kind: 'hangup' }, () => endBy('SIGHUP'), 'SIGHUP')
  }

  readonly #ended = (signal: NodeJS.Signals): void => {
    if (this.#isLent && (signal === 'SIGINT' || signal === 'SIGQUIT')) return
    this.#end({ kind: 'signal', signal }, () => endBy(signal), signal)
  }

  readonly #crashed = (error: unknown): void => this.#end({ kind: 'crash', error }, () => process.exit(1), 'SIGTERM')

  /** @param signal ends it where the disk hangs: `process.exit` would wait for that */
  #end(ending: Ending, end: () => void, signal: NodeJS.Signals): void {
    this.#hooks.release()
    if (this.#isEnding) return
    this.#isEnding = true
    if (ending.kind === 'crash') tellCrash(this.#hooks.stateDirectory, ending.error)
    setTimeout(() => endBy(signal), patienceMs)
    // What goes wrong in the end is not told: the reason stands.
    void Promise.resolve()
      .then(() => this.#hooks.leave(ending))
      .then(end, end)
  }

  readonly #suspended = (): void => {
    if (!this.#isLent) this.#hooks.release()
    process.kill(process.pid, 'SIGSTOP')
  }

  readonly #continued = (): void => {
    if (!this.#isLent && !this.#isEnding) this.#hooks.take()
  }
}

/**
 * Ends as if nobody had heard the signal: the shell is told which one it was. `process.exit` would want to set the
 * terminal once more, and abort where that has gone.
 */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
