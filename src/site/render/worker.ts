import { isPartPath } from '../api/names.ts'
import { Compile } from 'typebox/compile'
import { limits } from '../../contract/limits.ts'
import { lowerPriority } from '../../lib/priority.ts'
import { cpuMsOf, usageOf, type Usage } from '../../lib/process-usage.ts'
import { mostFiles, mostIndex, mostText } from '../api/form.ts'
import type { DescribeOutcome, RenderOutcome } from '../page.ts'
import type { Child, ChildEvents, Exit } from './forker.ts'
import { encodeFrame, FrameReader, FromChild, loadBytes, type ToChild, written } from './protocol.ts'
import { mayFit, memoryBytes, wallMs, type Task } from './task.ts'

/** Why a child ended. */
export interface Ending extends Exit {
  /** Set when a page broke a limit: completes “the page …”. */
  readonly broke?: string
  /** The child was ended by the pool, for no fault of a page. */
  readonly wanted: boolean
}

export interface WorkerEvents {
  ready(worker: Worker): void
  /** `cpuMs` is what the page took. */
  outcome(worker: Worker, task: Task, outcome: RenderOutcome | DescribeOutcome, cpuMs: number): void
  ended(worker: Worker, ending: Ending): void
}

/**
 * A child takes no further pages after this much processor time: the kernel ends it at `childCpuSeconds`, and the page that
 * is in it then may be of any size.
 */
const retireCpuMs = 30_000
/** Pages ahead in a child, so that it never waits for the next one. */
const maxAhead = 3
/** A child with a large page before it gets no other. */
const maxAheadBytes = 64 * 1024

/** Files that a page may ask for; 300 snippets are allowed, each by two names. */
const maxLoads = 1000
/** Of a description and its index: see `pieceUnits`. */
const maxPieces = 32

const known = Compile(FromChild)

