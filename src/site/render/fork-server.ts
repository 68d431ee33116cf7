/**
 * The fork server: has the renderer loaded and warm, never reads a project’s text, and forks a child for each who asks.
 * A child is as warm as the server at that moment, and knows nothing of any project.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { dist } from '../../lib/paths.ts'
import { childrenCpuMs } from '../../lib/process-usage.ts'
import { RenderChild } from './child.ts'
import { Confinement } from './confinement.ts'
import { childCpuSeconds, childProtections, ownMountsArgument, type ChildProtection } from './isolation.ts'
import { LibC } from './libc.ts'
import type { FromForkServer, ToForkServer } from './protocol.ts'
import { warmUp } from './warmup.ts'

/** A server that nobody has asked for so long warms up: that costs nobody anything. */
const restMs = 5000

/** Serves until the process that started it is gone. */
export async function serve(): Promise<void> {
  const steps = warmUp()
  await steps.next()
  const server = new ForkServer(steps, prepareForking())
  process.on('message', (message: ToForkServer) => server.receive(message))
  process.on('disconnect', () => server.end())
  server.ready()
  await server.warmWhileResting()
}

/** Runs what most pages run, so that its code is compiled: see `start.ts`. */
export async function compileAhead(): Promise<void> {
  const steps = warmUp()
  while ((await steps.next()).done !== true);
}

/** What a server forks with. */
interface Forking {
  readonly libc: LibC
  readonly confinement: Confinement
  /** What a child that was tried held; every other has to. */
  readonly holds: ReadonlySet<ChildProtection>
}

/** Undefined where no child can be forked: on another system than Linux, or with a Node that does not bear it. */
function prepareForking(): Forking | undefined {
  try {
    const libc = new LibC()
    const confinement = new Confinement(libc, process.argv.includes(ownMountsArgument))
    const holds = tryChild(libc, confinement)
    return holds === undefined ? undefined : { libc, confinement, holds }
  } catch {
    return undefined
  }
}

const hasComputed = 1 << childProtections.length

/** Forks a child that computes and tries what is closed to it. @returns what held; undefined where it did not come through */
function tryChild(libc: LibC, confinement: Confinement): ReadonlySet<ChildProtection> | undefined {
  const pid = libc.fork()
  if (pid === 0) {
    // A lock that another thread held would keep it for ever.
    libc.endAfter(5)
    const held = confirmed(libc, confinement.enter(1))
    const bits = childProtections.map((name, bit) => (held.has(name) ? 1 << bit : 0))
    const computed = JSON.stringify(Array.from({ length: 10_000 }, (_, number) => ({ number }))).length > 0
    const reads = works(() => closeSync(openSync(join(dist, 'render-child.cjs'), 'r')))
    libc.exit(computed && reads ? bits.reduce((sum, bit) => sum | bit, hasComputed) : 0)
  }
  const code = libc.wait(pid).code ?? 0
  if ((code & hasComputed) === 0) return undefined
  return new Set(childProtections.filter((_, bit) => (code & (1 << bit)) !== 0))
}

/** Of what should hold, what does: believed is only what was tried. */
function confirmed(libc: LibC, held: ReadonlySet<ChildProtection>): ReadonlySet<ChildProtection> {
  const seesFiles = works(() => closeSync(openSync(process.execPath, 'r')))
  const opensSockets = works(() => libc.socketPair())
  const broken = new Set([...(seesFiles ? ['root', 'landlock'] : []), ...(opensSockets ? ['calls'] : [])])
  return new Set([...held].filter((name) => !broken.has(name)))
}

