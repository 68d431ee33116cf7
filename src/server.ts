import cluster, { type Worker } from 'node:cluster'
import { join } from 'node:path'
import type { Order, Word } from './handover.ts'
import { dist } from './lib/paths.ts'
import { hasTerminal } from './lib/processes.ts'

/**
 * `npm start`: the process that stays. It starts the service in another one, keeps the socket that connections come to, and
 * at SIGHUP lets a new service take the place of the one that runs. Whatever else happens to a service happens to it.
 */

/** Milliseconds that a new service may take until it answers. */
const longestStart = 5 * 60_000
/** Milliseconds in which one signal may come twice: from the terminal, and from the program that passes it on. */
const sameSignal = 500

/** The service that answers, and the one that is to take its place. */
class Services {
  readonly #alive = new Set<Worker>()
  #running: Worker
  #isReady = false
  #next: Worker | undefined
  /** The running one has given up the data directory. */
  #hasYielded = false
  /** SIGHUP came amidst a start. */
  #again = false
  #endsSince: number | undefined
  #isOver = (): void => process.exit(1)

  constructor() {
    this.#running = this.#fork()
  }

  /** Lets a new service take over, which answers before the one that runs ends. */
  restart(): void {
    if (this.#endsSince !== undefined) return
    this.#again = this.#next !== undefined || !this.#isReady
    if (this.#again) return tell('a service starts already; another one follows it')
    tell('a new service is started, and takes over when it is ready')
    const next = this.#fork()
    const timer = setTimeout(() => next.process.kill('SIGKILL'), longestStart)
    next.on('message', (word: Word) => word === 'ready' && clearTimeout(timer))
    next.once('exit', () => clearTimeout(timer))
    this.#next = next
  }

  /** Ends all in their own way; asked a second time, at once. */
  end(): void {
    const now = performance.now()
    if (this.#endsSince !== undefined && now - this.#endsSince < sameSignal) return
    const signal = this.#endsSince === undefined ? 'SIGTERM' : 'SIGKILL'
    this.#endsSince ??= now
    this.#next?.process.kill('SIGKILL')
    for (const worker of this.#alive) worker.process.kill(signal)
  }

  #fork(): Worker {
    const worker = cluster.fork()
    this.#alive.add(worker)
    worker.on('message', (word: Word) => this.#hear(worker, word))
    worker.process.on('exit', (code, signal) => this.#left(worker, code, signal))
    return worker
  }

  #hear(worker: Worker, word: Word): void {
    // Where nobody has the directory, at the first start or when its owner has died, it is free.
    if (word === 'loaded' && this.#isReady) order(this.#running, 'yield')
    if (word === 'loaded' && !this.#isReady) order(worker, 'open')
    if (word === 'yielded') this.#open()
    if (word === 'ready') this.#settle(worker)
  }

  #open(): void {
    this.#hasYielded = true
    const next = this.#next
    // It may have ended meanwhile.
    if (next === undefined) return order(this.#running, 'resume')
    order(next, 'open')
  }

  /** One listens: the first, the next, or the one before again. */
  #settle(worker: Worker): void {
    if (worker === this.#next) {
      order(this.#running, 'end')
      this.#running = worker
      this.#next = undefined
      tell('the new service has taken over')
    }
    this.#hasYielded = false
    this.#isReady = true
    if (this.#again) this.restart()
  }

  #left(worker: Worker, code: number | null, signal: NodeJS.Signals | null): void {
    this.#alive.delete(worker)
    if (worker === this.#next) this.#withoutNext(code, signal)
    else if (worker === this.#running) {
      this.#isOver = () => endLike(code, signal)
      this.#isReady = false
      // It starts on what the other one left. Without it nobody is let in: whoever watches is to start anew at once, and
      // not when the one before has answered its last reader.
      if (this.#next !== undefined) order(this.#next, 'open')
      else if (this.#endsSince === undefined) for (const older of this.#alive) older.process.kill('SIGKILL')
    }
    if (this.#alive.size === 0) this.#isOver()
  }

  #withoutNext(code: number | null, signal: NodeJS.Signals | null): void {
    this.#next = undefined
    if (this.#endsSince !== undefined) return
    const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`
    tell(`the new service ${how} before it was ready; the one before goes on`)
    // That one says when it is ready.
    if (this.#hasYielded) order(this.#running, 'resume')
    else if (this.#again) this.restart()
  }
}

function order(worker: Worker, word: Order): void {
  // One that has just ended hears nothing any more.
  if (worker.isConnected()) worker.send(word)
}

/** Beside the log of the services, which is of their own time. */
function tell(what: string): void {
  console.error(`Quire: ${what}.`)
}

/** Whoever watches this process sees what happened to the service. */
function endLike(code: number | null, signal: NodeJS.Signals | null): void {
  if (signal === null) process.exit(code ?? 1)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

const hadTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY

// Services share the socket, and take their connections from it by themselves.
cluster.schedulingPolicy = cluster.SCHED_NONE
cluster.setupPrimary({ exec: join(dist, 'service.js'), args: [] })
const services = new Services()
process.on('SIGTERM', () => services.end())
process.on('SIGINT', () => services.end())
// A terminal that closes says so to what runs in it, as an operator does who wants a restart.
process.on('SIGHUP', () => (hadTerminal && !hasTerminal() ? services.end() : services.restart()))
