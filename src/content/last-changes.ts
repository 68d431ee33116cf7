import type { GitObjectStore } from './objects/object-store.ts'
import { inSlices, type Steps } from '../lib/slices.ts'
import { GitError, quickly } from './git/git.ts'
import type { Oid } from './repository.ts'

/** Commits that are looked at first, and at most: what is older is not told. */
const firstCommits = 100
const maxCommits = 10_000
/** Of git’s list of files: of that many commits a merge of everything with everything would be endless. */
const maxOutput = 16 * 1024 * 1024
const processorSeconds = 10

/** See `Repository.lastChanges`. */
export async function lastChanges(
  store: GitObjectStore,
  from: Oid,
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  const wanted = new Set(paths)
  for (const [skip, count] of [
    [0, firstCommits],
    [firstCommits, maxCommits - firstCommits],
  ] as const) {
    if (wanted.size === 0) break
    const output = await list(store, from, skip, count)
    await inSlices(readTimes(output, wanted, found))
  }
  return found
}

/** `\x01<seconds>` LF and the files of a commit, all with NULs between them; a merge lists what none of its parents had. */
async function list(store: GitObjectStore, from: Oid, skip: number, count: number): Promise<Buffer> {
  const args = ['log', '-z', '-c', '--no-renames', '--name-only', '--format=format:%x01%ct']
  args.push(`--skip=${skip}`, `--max-count=${count}`, '--end-of-options', from, '--')
  try {
    const { stdout } = await store.git.run(args, {
      directory: store.directory,
      maxOutput,
      processorSeconds,
      timeout: quickly,
    })
    return stdout
  } catch (error) {
    // What takes too long is not told.
    if (error instanceof GitError && error.outOfTime) return Buffer.alloc(0)
    throw error
  }
}

/** Takes what it finds out of `wanted`. The newest commits come first. */
function* readTimes(output: Buffer, wanted: Set<string>, found: Map<string, number>): Steps<void> {
  const now = Math.floor(Date.now() / 1000)
  let time = 0
  let at = 0
  while (at < output.length && wanted.size > 0) {
    yield
    const end = output.indexOf(0, at)
    const stop = end === -1 ? output.length : end
    let start = at
    if (output[at] === 1) {
      const line = output.indexOf(10, at)
      const ending = line === -1 || line > stop ? stop : line
      const seconds = Number(output.toString('latin1', at + 1, ending))
      // Whoever commits writes the date: one from the future would stay the newest for ever.
      time = Number.isSafeInteger(seconds) && seconds > 0 ? Math.min(seconds, now) : 0
      start = ending + 1
    }
    const path = start < stop ? output.toString('utf8', start, stop) : ''
    if (time > 0 && wanted.delete(path)) found.set(path, time)
    at = stop + 1
  }
}
