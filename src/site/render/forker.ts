/** Children, forked by a process that is warm: see `fork-server.ts`. */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { Value } from 'typebox/value'
import { FromForkServer, type ToForkServer } from './protocol.ts'

/** How a child, or the process that forks children, ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** End of what it wrote to standard error, for the log. */
  readonly stderr: string
}

export interface ChildEvents {
  /** It reads. */
  started(): void
  read(chunk: Buffer): void
  /** It, or what should have forked it, has ended. Nothing comes after that. */
  ended(exit: Exit): void
}

const stderrBytes = 4096

/** Starts children. */
export class Forker {
  readonly #startServer: () => ChildProcess
  readonly #servers = new Set<Server>()
  #server: Server | undefined
  /** Where nothing can be forked, the process that should have done it becomes the child. */
  #canFork = true

  /** @param startServer Starts `fork-server.ts`, with pipes and a channel. */
  constructor(startServer: () => ChildProcess) {
    this.#startServer = startServer
  }

  /** Resolves when children can be forked, with the reason where they never will be. */
  start(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#server = this.#open((canFork) => {
        this.#canFork = canFork
        resolve(undefined)
      }, resolve)
    })
  }

  /** @returns a child that is about to be forked */
  fork(events: ChildEvents): Child {
    this.#server ??= this.#open()
    const child = this.#server.fork(events)
    if (!this.#canFork) this.#server = undefined
    return child
  }

  close(): void {
    for (const { process } of this.#servers) process.kill('SIGKILL')
  }

  #open(ready?: (canFork: boolean) => void, ended?: (reason: string) => void): Server {
    const server = new Server(this.#startServer(), ready, (exit) => {
      this.#servers.delete(server)
      if (this.#server === server) this.#server = undefined
      ended?.(reasonOf(exit))
    })
    this.#servers.add(server)
    return server
  }
}

export function reasonOf({ stderr, signal, code }: Exit): string {
  return stderr.trim() || `it ended with ${signal ?? `code ${code}`}`
}

/** A process that forks, and its children. */
class Server {
  readonly process: ChildProcess
  readonly #children = new Map<number, Child>()
  readonly #ready: ((canFork: boolean) => void) | undefined
  #counter = 0
  #stderr = ''

  constructor(process: ChildProcess, ready: ((canFork: boolean) => void) | undefined, ended: (exit: Exit) => void) {
    this.process = process
    this.#ready = ready
    const end = (code: number | null, signal: NodeJS.Signals | null): void => {
      const exit = { code, signal, stderr: this.#stderr }
      ended(exit)
      for (const child of this.#children.values()) child.orphan(exit)
      this.#children.clear()
    }
    process.on('message', (message, socket) => {
      if (Value.Check(FromForkServer, message)) this.#receive(message, socket as Socket | undefined)
    })
    process.on('error', (error) => {
      this.#stderr += String(error)
      if (process.pid === undefined) end(null, null)
    })
    process.on('close', end)
    process.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = tailOf(this.#stderr + chunk.toString('utf8'))
    })
    // It is told of its end by `close`; that nobody reads any more is no news.
    process.stdin?.on('error', () => undefined)
  }

  fork(events: ChildEvents): Child {
    const id = ++this.#counter
    const child = new Child(events, (pid) => this.#send({ type: 'reap', id, pid }))
    this.#children.set(id, child)
    this.#send({ type: 'fork', id })
    return child
  }

  #send(message: ToForkServer): void {
    // Where the process is gone, `close` tells all who wait.
    this.process.send(message, () => undefined)
  }

  #receive(message: FromForkServer, socket: Socket | undefined): void {
    if (message.type === 'ready') {
      this.#ready?.(message.forks)
      return
    }
    const child = this.#children.get(message.id)
    if (message.type === 'forked') {
      const { stdin, stdout } = this.process
      if (socket !== undefined) child?.start(message.pid, socket, socket)
      else if (stdin !== null && stdout !== null) child?.become(message.pid, stdin, stdout)
    } else if (message.type === 'stderr') {
      if (socket !== undefined) child?.collect(socket)
      this.#send({ type: 'taken', id: message.id })
    } else {
      this.#children.delete(message.id)
      child?.end(message.code, nameOf(message.signal))
    }
  }
}

/** A process that reads from a pipe and writes to it. */
export class Child {
  pid: number | undefined
  readonly #events: ChildEvents
  readonly #reap: (pid: number) => void
  #input: Writable | undefined
  #stderr = ''
  #stderrEnded: Promise<void> = Promise.resolve()
  #killed = false
  #reaped = false

  constructor(events: ChildEvents, reap: (pid: number) => void) {
    this.#events = events
    this.#reap = reap
  }

  write(bytes: Buffer): void {
    this.#input?.write(bytes)
  }

  kill(): void {
    this.#killed = true
    // Until it is reaped, no other process has its number.
    if (this.pid === undefined || this.#reaped) return
    try {
      process.kill(this.pid, 'SIGKILL')
    } catch (error) {
      // It ended by itself, with the process that forked it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  /** It is forked. */
  start(pid: number, input: Writable, output: Readable): void {
    // A child that closes its output is of no more use.
    output.on('close', () => {
      this.kill()
      this.#reaped = true
      this.#reap(pid)
    })
    this.become(pid, input, output)
  }

  /** It is the process that should have forked it. */
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
    stderr.on('data', (chunk: Buffer) => {
      this.#stderr = tailOf(this.#stderr + chunk.toString('utf8'))
    })
    stderr.on('error', () => undefined)
    this.#stderrEnded = new Promise((resolve) => {
      stderr.on('close', () => resolve())
    })
  }

  end(code: number | null, signal: NodeJS.Signals | null): void {
    void this.#stderrEnded.then(() => this.#events.ended({ code, signal, stderr: this.#stderr }))
  }

  /** What forked it, or should have, has ended, and it ends with that. */
  orphan(exit: Exit): void {
    this.#reaped = true
    this.#events.ended({ ...exit, stderr: this.#stderr + exit.stderr })
  }
}

function tailOf(text: string): string {
  return text.slice(-stderrBytes)
}

function nameOf(signal: number | null): NodeJS.Signals | null {
  const [name] = Object.entries(constants.signals).find(([, number]) => number === signal) ?? []
  return (name as NodeJS.Signals | undefined) ?? null
}
