import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { lowerPriority } from '../../lib/priority.ts'
import { startProcess } from '../../lib/processes.ts'

/** An open file that git reads itself. */
export interface FileInput {
  readonly fd: number
}

type RunningGit = ChildProcessByStdio<Writable | null, Readable, Readable>

interface SpawnOptions {
  readonly input?: string | Uint8Array | FileInput
  /** Of a processor. */
  readonly processorSeconds?: number
  /** With low priority. */
  readonly background?: boolean
}

/** Where the system has a lower limit already, that one holds. */
const limitTime = 'ulimit -S -t "$1" 2>/dev/null; shift; exec "$@"'

/** Starts git as the leader of a group of its own: whoever ends that ends the children of git, too. Throws as `startProcess`. */
export function spawnGit(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { input, processorSeconds, background = false }: SpawnOptions,
): RunningGit {
  const stdin = isFile(input) ? input.fd : 'pipe'
  const limited = processorSeconds === undefined ? [] : ['-c', limitTime, 'sh', String(processorSeconds), 'git']
  const child = startProcess(limited.length === 0 ? 'git' : '/bin/sh', [...limited, ...args], {
    env: { ...env },
    stdio: [stdin, 'pipe', 'pipe'],
    detached: true,
  })
  if (background && child.pid !== undefined) lowerPriority(child.pid)
  return child
}

export function isFile(input: SpawnOptions['input']): input is FileInput {
  return typeof input === 'object' && 'fd' in input
}

/** What a process prints; one that prints too much is killed. */
export class Output {
  truncated = false
  readonly #stdout: Buffer[] = []
  readonly #stderr: Buffer[] = []
  #length = 0

  constructor(child: RunningGit, maxBytes: number) {
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

  read(): { readonly stdout: Buffer; readonly stderr: string; readonly truncated: boolean } {
    return {
      stdout: Buffer.concat(this.#stdout),
      stderr: Buffer.concat(this.#stderr).toString(),
      truncated: this.truncated,
    }
  }
}
