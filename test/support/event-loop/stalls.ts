import { existsSync, readFileSync, rmSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../../src/lib/paths.ts'

/** A time for which a service's event loop did nothing else. */
export interface Stall {
  /** Milliseconds of the main thread's own processor time. */
  readonly ms: number
  readonly wallMs: number
  /** Method and address of the requests that were under way, or had just ended. */
  readonly requests: readonly string[]
}

/**
 * No request may hold the event loop for more than 50 ms. A figure has up to 14 ms of the turn before it, code that runs
 * for the first time is compiled, and the processors of a shared machine differ by a third: from here on it is a breach.
 */
export const breachMs = 100

const script = pathToFileURL(join(root, 'test', 'support', 'event-loop', 'watch.mjs'))
const watched: EventLoopWatch[] = []

/** Watches the event loop of a service in a process of its own. */
export class EventLoopWatch {
  /** For node, before the program. */
  readonly arguments: readonly string[]
  readonly #report = join(tmpdir(), `quire-event-loop-${randomUUID()}`)
  #ended: string | undefined

  constructor() {
    const url = new URL(script)
    url.searchParams.set('report', this.#report)
    this.arguments = ['--import', url.href]
    watched.push(this)
  }

  /** Leaves no file behind when the process is gone. */
  follow(child: ChildProcess): void {
    child.once('exit', () => {
      this.#ended = this.#read()
      rmSync(this.#report, { force: true })
    })
  }

  /** All so far, from 25 ms on, in their order. */
  stalls(): readonly Stall[] {
    const lines = (this.#ended ?? this.#read()).split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Stall)
  }

  #read(): string {
    return existsSync(this.#report) ? readFileSync(this.#report, 'utf8') : ''
  }
}

/** The breaches of all services that were started since it was asked last. */
export function takeBreaches(): Stall[] {
  return watched.splice(0).flatMap((watch) => watch.stalls().filter(({ ms }) => ms > breachMs))
}
