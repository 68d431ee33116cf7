import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { Readable } from 'node:stream'
import pLimit, { type LimitFunction } from 'p-limit'
import { hasCode } from '../../lib/disk.ts'
import type { Oid } from '../repository.ts'
import { configEnvironment } from './repository-config.ts'

/** `merge-tree --write-tree` and `cat-file --batch-command` need 2.38. */
const oldestGit = '2.38'

export interface GitOptions {
  /** PATH in which git is looked for; without it the system’s default. */
  readonly searchPath?: string | undefined
  /** git processes at a time; default twice the cores. */
  readonly concurrency?: number
  /** Further variables for every process. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface RunOptions {
  /** The bare repository. */
  readonly directory?: string
  readonly input?: string | Uint8Array
  /** Milliseconds until the process is killed; default one minute. */
  readonly timeout?: number
  /** Ends the process when it is aborted. */
  readonly signal?: AbortSignal
  /** Bytes of output after which git is ended; what came until then is returned as `truncated`. */
  readonly maxOutput?: number
  /** Runs with low priority, in a process group of its own. */
  readonly background?: boolean
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

const killAfter = 60_000
const lowPriority = 10

/** Runs native git: bounded in number and time, whatever the Git configuration of the machine and of the user says. */
export class Git {
  readonly limit: LimitFunction
  readonly #options: GitOptions
  readonly #environment: Readonly<Record<string, string>>

  constructor(options: GitOptions = {}, limit?: LimitFunction) {
    this.limit = limit ?? pLimit(options.concurrency ?? 2 * availableParallelism())
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
    return new Git({ ...this.#options, environment: { ...this.#options.environment, ...environment } }, this.limit)
  }

  /** Starts a process that the caller talks to and ends. Not counted by `limit`. */
  start(
    args: readonly string[],
    directory: string,
    environment: Readonly<Record<string, string>> = {},
  ): ChildProcessWithoutNullStreams {
    return spawn('git', args, {
      cwd: directory,
      env: { ...this.#environment, GIT_DIR: directory, ...environment },
      stdio: 'pipe',
    })
  }

  /** Runs git to its end and returns whatever code it exits with; throws when it cannot be started or is killed. */
  run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    return this.limit(() => this.#run(args, options))
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
    const stop = () => child.kill('SIGKILL')
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

  #run(args: readonly string[], options: RunOptions): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted()
      const repository = options.directory === undefined ? {} : { GIT_DIR: options.directory }
      const background = options.background === true
      const env = { ...this.#environment, ...repository }
      // `git gc` has children, which have to end with it: signals go to the whole group.
      const child = spawn('git', args, { env, stdio: 'pipe', detached: background })
      if (background && child.pid !== undefined) lowerPriority(child.pid)
      const kill = (signal: NodeJS.Signals) =>
        background && child.pid !== undefined ? killGroup(child.pid, signal) : child.kill(signal)
      const output = new Output(child, options.maxOutput ?? Infinity)
      let timedOut = false
      const timer = setTimeout(() => {
        timedOut = true
        kill('SIGKILL')
      }, options.timeout ?? killAfter)
      const stop = () => kill('SIGTERM')
      options.signal?.addEventListener('abort', stop)
      const done = () => {
        clearTimeout(timer)
        options.signal?.removeEventListener('abort', stop)
      }
      child.on('error', (error) => {
        done()
        reject(error)
      })
      child.on('close', (code, signal) => {
        done()
        if (code === null && !output.truncated)
          reject(new GitError(args, timedOut ? 'took too long' : `killed by ${signal}`))
        else resolve({ code: code ?? 0, ...output.read() })
      })
      // git may end without reading all of its input (EPIPE); its exit code and stderr say why.
      child.stdin.on('error', () => child.stdin.destroy())
      child.stdin.end(options.input)
    })
  }
}

/** What a process prints; one that prints too much is killed. */
class Output {
  truncated = false
  readonly #stdout: Buffer[] = []
  readonly #stderr: Buffer[] = []
  #length = 0

  constructor(child: ChildProcessWithoutNullStreams, maxBytes: number) {
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.truncated) return
      this.#stdout.push(chunk)
      this.#length += chunk.length
      if (this.#length <= maxBytes) return
      this.truncated = true
      child.kill('SIGKILL')
    })
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk))
  }

  read(): Pick<RunResult, 'stdout' | 'stderr' | 'truncated'> {
    return {
      stdout: Buffer.concat(this.#stdout),
      stderr: Buffer.concat(this.#stderr).toString(),
      truncated: this.truncated,
    }
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, lowPriority)
  } catch (error) {
    // It has ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
  }
}

export class GitError extends Error {
  override readonly name = 'GitError'

  constructor(args: readonly string[], what: string) {
    const command = args.find((word, index) => word !== '-c' && args[index - 1] !== '-c')
    super(`git ${command ?? ''}: ${what}`)
  }
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
