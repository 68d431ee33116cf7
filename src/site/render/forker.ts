/** Children, forked by a process that is warm: see `fork-server.ts`. */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { Value } from 'typebox/value'
import type { ChildProtection } from './isolation.ts'
import { FromForkServer, type ToForkServer } from './protocol.ts'

/** How a child, or the process that forks children, ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** End of what it wrote to standard error, for the log. */
  readonly stderr: string
  /** It ended because what had forked it did, or should have: for nothing that it read. */
  readonly isOrphan: boolean
}

export interface ChildEvents {
  /** It reads. */
  started(): void
  read(chunk: Buffer): void
  /** It, or what should have forked it, has ended. Nothing comes after that. */
  ended(exit: Exit): void
}

const stderrBytes = 4096
/** Who writes more than this to standard error is ended. */
const maxStderrBytes = 1024 * 1024
/** A server that does not answer for so long is ended, with its children. */
const answerMs = 30_000
/** What a child wrote to standard error before its end arrives within this. */
const stderrMs = 1000

/** Starts children. */
export class Forker {
  /** How often in a row no child could be forked. */
  failures = 0
  readonly #startServer: (canFork: boolean) => ChildProcess
  readonly #servers = new Set<Server>()
  #server: Server | undefined
  /** Where nothing can be forked, the process that should have done it becomes the child. */
  #canFork = true
  #holds: readonly ChildProtection[] = []

  /** @param startServer Starts `fork-server.ts`, with pipes and a channel; told whether children are forked. */
  constructor(startServer: (canFork: boolean) => ChildProcess) {
    this.#startServer = startServer
  }

  /** What each child puts on by itself. */
  get holds(): readonly ChildProtection[] {
    return this.#holds
  }

  /** Resolves when children can be forked, with the reason where they never will be. */
  start(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#server = this.#open(
        (_server, { forks, holds }) => {
          this.#canFork = forks
          this.#holds = holds
          resolve(undefined)
        },
        (exit) => resolve(reasonOf(exit)),
      )
    })
  }

  /** @returns a child that is about to be forked */
  fork(events: ChildEvents): Child {
    try {
      this.#server ??= this.#open((server, { forks, holds }) => {
        // The first could; what this one lacks may be over soon.
        const isWeaker = this.#holds.some((protection) => !holds.includes(protection))
        if (isWeaker || (this.#canFork && !forks)) server.process.kill('SIGKILL')
      })
    } catch (error) {
      // No process can be started at all.
      this.failures++
      const child = new Child(events)
      setImmediate(() => child.orphan({ code: null, signal: null, stderr: String(error) }))
      return child
    }
    const child = this.#server.fork(events)
    if (!this.#canFork) this.#server = undefined
    return child
  }

  close(): void {
    for (const { process } of this.#servers) process.kill('SIGKILL')
  }

  #open(ready: (server: Server, able: Ability) => void, ended?: (exit: ServerExit) => void): Server {
    const server: Server = new Server(this.#startServer(this.#canFork), {
      ready: (able) => ready(server, able),
      forked: () => {
        this.failures = 0
      },
      failed: () => {
        this.failures++
      },
      ended: (exit) => {
        if (!server.hasForked) this.failures++
        this.#servers.delete(server)
        if (this.#server === server) this.#server = undefined
        ended?.(exit)
      },
    })
    this.#servers.add(server)
    return server
  }
}

type Ability = Extract<FromForkServer, { type: 'ready' }>
type ServerExit = Omit<Exit, 'isOrphan'>

export function reasonOf({ stderr, signal, code }: ServerExit): string {
  return stderr.trim() || `it ended with ${signal ?? `code ${code}`}`
}

interface ServerEvents {
  ready(able: Ability): void
  forked(): void
  failed(): void
  ended(exit: ServerExit): void
}

/** A process that forks, and its children. */
class Server {
  readonly process: ChildProcess
  hasForked = false
  readonly #events: ServerEvents
  readonly #children = new Map<number, Child>()
  /** What it has been asked and has not answered, by child. */
  readonly #deadlines = new Map<number, NodeJS.Timeout>()
  #counter = 0
  #stderr = ''

  constructor(process: ChildProcess, events: ServerEvents) {
    this.process = process
    this.#events = events
    process.on('message', (message, socket) => {
      if (Value.Check(FromForkServer, message)) this.#receive(message, socket as Socket | undefined)
      else process.kill('SIGKILL')
    })
    process.on('error', (error) => {
      this.#stderr += String(error)
      if (process.pid === undefined) this.#end(null, null)
    })
    process.on('close', (code, signal) => this.#end(code, signal))
    let stderrLeft = maxStderrBytes
    process.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = tailOf(this.#stderr + chunk.toString('utf8', Math.max(0, chunk.length - stderrBytes)))
      stderrLeft -= chunk.length
      if (stderrLeft < 0) process.kill('SIGKILL')
    })
    // It is told of its end by `close`; that nobody reads any more is no news.
    process.stdin?.on('error', () => undefined)
  }

