import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { endChild, killChild, type Git } from '../git/git.ts'

/** How a ref transaction ended. */
export interface TransactionResult {
  /**
   * `refused`: git says why, and no ref moved. `killed`: the process ended before it moved one. `broken-off`: it ended
   * while it moved them, which git does one by one.
   */
  readonly end: 'done' | 'refused' | 'killed' | 'broken-off'
  /** It did not come to its end in its time, and was killed for that. */
  readonly hung: boolean
  readonly stderr: string
}

const idleTime = 10_000
/** Milliseconds of a transaction of few refs, on a slow disk that others use, too. What takes longer hangs. */
export const longestTransaction = 8_000
/** Further milliseconds for each ref: git flushes one after the other. */
const timeOfRef = 50
const success = /^start: ok\nprepare: ok\ncommit: ok\n$/

/**
 * Ref transactions through a lasting `git update-ref --stdin`, for one caller at a time: starting a process costs more
 * than the transaction, and stops the event loop meanwhile. Git ends it when a transaction fails; the next starts anew.
 */
export class RefWriter {
  readonly #git: Git
  readonly #directory: string
  readonly #longest: number
  #child: ChildProcessWithoutNullStreams | null = null
  /** The packed refs that the process has seen; null: none yet. */
  #packed: string | null = null
  #idle: NodeJS.Timeout | undefined

  /** @param longest milliseconds of a transaction, beside those for each of its refs. */
  constructor(git: Git, directory: string, longest = longestTransaction) {
    this.#git = git
    this.#directory = directory
    this.#longest = longest
  }

  /** Starts the process unless it runs. */
  warm(): void {
    if (!this.#child?.stdin.writable) this.#start()
    this.#endWhenIdle()
  }

  /** @param instructions in the form of `git update-ref --stdin -z`, one for each ref. */
  async commit(instructions: readonly string[]): Promise<TransactionResult> {
    clearTimeout(this.#idle)
    const lasting = await this.#upToDate()
    const first = await this.#transact(lasting ?? this.#start(), instructions)
    // A process that ended while it was idle has not begun: another is asked.
    const died = lasting !== null && !first.begun && !first.hung
    const result = died ? await this.#transact(this.#start(), instructions) : first
    this.#packed = await packedVersion(this.#directory)
    this.#endWhenIdle()
    return result
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const child = this.#child
    if (child === null) return
    const timer = setTimeout(() => killChild(child), this.#longest)
    await endChild(child)
    clearTimeout(timer)
  }

  /**
   * The process, unless packed-refs has changed since it read them: git tells one file from another by second, size and
   * inode, and might compare a ref with an older value.
   */
  async #upToDate(): Promise<ChildProcessWithoutNullStreams | null> {
    if (!this.#child?.stdin.writable) return null
    if (this.#packed === null || (await packedVersion(this.#directory)) === this.#packed) return this.#child
    this.#child.stdin.end()
    return null
  }

  #transact(
    child: ChildProcessWithoutNullStreams,
    instructions: readonly string[],
  ): Promise<TransactionResult & { readonly begun: boolean }> {
    return new Promise((resolve, reject) => {
      let stdout = ''
      let stderr = ''
      let hung = false
      const timer = setTimeout(
        () => {
          hung = true
          killChild(child)
        },
        this.#longest + timeOfRef * instructions.length,
      )
      const onStdout = (chunk: Buffer) => {
        stdout += chunk.toString()
        if (success.test(stdout)) finish()
      }
      const onStderr = (chunk: Buffer) => (stderr += chunk.toString())
      const finish = () => {
        clearTimeout(timer)
        child.stdout.off('data', onStdout)
        child.stderr.off('data', onStderr)
        child.off('close', finish)
        child.off('error', reject)
        resolve({
          end: endOf(stdout, hung ? '' : stderr),
          hung,
          begun: stdout !== '' || stderr !== '',
          stderr: stderr.trim(),
        })
      }
      child.stdout.on('data', onStdout)
      child.stderr.on('data', onStderr)
      child.once('close', finish)
      child.once('error', reject)
      child.stdin.write(`start\0${instructions.join('')}prepare\0commit\0`)
    })
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = this.#git.start(['update-ref', '--no-deref', '--stdin', '-z'], this.#directory)
    const forget = () => {
      if (this.#child === child) this.#child = null
    }
    child.once('close', forget)
    // A transaction that is under way listens for the same event, and rejects.
    child.on('error', forget)
    child.stdin.on('error', () => child.stdin.destroy())
    this.#child = child
    this.#packed = null
    return child
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#child?.stdin.end(), idleTime).unref()
  }
}

function endOf(stdout: string, stderr: string): TransactionResult['end'] {
  if (success.test(stdout)) return 'done'
  if (stdout.includes('prepare: ok')) return 'broken-off'
  return stderr === '' ? 'killed' : 'refused'
}

/** Tells one state of a repository’s packed refs from another, finer than git does; empty where there are none. */
export async function packedVersion(directory: string): Promise<string> {
  const now = await stat(join(directory, 'packed-refs'), { bigint: true }).catch(nullIfMissing)
  return now === null ? '' : `${now.ino} ${now.size} ${now.mtimeNs}`
}
