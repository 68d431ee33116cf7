import { existsSync, readFileSync, rmSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { execFileSync, type ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '#lib/paths.ts'
import { watchEventLoop } from './watch.mjs'

/** A time for which a service's event loop did nothing else. */
export interface Stall {
  /** Milliseconds of the main thread's own processor time, without what the collector of garbage took. */
  readonly ms: number
  /** Milliseconds of the same that the collector took, about. */
  readonly collectorMs: number
  readonly wallMs: number
  /** Method and address of the requests that were under way, or had just ended. */
  readonly requests: readonly string[]
}

/**
 * No request may hold the event loop for more than 50 ms. A figure has up to 14 ms of the turn before it, and code that
 * runs for the first time is compiled: from here on it is a breach.
 */
const breachMs = 75

/**
 * The rule is about code that runs over what a tenant sent. What the collector takes follows what is alive in the heap,
 * in steps of its own, and comes to whoever happens to be running: it is told apart, and has a bound of its own.
 */
const collectorBreachMs = 100

/** Milliseconds of processor time in which the machine that the rule is for starts Node. */
const usualStartMs = 24

/**
 * From how many times slower on a machine moves the bounds: there the same work takes longer, whoever wrote it. Up to it
 * they hold as they are; three quarters of what the rule allows are a breach on any machine that is slower than this.
 */
const toleratedSlowness = 2

/** How many times longer than usual this machine takes to start Node now: the median of five. */
function slowness(): number {
  const script = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'
  const starts = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, ['-e', script])))
  return (starts.toSorted((a, b) => a - b)[2] ?? usualStartMs) / usualStartMs
}

/** Those for which nobody may wait so long. The machine is measured once, and only where something looks like one. */
export function breachesAmong(stalls: readonly Stall[]): Stall[] {
  const timesOver = ({ ms, collectorMs }: Stall): number => Math.max(ms / breachMs, collectorMs / collectorBreachMs)
  const long = stalls.filter((stall) => timesOver(stall) > 1)
  if (long.length === 0) return []
  const most = slowness() / toleratedSlowness
  return long.filter((stall) => timesOver(stall) > most)
}

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

const own: Stall[] = []
let tellRest: (() => void) | undefined

/** Watches this process from now on while it answers requests: a service that runs in it. */
export function watchOwnEventLoop(): void {
  tellRest ??= watchEventLoop((stall) => own.push(stall), { onlyRequests: true })
}

/** All of that which `takeBreaches` has not taken. */
export function ownStalls(): readonly Stall[] {
  tellRest?.()
  return own
}

/** The breaches of all services that were started since it was asked last. */
export function takeBreaches(): Stall[] {
  tellRest?.()
  const others = watched.splice(0).flatMap((watch) => watch.stalls())
  return breachesAmong([...others, ...own.splice(0)])
}
