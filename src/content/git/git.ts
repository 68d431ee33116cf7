import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { hasCode } from '../../lib/disk.ts'
import { FairLimit } from '../../lib/fair-limit.ts'
import { inSpan, tellMeasured } from '../../lib/measured.ts'
import { shortageOf, startProcess } from '../../lib/processes.ts'
import type { Oid } from '../repository.ts'
import { configEnvironment } from './repository-config.ts'
import { isFile, Output, spawnGit, type FileInput } from './spawn.ts'

/** `merge-tree --write-tree` and `cat-file --batch-command` need 2.38. */
const oldestGit = '2.38'

export interface GitOptions {
  /** PATH in which git is looked for; without it the system’s default. */
  readonly searchPath?: string | undefined
  /** git processes at a time; default twice the cores. */
  readonly concurrency?: number
  /** Whose a project is: owners share the processes. Without it each project stands for an owner. */
  readonly ownerOf?: (projectId: string) => string
  /** Told of what hung until it was ended: `git for-each-ref`, and in which repository. */
  readonly onTimeout?: (what: string, directory: string | undefined) => void
  /** Further variables for every process. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface RunOptions {
  /** The bare repository. */
  readonly directory?: string
  readonly input?: string | Uint8Array | FileInput
  /** Milliseconds until the process is killed; default one minute. `quickly` where nothing large is done. */
  readonly timeout?: number
  /** Seconds of processor time after which the process is ended: a GitError with `outOfTime`. */
  readonly processorSeconds?: number
  /** Ends the process when it is aborted. */
  readonly signal?: AbortSignal
  /** Bytes of output after which git is ended; what came until then is returned as `truncated`. */
  readonly maxOutput?: number
  /** Runs with low priority, and beside the slots: whoever asks for it bounds its number. */
  readonly background?: boolean
  /** The caller has a slot for it already. */
  readonly hasSlot?: boolean
}

interface LinesRequest {
  readonly directory: string
  /** Written to git line by line, as fast as it reads. */
  readonly input: readonly Oid[]
  readonly signal: AbortSignal
}

export interface RunResult {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
  readonly truncated: boolean
}

/** Milliseconds for what is done at once, unless git hangs. */
export const quickly = 15_000
const killAfter = 60_000
/** Processes of one owner that may wait. */
const longestQueue = 500
/** Owners beyond the slots who may have one process each. */
const firstProcesses = 32

/** Divides slots so that no few owners have all of them: what another one asks for begins at once. */
export function fairSlots(slots: number, firsts: number, queue: number): FairLimit {
  return new FairLimit({ name: 'git', slots, firsts, share: Math.max(1, Math.floor(slots / 2)), reserve: 1, queue })
}

/** Runs native git: bounded in number and time, whatever the Git configuration of the machine and of the user says. */
export class Git {
  readonly #slots: FairLimit
  readonly #options: GitOptions
  readonly #environment: Readonly<Record<string, string>>

