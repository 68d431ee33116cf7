import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChildReply, ChildRequest } from './prose/child.ts'
import type { ProseRequest, RenderedProse } from './prose/render.ts'
import type { Row } from './prose/row.ts'

export type { ProseRequest, RenderedProse, Row }

interface Job {
  readonly request: ProseRequest
  readonly done: (rendered: RenderedProse) => void
  readonly rows: Row[]
  notes: readonly string[]
}

/** Milliseconds until a page is given up. */
const patience = 2_000
/** More while the process starts: nobody has made it slow. */
const startPatience = 6_000
/** Milliseconds without work until the process is let go of. */
const idleTime = 60_000
/** Megabytes of its heap. */
const heap = 256

/**
 * Renders pages in a process of its own: the parser is native, and what is written for it can keep it busy or end it.
 * Begins with the first page. One page is rendered at a time; whoever has newer text asks when the answer is there.
 */
export class ProseRenderer {
  readonly #program: string | undefined
  #child: ChildProcess | undefined
  #isReady = false
  #jobs: Job[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(program: string | undefined = findProgram()) {
    this.#program = program
  }

  /** Never rejects: what cannot be rendered has a note that says so, and no rows. */
  render(request: ProseRequest): Promise<RenderedProse> {
    return new Promise((done) => {
      this.#jobs.push({ request, done, rows: [], notes: [] })
      if (this.#jobs.length === 1) this.#begin()
    })
  }

  close(): void {
    this.#stop()
  }

  #begin(): void {
    const [job] = this.#jobs
    clearTimeout(this.#timer)
    if (job === undefined) {
      this.#timer = setTimeout(() => this.#stop(), idleTime).unref()
      return
    }
    this.#child ??= this.#start()
    if (this.#child === undefined) return this.#end('The preview cannot be started.')
    this.#timer = setTimeout(() => this.#giveUp(), this.#isReady ? patience : startPatience)
    this.#send({ type: 'render', request: job.request })
  }

  #start(): ChildProcess | undefined {
    if (this.#program === undefined) return undefined
    const child = fork(this.#program, {
      execArgv: [`--max-old-space-size=${heap}`],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.unref()
    child.channel?.unref()
    child.on('message', (reply: ChildReply) => this.#take(reply))
    const ended = (): void => {
      if (this.#child !== child) return
      this.#forget()
      if (this.#jobs.length > 0) this.#end('The preview of this page failed.')
    }
    child.on('exit', ended)
    child.on('error', ended)
    return child
  }

  #send(message: ChildRequest): void {
    // Of a process that has just ended, its end is told.
    this.#child?.send(message, () => undefined)
  }

  #take({ rows, notes, more }: ChildReply): void {
    this.#isReady = true
    const [job] = this.#jobs
    if (job === undefined) return
    job.rows.push(...rows)
    if (job.rows.length === rows.length) job.notes = notes
    // Not at once: keys that were pressed meanwhile come first.
    if (more) setImmediate(() => this.#send({ type: 'more' }))
    else this.#end()
  }

  #giveUp(): void {
    this.#stop()
    this.#end('The preview of this page takes too long, and was given up.')
  }

  #stop(): void {
    const child = this.#child
    this.#forget()
    child?.kill('SIGKILL')
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#child = undefined
    this.#isReady = false
  }

  /** Answers the first job, and goes on with the next. */
  #end(trouble?: string): void {
    const job = this.#jobs.shift()
    this.#begin()
    job?.done(trouble === undefined ? { rows: job.rows, notes: job.notes } : { rows: [], notes: [trouble] })
  }
}

/** The program beside the one that runs, or in the package that this file is part of. */
function findProgram(): string | undefined {
  const name = 'prose-child.js'
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    for (const candidate of [join(folder, name), join(folder, 'dist', name)])
      if (existsSync(candidate)) return candidate
    if (dirname(folder) === folder) return undefined
  }
}

let common: ProseRenderer | undefined

/** The renderer that all panes share. */
export function proseRenderer(): ProseRenderer {
  common ??= new ProseRenderer()
  return common
}
