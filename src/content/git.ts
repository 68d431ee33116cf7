import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { availableParallelism } from 'node:os'
import pLimit, { type LimitFunction } from 'p-limit'

/** `merge-tree --write-tree` and `cat-file --batch-command` need 2.38. */
const oldestGit = '2.38'

export interface GitOptions {
  /** PATH in which git is looked for; without it the system’s default. */
  readonly searchPath?: string | undefined
  /** git processes at a time; default twice the cores. */
  readonly concurrency?: number
}

export interface RunOptions {
  /** The bare repository. */
  readonly directory?: string
  readonly input?: string | Uint8Array
  /** Milliseconds until the process is killed; default one minute. */
  readonly timeout?: number
}

export interface RunResult {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

const killAfter = 60_000

/** Runs native git: bounded in number and time, and deaf to the machine’s and the user’s Git configuration. */
export class Git {
  readonly limit: LimitFunction
  readonly #environment: Readonly<Record<string, string>>

  constructor(options: GitOptions = {}) {
    this.limit = pLimit(options.concurrency ?? 2 * availableParallelism())
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
      // The data directory may belong to another user (a mounted volume); it is the service’s own all the same.
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    }
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
      const environment = options.directory === undefined ? {} : { GIT_DIR: options.directory }
      const child = spawn('git', args, { env: { ...this.#environment, ...environment }, stdio: 'pipe' })
      const stdout: Buffer[] = []
      const stderr: Buffer[] = []
      let late = false
      const timer = setTimeout(() => {
        late = true
        child.kill('SIGKILL')
      }, options.timeout ?? killAfter)
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
      child.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      child.on('close', (code, signal) => {
        clearTimeout(timer)
        if (code === null) reject(new GitError(args, late ? 'took too long' : `killed by ${signal}`))
        else resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() })
      })
      // git may end without reading all of its input (EPIPE); its exit code and stderr say why.
      child.stdin.on('error', () => child.stdin.destroy())
      child.stdin.end(options.input)
    })
  }
}

export class GitError extends Error {
  override readonly name = 'GitError'

  constructor(args: readonly string[], what: string) {
    super(`git ${args[0] ?? ''}: ${what}`)
  }
}