  constructor(options: GitOptions = {}, slots?: FairLimit) {
    this.#slots = slots ?? fairSlots(options.concurrency ?? 2 * availableParallelism(), firstProcesses, longestQueue)
    this.#options = options
    this.#environment = {
      ...(options.searchPath === undefined ? {} : { PATH: options.searchPath }),
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      // A pushed refs/replace/* must not change what an object id means.
      GIT_NO_REPLACE_OBJECTS: '1',
      ...configEnvironment,
      ...options.environment,
    }
  }

  /** The same git within the same bound, with further variables for its processes. */
  with(environment: Readonly<Record<string, string>>): Git {
    return new Git({ ...this.#options, environment: { ...this.#options.environment, ...environment } }, this.#slots)
  }

  /** Whose the repository of a directory is. */
  ownerOf(directory: string): string {
    const projectId = basename(directory, '.git')
    return this.#options.ownerOf?.(projectId) ?? projectId
  }

  /**
   * Starts a process that the caller talks to, ends and bounds in number. It leads a group of its own.
   *
   * @throws Failure `unavailable` when the machine has no room for it.
   */
  start(
    args: readonly string[],
    directory: string,
    environment: Readonly<Record<string, string>> = {},
  ): ChildProcessWithoutNullStreams {
    return startProcess('git', args, {
      cwd: directory,
      env: { ...this.#environment, GIT_DIR: directory, ...environment },
      stdio: 'pipe',
      detached: true,
    })
  }

  /**
   * Runs git to its end when its repository’s owner has a slot, and returns whatever code it exits with.
   *
   * @throws GitError when it is killed; Failure `unavailable` when it takes too long, too many of the owner wait, or the
   *   machine has no room for it; the system’s error when it cannot be started.
   */
  async run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const { directory, signal, background = false, hasSlot = false } = options
    if (background || hasSlot) return this.#run(args, options)
    const owner = directory === undefined ? '' : this.ownerOf(directory)
    if (this.#slots.isFull(owner))
      throw new Failure('unavailable', 'Too much work on the repositories of this account is waiting.', {
        retryAfter: 5,
      })
    return this.#slots.run(owner, () => this.#run(args, options), signal)
  }

  /** As `run`, and throws when the exit code is not 0. */
  async check(args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
    const result = await this.run(args, options)
    if (result.code !== 0) throw new GitError(args, `exit code ${result.code}: ${result.stderr.trim()}`)
    return result.stdout
  }

  /**
   * Runs git over a list of objects and yields the lines of its answer as they come: neither is ever whole in memory.
   * Leaving the loop ends the process.
   *
   * @throws GitError when git does not exit with 0; the signal’s reason when it is aborted.
   */
  async *lines(args: readonly string[], request: LinesRequest): AsyncGenerator<string> {
    const { directory, input, signal } = request
    signal.throwIfAborted()
    const child = this.start(args, directory)
    const stop = () => killChild(child)
    signal.addEventListener('abort', stop)
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)))
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', (code) => resolve(code === 0 ? '' : `exit code ${code}: ${stderr.trim()}`))
    })
    // git may end without reading all of its input (EPIPE); its exit code and stderr say why.
    child.stdin.on('error', () => child.stdin.destroy())
    Readable.from(blocks(input)).pipe(child.stdin)
    try {
      let rest = ''
      for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        yield* lines
      }
      const problem = await ended
      signal.throwIfAborted()
      if (problem !== '') throw new GitError(args, problem)
    } finally {
      signal.removeEventListener('abort', stop)
      if (child.exitCode === null) stop()
    }
  }

  /** @throws Error with a sentence for the operator when git is missing or too old. Returns its version. */
  async requireVersion(): Promise<string> {
    const need = `Quire needs git ${oldestGit} or newer on its PATH`
    const output = await this.check(['--version']).catch((error: unknown) => {
      throw new Error(`${need}; git could not be started.`, { cause: error })
    })
    const version = /\d+(?:\.\d+)+/.exec(output.toString())?.[0] ?? ''
    const [major = 0, minor = 0] = version.split('.').map(Number)
    const [oldMajor = 0, oldMinor = 0] = oldestGit.split('.').map(Number)
    if (major < oldMajor || (major === oldMajor && minor < oldMinor))
      throw new Error(`${need}; found ${output.toString().trim()}.`)
    return version
  }

  async #run(args: readonly string[], options: RunOptions): Promise<RunResult> {
    const command = commandOf(args)
    const since = performance.now()
    try {
      return await inSpan(`git ${command}`, {}, () => this.#runToEnd(args, options))
    } finally {
      tellMeasured('git', command, since)
    }
  }

  #runToEnd(args: readonly string[], options: RunOptions): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted()
      const repository = options.directory === undefined ? {} : { GIT_DIR: options.directory }
      // Nobody reads before the end: into a pipe git writes each commit by itself, and each wakes this process.
      const child = spawnGit(args, { ...this.#environment, GIT_FLUSH: '0', ...repository }, options)
      const kill = (signal: NodeJS.Signals) => child.pid !== undefined && killGroup(child.pid, signal)
      const output = new Output(child, options.maxOutput ?? Infinity)
      const { timeout = killAfter } = options
      let timedOut = false
      const timer = setTimeout(() => {
        timedOut = true
        kill('SIGKILL')
      }, timeout)
      const stop = () => kill('SIGTERM')
      options.signal?.addEventListener('abort', stop)
      const done = () => {
        clearTimeout(timer)
        options.signal?.removeEventListener('abort', stop)
      }
      child.on('error', (error) => {
        done()
        reject(shortageOf(error) ?? error)
      })
      child.on('close', (code, signal) => {
        done()
        if (timedOut) reject(this.tookTooLong(args, options.directory, timeout))
        else if (code === null && !output.truncated) reject(new GitError(args, `killed by ${signal}`, signal))
        else resolve({ code: code ?? 0, ...output.read() })
      })
      // git may end without reading all of its input (EPIPE); its exit code and stderr say why.
      child.stdin?.on('error', () => child.stdin?.destroy())
      if (!isFile(options.input)) child.stdin?.end(options.input)
    })
  }

  /** Tells of a process that hung until it was ended. Returns what the user is told. @param timeout milliseconds. */
  tookTooLong(args: readonly string[], directory: string | undefined, timeout: number): Failure {
    const cause = new GitError(args, 'took too long')
    this.#options.onTimeout?.(cause.message, directory)
    return gitHangs(timeout, cause)
  }
}

/** What a user is told when git was ended because it did not answer. */
export function gitHangs(timeout: number, cause?: unknown): Failure {
  return new Failure('unavailable', `Git took longer than ${timeout / 1000} s and was stopped.`, {
    hint: 'Try again; if it happens again, tell the operator.',
    retryAfter: 10,
    cause,
  })
}

export class GitError extends Error {
  override readonly name = 'GitError'

  /** It used up the processor time that it was given. */
  readonly outOfTime: boolean

  constructor(args: readonly string[], what: string, signal: NodeJS.Signals | null = null) {
    super(`git ${commandOf(args)}: ${what}`)
    this.outOfTime = signal === 'SIGXCPU'
  }
}

/** What git is asked to do: `merge-tree`. */
function commandOf(args: readonly string[]): string {
  return args.find((word, index) => word !== '-c' && args[index - 1] !== '-c') ?? ''
}

function* blocks(oids: readonly Oid[]): Generator<string> {
  for (let at = 0; at < oids.length; at += 1000) yield `${oids.slice(at, at + 1000).join('\n')}\n`
}

/** Ends a lasting process of git by ending its input: it still answers what it was asked before. */
export async function endChild(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stdin.end()
  await ended
}

/** Ends a process of `start`, and what it has started. */
export function killChild(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid, signal)
}

/** Sends a signal to a process that leads a group, and to all of the group. False when there is no such process any more. */
export function killGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-leader, signal)
    return true
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
    throw error
  }
}
