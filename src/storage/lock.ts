import { spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { hasCode, isMissing } from '../lib/disk.ts'

/** A data directory that this process has for itself. */
export interface DirectoryLock {
  /** Absolute path. */
  readonly directory: string
  /** Lets others in. The death of the process does the same, kill -9 included. */
  release(): Promise<void>
}

const lockFile = '.lock'
const inUseReason = 'in_use'

/**
 * Makes the directory if need be, closed to other users, and locks it for this process. What this process and those that
 * it starts write from now on is closed to them, too.
 *
 * Node cannot flock, so util-linux's `flock` locks a descriptor that it inherits: the lock belongs to the open file,
 * which stays ours when the helper has ended. Throws Failure `unavailable` naming the directory and, where known, the
 * process that holds it.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = resolve(directory)
  makeDirectory(path)
  closeToOthers(path)
  // A bare descriptor: a FileHandle that nobody refers to is closed by the garbage collector, and the lock with it.
  const descriptor = openSync(join(path, lockFile), constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    if (!(await flock(descriptor))) throw inUse(path)
    ftruncateSync(descriptor)
    writeSync(descriptor, `${process.pid}\n`, 0)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  let held = true
  const release = async (): Promise<void> => {
    // Closing twice could close what got the same number since.
    if (held) closeSync(descriptor)
    held = false
  }
  return { directory: path, release }
}

/** Drafts and accounts are in it. A directory of somebody else stays as it is: what is written into it is closed all the same. */
function closeToOthers(path: string): void {
  process.umask(0o077)
  const { mode, uid } = statSync(path)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, 0o700)
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    if (hasCode(cause, 'EEXIST') || hasCode(cause, 'ENOTDIR')) {
      throw new Failure(
        'unavailable',
        `The data directory ${path} cannot be made: a file is in its place or above it.`,
        {
          hint: 'Set DATA_DIR to a directory, or to a path where one can be made.',
          cause,
        },
      )
    }
    throw cause
  }
}

/** True when the lock is ours now, false when somebody else has it. */
async function flock(descriptor: number): Promise<boolean> {
  const { code, complaint } = await new Promise<{ code: number | null; complaint: string }>((done, fail) => {
    const child = spawn('flock', ['-n', '-E', '9', '3'], { stdio: ['ignore', 'ignore', 'pipe', descriptor] })
    let text = ''
    child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.once('error', fail)
    child.once('close', (exit) => done({ code: exit, complaint: text.trim() }))
  }).catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause
    throw new Failure('unavailable', 'The program `flock`, which guards the data directory, is missing.', {
      hint: 'Install util-linux; on macOS the package `flock`.',
      cause,
    })
  })
  if (code === 0) return true
  if (code === 9) return false
  throw new Failure('unavailable', `The data directory could not be locked: ${complaint}.`, {
    hint: 'Its file system must support flock.',
  })
}

function inUse(directory: string): Failure {
  const pid = readFileSync(join(directory, lockFile), 'utf8').trim()
  const holder = /^\d+$/.test(pid) ? `process ${pid}` : 'another process'
  return new Failure('unavailable', `The data directory ${directory} is in use by ${holder}.`, {
    hint: 'One data directory serves one process: stop the other one, or set DATA_DIR to another directory.',
    extra: { reason: inUseReason },
  })
}

/** Whether a directory could not be locked because another process has it. */
export function isInUse(error: unknown): boolean {
  return error instanceof Failure && error.extra['reason'] === inUseReason
}