/** One child: its process, the pages in it, and the limits that they keep. */
export class Worker {
  readonly project: string
  readonly child: Child
  readonly tasks: Task[] = []
  /** Languages of the code that it has read. */
  readonly languages = new Set<string>()
  isReady = false
  /** Takes no further pages; ends when the ones in it are done. */
  retiring = false
  idleSince = Date.now()
  servesSince = Date.now()
  pageSince = 0
  /** CPU time of the page in it, as last looked at. */
  pageCpuMs = 0
  #yields = false
  readonly #events: WorkerEvents
  readonly #frames = new FrameReader(
    (message, bytes): message is FromChild => known.Check(message) && (message.type !== 'load' || bytes <= loadBytes),
  )
  /** What it has sent of a description, and how many UTF-16 units that has. */
  #pieces: string[] = []
  #length = 0
  /** Files that the page in it has asked for. */
  #loads = 0
  /** A file that it has asked for has not been handed over yet. It asks for one at a time. */
  #isLoading = false
  #broke: string | undefined
  #wanted = false
  /** CPU time of the process when the page began; undefined where the system does not tell. */
  #cpuBefore: number | undefined

  /** @param project What has read a project’s text serves no other. */
  constructor(project: string, fork: (events: ChildEvents) => Child, events: WorkerEvents) {
    this.project = project
    this.#events = events
    this.child = fork({
      started: () => {
        this.isReady = true
        this.servesSince = Date.now()
        events.ready(this)
      },
      read: (chunk) => this.#read(chunk),
      ended: (exit) => {
        const broke = this.#broke === undefined ? {} : { broke: this.#broke }
        events.ended(this, { ...exit, ...broke, wanted: this.#wanted })
      },
    })
  }

  get hasRoom(): boolean {
    if (!this.isReady || this.retiring || this.isEnding || this.tasks.length >= maxAhead) return false
    return this.tasks.reduce((sum, task) => sum + task.job.source.length, 0) < maxAheadBytes
  }

  /** It was told to end and is only waited for. */
  get isEnding(): boolean {
    return this.#wanted || this.#broke !== undefined
  }

  get usage(): Usage | undefined {
    return this.child.pid === undefined ? undefined : usageOf(this.child.pid)
  }

  get #cpuMs(): number | undefined {
    return this.child.pid === undefined ? undefined : cpuMsOf(this.child.pid)
  }

  /** From now on its processor is for others first. */
  yieldProcessor(): void {
    if (this.#yields || this.child.pid === undefined) return
    this.#yields = true
    lowerPriority(this.child.pid)
  }

  give(task: Task): void {
    const { build } = task
    this.tasks.push(task)
    if (this.tasks.length === 1) this.#begin(this.#cpuMs)
    for (const language of task.languages) this.languages.add(language)
    this.#send({ type: 'render', id: task.id, build: build.id, ...task.job, ...written(task.job.source) })
  }

  /** Ends the process; `broke` when the page in it is to blame. */
  end(broke?: string): void {
    if (broke === undefined) this.#wanted = true
    else this.#broke ??= broke
    this.child.kill()
  }

  /** Looks whether the page in the child is within its limits, and ends the child where it is not. */
  check(): void {
    const [task] = this.tasks
    if (task === undefined || this.isEnding) return
    this.#measure()
    const budget = task.build.budget.allowedFor(task.job)
    if (this.pageCpuMs > budget) this.end(`exceeded ${(budget / 1000).toFixed(1)} s of processor time`)
    else if (Date.now() - this.pageSince > wallMs) this.end(`exceeded ${wallMs / 1000} s`)
    else if ((this.usage?.rssBytes ?? 0) > memoryBytes) this.end(`exceeded ${memoryBytes / 1024 / 1024} MB of memory`)
  }

  #begin(cpuMs: number | undefined): void {
    this.#loads = 0
    this.pageSince = Date.now()
    this.pageCpuMs = 0
    this.#cpuBefore = cpuMs
  }

  /** @returns CPU time of the process */
  #measure(): number | undefined {
    const cpuMs = this.#cpuMs
    const cpuBefore = this.#cpuBefore
    // Where the system does not tell CPU time, the clock must do.
    const isTold = cpuMs !== undefined && cpuBefore !== undefined
    this.pageCpuMs = isTold ? cpuMs - cpuBefore : Date.now() - this.pageSince
    return cpuMs
  }

  #send(message: ToChild): void {
    this.child.write(encodeFrame(message))
  }

  #read(chunk: Buffer): void {
    try {
      for (const message of this.#frames.push(chunk)) {
        // What it says while it ends is of no use, and may be without end.
        if (this.isEnding) return
        this.#receive(message)
      }
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError)) throw error
      this.end('made the renderer answer nonsense')
    }
  }

  #receive(message: FromChild): void {
    const [task] = this.tasks
    if (task === undefined || this.#isLoading) throw new TypeError('a message that nobody waits for')
    if (message.type === 'load') {
      this.#loads++
      const most = task.job.kind === 'description' ? mostFiles : maxLoads
      if (this.#loads > most) this.end(`asked for more than ${most} files`)
      else void this.#load(task, message.path)
    } else if (task.id !== message.id) throw new TypeError('an outcome that nobody waits for')
    else if (message.type === 'piece') {
      this.#pieces.push(message.text)
      this.#length += message.text.length
      const isTooMuch = this.#pieces.length > maxPieces || this.#length > mostIndex + mostText
      if (task.job.kind !== 'description' || isTooMuch) throw new TypeError('a piece that nobody waits for')
    } else {
      const isDescribed = message.type === 'described'
      if (isDescribed !== (task.job.kind === 'description') && (isDescribed || message.outcome.ok))
        throw new TypeError('an outcome of something else')
      if (isDescribed && message.index > mostIndex) throw new TypeError('an index that is too large')
      const whole = this.#pieces.join('')
      const outcome = isDescribed
        ? { ok: true as const, index: whole.slice(0, message.index), text: whole.slice(message.index) }
        : message.outcome
      this.#pieces = []
      this.#length = 0
      const now = this.#measure()
      const cpuMs = this.pageCpuMs
      this.retiring ||= (now ?? 0) > retireCpuMs
      this.tasks.shift()
      this.idleSince = Date.now()
      this.#begin(now)
      this.#events.outcome(this, task, outcome, cpuMs)
    }
  }

  /** Answers from the files of the build and from nowhere else. */
  async #load(task: Task, path: string): Promise<void> {
    this.#isLoading = true
    try {
      const file = await task.build.load(path, task.job.base)
      // Only these are read; of others it is enough to know that they are there. A byte over the limit says “too large”.
      const isDescription = task.job.kind === 'description'
      const isRead = isDescription
        ? /\.(?:ya?ml|json)$|^https:/i.test(path)
        : isPartPath(path) || /\.(?:mdx?|[cm]?[jt]sx?|json)$/i.test(path)
      const source = !isRead || file === null ? empty : file.source.subarray(0, mostOf(file.source, isDescription) + 1)
      this.#hand({ type: 'file', path, file: file === null ? null : { oid: file.oid, ...written(source) } })
    } catch (error) {
      // The child still says what it makes of the page; nobody listens then.
      task.reject(error instanceof Error ? error : new Error(String(error)))
      this.#hand({ type: 'file', path, file: null })
    }
  }

  /** It has read the file, or as good as that, when the last of it has left: it may ask for the next one. */
  #hand(message: ToChild): void {
    this.child.write(encodeFrame(message), () => {
      this.#isLoading = false
    })
  }
}

const empty = Buffer.alloc(0)

/** Bytes of a file that a child may ask for. */
function mostOf(source: Buffer, isDescription: boolean): number {
  if (isDescription) return limits.descriptionBytes
  return mayFit(source) ? limits.fileBytes : limits.pageBytes
}

/** What to tell the author of a page that cost its child. */
export function explain(path: string, ending: Ending): string {
  if (ending.broke !== undefined) return `The page ${path} ${ending.broke} and was stopped.`
  if (/heap out of memory|Allocation failed/i.test(ending.stderr))
    return `The page ${path} exceeded the memory of the renderer and was stopped.`
  if (ending.signal === 'SIGXCPU')
    return `The page ${path} exceeded the processor time of the renderer and was stopped.`
  const how = ending.signal === null ? `code ${ending.code}` : ending.signal
  return `The page ${path} broke the renderer (${how}). Simplify it: it may nest too deep.`
}