  fork(events: ChildEvents): Child {
    const id = ++this.#counter
    const child = new Child(events, (pid) => this.#ask({ type: 'reap', id, pid }))
    this.#children.set(id, child)
    this.#ask({ type: 'fork', id })
    return child
  }

  /** Asks for what is answered. */
  #ask(message: Extract<ToForkServer, { id: number }>): void {
    clearTimeout(this.#deadlines.get(message.id))
    const deadline = setTimeout(() => this.process.kill('SIGKILL'), answerMs)
    deadline.unref()
    this.#deadlines.set(message.id, deadline)
    this.#send(message)
  }

  #send(message: ToForkServer): void {
    // Where the process, or its channel, is gone, `close` tells all who wait.
    if (this.process.connected) this.process.send(message, () => undefined)
  }

  #end(code: number | null, signal: NodeJS.Signals | null): void {
    for (const deadline of this.#deadlines.values()) clearTimeout(deadline)
    const exit = { code, signal, stderr: this.#stderr }
    this.#events.ended(exit)
    for (const child of this.#children.values()) child.orphan(exit)
    this.#children.clear()
  }

  #receive(message: FromForkServer, socket: Socket | undefined): void {
    if (message.type === 'ready') {
      this.#events.ready(message)
      return
    }
    const { id } = message
    const child = this.#children.get(id)
    if (message.type === 'stderr') {
      if (socket !== undefined) child?.collect(socket)
      this.#send({ type: 'taken' })
      return
    }
    clearTimeout(this.#deadlines.get(id))
    this.#deadlines.delete(id)
    if (message.type === 'forked') {
      this.hasForked = true
      this.#events.forked()
      const { stdin, stdout } = this.process
      if (socket !== undefined) child?.start(message.pid, socket, socket)
      else if (stdin !== null && stdout !== null) child?.become(message.pid, stdin, stdout)
    } else {
      this.#children.delete(id)
      if (message.type === 'failed') {
        this.#events.failed()
        child?.orphan({ code: null, signal: null, stderr: message.reason })
      } else child?.end(message.code, nameOf(message.signal))
    }
  }
}

/** A process that reads from a pipe and writes to it. */
export class Child {
  pid: number | undefined
  readonly #events: ChildEvents
  readonly #askReap: ((pid: number) => void) | undefined
  #input: Writable | undefined
  #errors: Socket | undefined
  #stderr = ''
  #isForked = false
  #killed = false
  #reaped = false

  /** @param askReap Has the server wait for it. */
  constructor(events: ChildEvents, askReap?: (pid: number) => void) {
    this.#events = events
    this.#askReap = askReap
  }

  /** @param sent Called when the last of it has left this process, or never will. */
  write(bytes: Buffer, sent?: () => void): void {
    this.#input?.write(bytes, sent)
  }

  kill(): void {
    this.#killed = true
    // Until it is reaped, no other process has its number.
    if (this.pid === undefined || this.#reaped) return
    this.#reaped = this.#isForked
    try {
      process.kill(this.pid, 'SIGKILL')
    } catch (error) {
      // It ended by itself, with the process that forked it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    if (this.#isForked) this.#askReap?.(this.pid)
  }

  /** It is forked. */
  start(pid: number, input: Writable, output: Readable): void {
    this.#isForked = true
    // A child that closes its output is of no more use.
    output.on('close', () => this.kill())
    this.become(pid, input, output)
  }

  /** Nothing can be forked here: it is the process that was asked to. */
  become(pid: number, input: Writable, output: Readable): void {
    this.pid = pid
    this.#input = input
    output.on('data', (chunk: Buffer) => this.#events.read(chunk))
    // That it died is told by `close`; its broken pipe is no news.
    input.on('error', () => undefined)
    if (this.#killed) this.kill()
    else this.#events.started()
  }

  collect(stderr: Socket): void {
    this.#errors = stderr
    stderr.on('data', (chunk: Buffer) => {
      this.#stderr = tailOf(this.#stderr + chunk.toString('utf8', Math.max(0, chunk.length - stderrBytes)))
      if (stderr.bytesRead > maxStderrBytes) this.kill()
    })
    stderr.on('error', () => undefined)
  }

  /** It has been waited for. */
  end(code: number | null, signal: NodeJS.Signals | null): void {
    const tell = (): void => {
      this.#input?.destroy()
      this.#errors?.destroy()
      this.#events.ended({ code, signal, stderr: this.#stderr, isOrphan: false })
    }
    if (this.#errors === undefined || this.#errors.closed) tell()
    else {
      // Not for ever: what it left behind may hold it open.
      const late = setTimeout(tell, stderrMs)
      this.#errors.once('close', () => {
        clearTimeout(late)
        tell()
      })
    }
  }

  /** What forked it, or should have, has ended, and it ends with that. */
  orphan(exit: ServerExit): void {
    const isCold = this.pid !== undefined && !this.#isForked
    this.#reaped = true
    this.#input?.destroy()
    this.#errors?.destroy()
    this.#events.ended({ ...exit, stderr: this.#stderr + exit.stderr, isOrphan: !isCold })
  }
}

function tailOf(text: string): string {
  return text.slice(-stderrBytes)
}

function nameOf(signal: number | null): NodeJS.Signals | null {
  const [name] = Object.entries(constants.signals).find(([, number]) => number === signal) ?? []
  return (name as NodeJS.Signals | undefined) ?? null
}
