import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { diskRefusal, hasCode, isMissing } from '../lib/disk.ts'
import { startProcess } from '../lib/processes.ts'

/** A data directory that this process has for itself. */
export interface DirectoryLock {
  /** Absolute path. */
  readonly directory: string
  /** Lets others in. The death of the process does the same, kill -9 included. */
  release(): Promise<void>
}

interface LockedDirectory extends DirectoryLock {
  /** Which file is locked, by device and number; null: a copy that is only read has none. */
  readonly file: Pick<Stats, 'dev' | 'ino'> | null
}

/** A data directory that this process serves from. */
export interface ServedDirectory extends LockedDirectory {
  /** Why nothing can be written into it, in a few words; null when it takes writes. */
  readonly readOnly: string | null
}

export const lockFile = '.lock'
const inUseReason = 'in_use'

/**
 * Makes the directory if need be, closed to other users, and locks it for this process. What this process and those that
 * it starts write from now on is closed to them, too.
 *
 * Node cannot flock, so util-linux's `flock` locks a descriptor that it inherits: the lock belongs to the open file,
 * which stays ours when the helper has ended. Throws Failure `unavailable` naming the directory and, where known, the
 * process that holds it.
 */
export async function lockDirectory(directory: string): Promise<LockedDirectory> {
  const path = resolve(directory)
  makeDirectory(path)
  closeToOthers(path)
  // A bare descriptor: a FileHandle that nobody refers to is closed by the garbage collector, and the lock with it.
  const descriptor = openSync(join(path, lockFile), constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    if (!(await flock(descriptor, 'exclusive'))) throw inUse(path)
    notePid(descriptor)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return lockOf(path, descriptor)
}

/**
 * As `lockDirectory`, and where nothing can be written a directory to serve from all the same: its disk is read-only or
 * full, or this user may only read it.
 *
 * A disk that takes no writes can still be locked by whoever can open the lock file for reading, and is, for readers:
 * several services may read it, and none writes meanwhile. Where the lock file is missing, in a copy, nobody is assumed to
 * write: nobody can through this mount. Throws Failure `unavailable`, too, where there is nothing to serve.
 */
export async function serveDirectory(directory: string, contentFile: string): Promise<ServedDirectory> {
  const path = resolve(directory)
  makeDirectory(path)
  const closed = refusalOf(() => accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK))
  if (closed !== null) {
    requireContent(path, contentFile, { reason: closed, lasts: true })
    process.umask(0o077)
    return { ...(await lockForReading(path)), readOnly: closed }
  }
  const lock = await lockDirectory(path)
  const full = refusalOf(() => writeProbe(path))
  try {
    if (full !== null) requireContent(path, contentFile, { reason: full, lasts: false })
  } catch (error) {
    await lock.release()
    throw error
  }
  return { ...lock, readOnly: full }
}

