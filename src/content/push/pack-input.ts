import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import type { Git } from '../git/git.ts'
import type { PktReader } from './pkt-line.ts'

export interface PackRequest {
  /** Writes into the quarantine. */
  readonly git: Git
  readonly directory: string
  readonly reader: PktReader
  /** Of the pack as it is sent. */
  readonly maxBytes: number
  readonly maxObjects: number
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

/**
 * Lets git unpack, check and index the pack while it arrives; no more of it is in memory than a chunk.
 *
 * @throws Failure for a pack that is too large, damaged or not sound.
 */
export async function unpack(request: PackRequest): Promise<void> {
  const { git, directory, reader, signal } = request
  const start = await readHeader(request)
  const strict = `--strict=${ownRules.map((rule) => `${rule}=ignore`).join(',')}`
  // Blobs beyond the limit pass through, so that they can be named.
  const settings = ['-c', `core.bigFileThreshold=${limits.fileBytes + 1}`, '-c', 'core.deltaBaseCacheLimit=16m']
  const child = git
    .with({ GIT_ALLOC_LIMIT: String(maxAllocation) })
    .start([...settings, 'index-pack', '--stdin', '--fix-thin', '--threads=2', strict], directory)
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  const ended = whenEnded(child)
  try {
    let bytes = 0
    for (let chunk: Buffer | null = start; chunk !== null; chunk = await reader.chunk()) {
      bytes += chunk.length
      if (bytes > request.maxBytes) throw tooLarge(request.maxBytes)
      // It has ended before the pack has: what it said tells why.
      if (!(await write(child, chunk))) break
    }
    child.stdin.end()
    const { code, stderr } = await ended
    signal.throwIfAborted()
    if (code !== 0) throw problemOf(stderr)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    await ended
  }
}

/** https://git-scm.com/docs/gitformat-pack: how many objects there are is said first. */
async function readHeader({ reader, maxObjects }: PackRequest): Promise<Buffer> {
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

/** Returns false when the process takes no more. */
async function write(child: ChildProcessWithoutNullStreams, chunk: Buffer): Promise<boolean> {
  if (!child.stdin.writable) return false
  if (child.stdin.write(chunk)) return true
  const done = new AbortController()
  const closed = once(child.stdin, 'close', { signal: done.signal }).catch(ignoreAbort)
  const drained = once(child.stdin, 'drain', { signal: done.signal }).catch(ignoreAbort)
  await Promise.race([drained, closed])
  done.abort()
  return child.stdin.writable
}

function ignoreAbort(error: Error): void {
  if (error.name !== 'AbortError') throw error
}

function whenEnded(child: ChildProcessWithoutNullStreams): Promise<{ code: number | null; stderr: string }> {
  let stderr = ''
  child.stdout.resume()
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4000)))
  child.stdin.on('error', () => child.stdin.destroy())
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, stderr: error.message }))
    child.once('close', (code) => resolve({ code, stderr }))
  })
}

function tooLarge(maxBytes: number): Failure {
  return new Failure('request_too_large', `The push is larger than ${Math.floor(maxBytes / 2 ** 20)} MB.`, {
    hint: 'Push the history in several parts, and keep large files out of it.',
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
