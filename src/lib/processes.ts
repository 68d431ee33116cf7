import {
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  type SpawnOptionsWithoutStdio,
} from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../contract/failure.ts'
import { hasCode } from './disk.ts'

/** What a system says that has no descriptors, processes or memory left. */
const exhausted = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

type Piped = SpawnOptions & { readonly stdio: readonly ['pipe' | number, 'pipe', 'pipe'] }

/**
 * As `spawn`, but what is returned has its streams. Without a descriptor left, Node’s has none, and tells the error later:
 * to a listener, or else to the whole process, which ends.
 *
 * @throws Failure `unavailable` when the machine has no room for another process. Other errors come as the event `error`.
 */
export function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio & { readonly stdio: 'pipe' },
): ChildProcessWithoutNullStreams
export function startProcess(
  command: string,
  args: readonly string[],
  options: Piped,
): ChildProcessByStdio<Writable | null, Readable, Readable>
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  let child
  try {
    child = spawn(command, args, options)
  } catch (error) {
    throw shortageOf(error) ?? error
  }
  // Its type does not say that it may be missing.
  if ((child as { stdio?: unknown }).stdio !== undefined) return child
  child.on('error', () => undefined)
  const error = Object.assign(new Error(`spawn ${command} EMFILE`), { code: 'EMFILE' })
  throw shortageOf(error) ?? error
}

/** The refusal of what the machine has no room for: a descriptor, a process, memory; null for any other error. */
export function shortageOf(error: unknown): Failure | null {
  if (!exhausted.some((code) => hasCode(error, code))) return null
  return new Failure('unavailable', 'The service has no room for this right now.', {
    hint: 'It has more to do than its machine can hold. Try again in a moment.',
    retryAfter: 5,
    cause: error,
  })
}

/** How many descriptors this process may have; Infinity where the system does not tell. */
export function mostDescriptors(): number {
  try {
    const [, soft = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === '' ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}

/** Whether this process has a terminal that is still there. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