function works(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

class ForkServer {
  readonly #steps: AsyncGenerator<void>
  readonly #forking: Forking | undefined
  /** Forks and steps of the warm-up, one at a time: a fork amid a page would be a child amid that page. */
  #last: Promise<void> = Promise.resolve()
  #isWarm = false
  /** Processor time that warming up has taken, in milliseconds. */
  #warmedMs = 0
  #askedAt = Date.now()
  #taken: () => void = () => undefined

  constructor(steps: AsyncGenerator<void>, forking: Forking | undefined) {
    this.#steps = steps
    this.#forking = forking
  }

  ready(): void {
    send({ type: 'ready', forks: this.#forking !== undefined, holds: [...(this.#forking?.holds ?? [])] })
  }

  receive(message: ToForkServer): void {
    if (message.type === 'taken') this.#taken()
    else if (message.type === 'reap') {
      const { libc } = this.#forking ?? {}
      if (libc !== undefined) send({ type: 'ended', id: message.id, ...libc.wait(message.pid) })
      void this.#warmWhilePaid()
    } else {
      this.#askedAt = Date.now()
      void this.#run(() => this.#fork(message.id).catch((error: unknown) => refuse(message.id, error)))
    }
  }

  end(): never {
    if (this.#forking !== undefined) this.#forking.libc.exit(0)
    process.exit(0)
  }

  async warmWhileResting(): Promise<void> {
    while (!this.#isWarm) {
      const restedMs = Date.now() - this.#askedAt
      await sleep(restedMs < restMs ? restMs - restedMs : 1)
      if (Date.now() - this.#askedAt >= restMs) await this.#run(() => this.#warm())
    }
  }

  /** Warms up as much as children have worked so far: who has little traffic pays little. */
  async #warmWhilePaid(): Promise<void> {
    const paidMs = childrenCpuMs()
    while (!this.#isWarm && this.#warmedMs < paidMs) {
      await this.#run(() => this.#warm())
      // Who asks for a child meanwhile comes first.
      await nextTurn()
    }
  }

  #run(job: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(job)
    return this.#last
  }

  async #warm(): Promise<void> {
    if (this.#isWarm) return
    const before = process.cpuUsage()
    this.#isWarm = (await this.#steps.next()).done === true
    const { user, system } = process.cpuUsage(before)
    this.#warmedMs += (user + system) / 1000
  }

  async #fork(id: number): Promise<void> {
    const forking = this.#forking
    if (forking === undefined) {
      send({ type: 'forked', id, pid: process.pid })
      return becomeChild((code) => process.exit(code))
    }
    // Not amid what the loop is told by the system: a child has another loop.
    await nextTurn()
    const forked = forkChild(forking)
    if (forked === undefined) return becomeChild(forking.libc.exit)
    const { pid, output, errors } = forked
    const taken = new Promise<void>((resolve) => {
      this.#taken = resolve
    })
    send({ type: 'forked', id, pid }, output)
    send({ type: 'stderr', id }, errors)
    // The next child would have these, too, if they were still open here.
    await taken
  }
}

/** @returns the child, and the other ends of what it reads and writes; in the child nothing */
function forkChild({
  libc,
  confinement,
  holds,
}: Forking): { readonly pid: number; readonly output: number; readonly errors: number } | undefined {
  const [output, ofChild] = libc.socketPair()
  const [errors, errorsOfChild] = libc.socketPair()
  let pid: number
  try {
    pid = libc.fork()
  } catch (error) {
    for (const descriptor of [output, ofChild, errors, errorsOfChild]) libc.close(descriptor)
    throw error
  }
  if (pid === 0) {
    libc.close(output)
    libc.close(errors)
    libc.move(errorsOfChild, [2])
    libc.move(ofChild, [0, 1])
    confinement.enter(childCpuSeconds, holds)
    return undefined
  }
  libc.close(ofChild)
  libc.close(errorsOfChild)
  return { pid, output, errors }
}

function refuse(id: number, error: unknown): void {
  send({ type: 'failed', id, reason: String(error) })
}

/** @param descriptor It is sent along. Node closes it here when it has arrived, which is before `taken` comes back. */
function send(message: FromForkServer, descriptor?: number): void {
  if (descriptor === undefined) process.send?.(message)
  else process.send?.(message, new Socket({ fd: descriptor }))
}

/** This process serves pages from now on, and nothing else that it has begun goes on. */
function becomeChild(exit: (code: number) => never): Promise<never> {
  process.removeAllListeners('message').removeAllListeners('disconnect')
  process.disconnect()
  // Node would end with what a forked process does not have.
  process.on('uncaughtException', (error) => {
    writeSync(2, String(error.stack))
    exit(1)
  })
  new RenderChild().serve(() => exit(0))
  return new Promise(() => undefined)
}