async function lockForReading(path: string): Promise<LockedDirectory> {
  let descriptor: number
  try {
    descriptor = openSync(join(path, lockFile), constants.O_RDONLY)
  } catch (error) {
    if (isMissing(error)) return { directory: path, release: async () => undefined, file: null }
    throw error
  }
  try {
    if (!(await flock(descriptor, 'shared'))) throw inUse(path)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return lockOf(path, descriptor)
}

function lockOf(path: string, descriptor: number): LockedDirectory {
  let held = true
  const release = async (): Promise<void> => {
    // Closing twice could close what got the same number since.
    if (held) closeSync(descriptor)
    held = false
  }
  return { directory: path, release, file: fstatSync(descriptor) }
}

/** Who holds it is for the message of whoever does not get it: a full disk keeps nobody from locking. */
function notePid(descriptor: number): void {
  try {
    ftruncateSync(descriptor)
    writeSync(descriptor, `${process.pid}\n`, 0)
  } catch (error) {
    if (diskRefusal(error) === null) throw error
  }
}

/** Why something was refused by the disk or its permissions; null where it was not. */
function refusalOf(work: () => void): string | null {
  try {
    work()
    return null
  } catch (error) {
    const reason = writeRefusal(error)
    if (reason !== null) return reason
    throw error
  }
}

/** Why a write was refused, where an error says that the disk or its permissions did; else null. */
export function writeRefusal(error: unknown): string | null {
  const isForbidden = hasCode(error, 'EACCES') || hasCode(error, 'EPERM')
  return diskRefusal(error) ?? (isForbidden ? 'its user may not write into the data directory' : null)
}

/** As much as a start writes at once. */
const probeBytes = 64 * 1024

/** Writes a file and removes it; one that a killed process leaves goes with other temporary files. */
function writeProbe(path: string): void {
  const file = join(path, `${lockFile}.${randomBytes(8).toString('hex')}.tmp`)
  try {
    const descriptor = openSync(file, 'wx', 0o600)
    try {
      // A full disk takes a part first, and refuses the next write.
      for (let left = probeBytes; left > 0;) left -= writeSync(descriptor, Buffer.alloc(left))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } finally {
    rmSync(file, { force: true })
  }
}

/** An empty directory that takes no writes is a mistake in the settings, and no service. */
function requireContent(
  path: string,
  contentFile: string,
  { reason, lasts }: { readonly reason: string; readonly lasts: boolean },
): void {
  if (existsSync(join(path, contentFile))) return
  throw new Failure('unavailable', `Nothing can be written into the data directory ${path}: ${reason}.`, {
    hint: 'There is nothing in it that could be served either. Make room, give the user of the service the directory, or set DATA_DIR to another one.',
    lasts,
  })
}

/** Drafts and accounts are in it. Where this user may not close it, what is written into it is closed all the same. */
function closeToOthers(path: string): void {
  process.umask(0o077)
  if ((statSync(path).mode & 0o077) === 0) return
  try {
    chmodSync(path, 0o700)
  } catch (error) {
    if (!hasCode(error, 'EPERM') && diskRefusal(error) === null) throw error
  }
}

function makeDirectory(path: string): void {
  try {
    makeMissing(path)
  } catch (cause) {
    const isFile = hasCode(cause, 'EEXIST') || hasCode(cause, 'ENOTDIR')
    const reason = isFile ? 'a file is in its place or above it' : whyNotMade(cause)
    throw new Failure('unavailable', `The data directory ${path} cannot be made: ${reason}.`, {
      hint: isFile
        ? 'Set DATA_DIR to a directory, or to a path where one can be made.'
        : 'Make it for the user of the service, or set DATA_DIR to another one.',
      lasts: !hasCode(cause, 'ENOSPC') && !hasCode(cause, 'EDQUOT'),
      cause,
    })
  }
}

/** Node’s own recursion does not end where a directory is there and takes none, as `/proc`. */
function makeMissing(path: string): void {
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const one of missing) {
    try {
      mkdirSync(one, { mode: 0o700 })
    } catch (error) {
      // Who starts at the same moment makes it, too.
      if (!hasCode(error, 'EEXIST') || !existsSync(one)) throw error
    }
  }
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(`${path} is a file`), { code: 'EEXIST' })
}

function whyNotMade(error: unknown): string {
  if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM')) return 'the user of the service may not write there'
  if (isMissing(error)) return 'nothing can be made there'
  const refusal = diskRefusal(error)
  if (refusal !== null) return refusal
  if (error instanceof Error && 'code' in error) return String(error.code)
  throw error
}

/** True when the lock is ours now, false when somebody else has it. */
async function flock(descriptor: number, kind: 'exclusive' | 'shared'): Promise<boolean> {
  const { code, complaint } = await new Promise<{ code: number | null; complaint: string }>((done, fail) => {
    const child = startProcess('flock', [`--${kind}`, '-n', '-E', '9', '3'], {
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
    })
    let text = ''
    child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.once('error', fail)
    child.once('close', (exit) => done({ code: exit, complaint: text.trim() }))
  }).catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause
    throw new Failure('unavailable', 'The program `flock`, which guards the data directory, is missing.', {
      hint: 'Install util-linux; on macOS the package `flock`.',
      lasts: true,
      cause,
    })
  })
  if (code === 0) return true
  if (code === 9) return false
  throw new Failure('unavailable', `The data directory could not be locked: ${complaint}.`, {
    hint: 'Its file system must support flock.',
    lasts: true,
  })
}

function inUse(directory: string): Failure {
  const pid = readFileSync(join(directory, lockFile), 'utf8').trim()
  const holder = isAlive(pid) ? `process ${pid}` : 'another process'
  return new Failure('unavailable', `The data directory ${directory} is in use by ${holder}.`, {
    hint: 'One data directory serves one process: stop the other one, or set DATA_DIR to another directory.',
    extra: { reason: inUseReason },
  })
}

/** Who only reads leaves no number: what is there may be of a process long gone. */
function isAlive(pid: string): boolean {
  if (!/^\d+$/.test(pid)) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

/** Whether a directory could not be locked because another process has it. */
export function isInUse(error: unknown): boolean {
  return error instanceof Failure && error.extra['reason'] === inUseReason
}
