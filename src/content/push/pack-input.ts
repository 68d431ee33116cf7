import { open } from 'node:fs/promises'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { GitError, type Git } from '../git/git.ts'
import type { PktReader } from '../git/pkt-line.ts'

/** Bytes of a pack as it is sent: 20 times the largest request. */
export const maxPackBytes = 20 * limits.requestBytes

export interface SpoolRequest {
  /** The file that is made. */
  readonly path: string
  readonly reader: PktReader
  /** Of the pack as it is sent. */
  readonly maxBytes: number
  readonly maxObjects: number
  /** Told of every piece before it is written; what it throws refuses the pack. */
  readonly onBytes: (bytes: number) => void
}

export interface PackRequest {
  /** Writes into the quarantine. */
  readonly git: Git
  readonly directory: string
  /** The pack, whole. */
  readonly path: string
  readonly bytes: number
  readonly signal: AbortSignal
}

/**
 * What the push’s own rules say better, with the path (push-content.ts); all else that fsck knows is refused here.
 * https://git-scm.com/docs/git-fsck#_fsck_messages
 */
const ownRules = [
  'emptyName fullPathname hasDot hasDotdot hasDotgit duplicateEntries badFilemode',
  'gitmodulesBlob gitmodulesLarge gitmodulesMissing gitmodulesName gitmodulesParse',
  'gitmodulesPath gitmodulesSymlink gitmodulesUpdate gitmodulesUrl',
].flatMap((line) => line.split(' '))
/** A few kilobytes of deltas may stand for an object of gigabytes: git refuses to make one larger than this. */
const maxAllocation = 64 * 1024 * 1024

const headerBytes = 12

/** Seconds of a processor: an honest pack needs a hundredth of these, made to be slow it needs any number. */
const baseSeconds = 4
const bytesPerSecond = 1024 * 1024
/** Milliseconds for git to unpack, check and index a pack. */
const longestUnpacking = 5 * 60_000

/**
 * Keeps a pack in a file as it comes, however slowly: until it is whole it needs no process.
 *
 * @returns its bytes.
 * @throws Failure for what is no pack, or is too large.
 */
export async function spool(request: SpoolRequest): Promise<number> {
  const { path, reader, maxBytes, onBytes } = request
  const file = await open(path, 'wx', 0o600)
  try {
    let bytes = 0
    for (let chunk: Buffer | null = await readHeader(request); chunk !== null; chunk = await reader.chunk()) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      onBytes(chunk.length)
      await file.writeFile(chunk)
    }
    return bytes
  } finally {
    await file.close()
  }
}

/**
 * Lets git unpack, check and index a pack.
 *
 * @throws Failure for a pack that is too large, damaged or not sound.
 */
export async function unpack({ git, directory, path, bytes, signal }: PackRequest): Promise<void> {
  const strict = `--strict=${ownRules.map((rule) => `${rule}=ignore`).join(',')}`
  // Blobs beyond the limit pass through, so that they can be named.
  const settings = ['-c', `core.bigFileThreshold=${limits.fileBytes + 1}`, '-c', 'core.deltaBaseCacheLimit=16m']
  const processorSeconds = baseSeconds + Math.ceil(bytes / bytesPerSecond)
  const file = await open(path)
  try {
    const { code, stderr } = await git
      .with({ GIT_ALLOC_LIMIT: String(maxAllocation) })
      .run([...settings, 'index-pack', '--stdin', '--fix-thin', '--threads=2', strict], {
        directory,
        input: file,
        signal,
        processorSeconds,
        timeout: longestUnpacking,
        hasSlot: true,
        // Seconds of both processors, for which others do not wait.
        background: bytes > bytesPerSecond,
      })
    if (code !== 0) throw problemOf(stderr)
  } catch (error) {
    if (error instanceof GitError && error.outOfTime) throw tooMuchWork(processorSeconds)
    throw error
  } finally {
    await file.close()
  }
}

/** https://git-scm.com/docs/gitformat-pack: how many objects there are is said first. */
async function readHeader({ reader, maxObjects }: SpoolRequest): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < headerBytes) {
    const chunk = await reader.chunk()
    if (chunk === null) throw damaged('it ends too early')
    start = Buffer.concat([start, chunk])
  }
  if (start.toString('latin1', 0, 4) !== 'PACK') throw damaged('it does not start with PACK')
  const objects = start.readUInt32BE(8)
  if (objects > maxObjects) {
    throw new Failure('request_too_large', `The push has ${objects} objects; ${maxObjects} are the limit.`, {
      hint: 'Push the history in several parts: older commits first.',
    })
  }
  return start
}

function tooLarge(maxBytes: number): Failure {
  return new Failure('request_too_large', `The push is larger than ${Math.floor(maxBytes / 2 ** 20)} MB.`, {
    hint: 'Push the history in several parts, and keep large files out of it.',
  })
}

function tooMuchWork(seconds: number): Failure {
  return new Failure('request_too_large', `The pack takes more than ${seconds} s of processor time to unpack.`, {
    hint: 'Pack anew without deltas that expand to so much (git repack -adf), then push; the history in several parts if it is large.',
  })
}

function damaged(what: string): Failure {
  return new Failure('invalid_request', `The pack is damaged: ${what}.`)
}

/** What git said, as far as it is about the pack; anything else is the service’s own trouble. */
function problemOf(stderr: string): Error {
  if (/attempting to allocate|exceeds maximum allowed size|Out of memory/.test(stderr))
    return new Failure(
      'file_too_large',
      `The push has a file that is far larger than ${limits.fileBytes / 2 ** 20} MB.`,
    )
  if (/did not receive expected object|unresolved delta/.test(stderr)) {
    return new Failure('missing_objects', 'The push lacks objects of its history.', {
      hint: 'A shallow clone of another repository lacks them: run `git fetch --unshallow` there first.',
    })
  }
  const [, oid, complaint] = /^error: object ([0-9a-f]{40}): (.+)$/m.exec(stderr) ?? []
  if (oid !== undefined) return new Failure('invalid_request', `Object ${oid} is not sound: ${complaint}.`)
  const [, fatal = ''] = /^fatal: (.+)$/m.exec(stderr) ?? []
  const known =
    /^(?:early EOF|pack |packfile |invalid |bad |inflate|serious inflate|premature|object |unknown object|delta base|SHA1 COLLISION|fsck error|non delta|failed to apply delta|cannot parse)/i
  return known.test(fatal) ? damaged(fatal) : new Error(`git index-pack: ${stderr.trim()}`)
}
