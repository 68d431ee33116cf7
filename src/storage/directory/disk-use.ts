import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Failure } from '../../contract/failure.ts'
import { isMissing } from '../../lib/disk.ts'
import { lowerPriority } from '../../lib/priority.ts'
import { startProcess } from '../../lib/processes.ts'
import { commonFolder } from '../blobs/common.ts'
import { documentOf, fileOf, keptVersionOf, projectIdOf } from '../documents/document-files.ts'
import { streamNames } from '../records.ts'

/** Bytes that the disk gives for a project, by what they are for. */
export interface DiskUse {
  repository: number
  /** Published files and what lists them. */
  releases: number
  records: number
  documents: number
}

/** Paths of one `du`: its arguments have a bounded length. */
const pathsAtOnce = 400
const isStream: ReadonlySet<string> = new Set(streamNames)

/**
 * What the disk gives for projects, by id; zeros for one that is not there. A process of low priority looks: thousands of
 * files would hold the event loop, and the pool that all other reading waits for.
 *
 * Throws Failure `unavailable` where that cannot be had.
 */
export async function diskUseOf(directory: string, projectIds: readonly string[]): Promise<Map<string, DiskUse>> {
  const uses = new Map<string, DiskUse>()
  for (const id of projectIds) uses.set(id, { repository: 0, releases: 0, records: 0, documents: 0 })
  const paths = projectIds.flatMap(pathsOf)
  for (let from = 0; from < paths.length; from += pathsAtOnce)
    // A file with several names counts under the first: what projects share is nobody’s.
    for await (const [bytes, path] of lookAt(directory, [commonFolder, ...paths.slice(from, from + pathsAtOnce)], 1))
      count(uses, bytes, path)
  return uses
}

/** Bytes of all in a data directory that is no project’s: accounts and other documents of the service, what a crash left. */
export async function otherDiskUse(directory: string, projectIds: readonly string[]): Promise<number> {
  const ofProjects = new Set(projectIds)
  const others = (await readdir(directory)).filter((name) => {
    const document = documentOf(name) ?? keptVersionOf(name)?.document
    const id = (document === undefined ? null : projectIdOf(document)) ?? name.replace(/\.git$/, '')
    return !ofProjects.has(id)
  })
  let sum = 0
  for (let from = 0; from < others.length; from += pathsAtOnce)
    for await (const [bytes] of lookAt(directory, others.slice(from, from + pathsAtOnce), 0)) sum += bytes
  return sum
}

function pathsOf(id: string): readonly string[] {
  const file = fileOf(`project/${id}`)
  return [`${id}.git`, id, file, `${file}.previous`, `${file}.damaged`]
}

/** A folder’s own number comes after those of the folders in it, and has them. */
function count(uses: ReadonlyMap<string, DiskUse>, bytes: number, path: string): void {
  const [name = '', folder] = path.split('/', 2)
  const id = name.replace(/\.git$|\.json(?:\.\w+)?$/, '')
  const use = uses.get(id)
  if (use === undefined) return
  if (name === `${id}.git`) use.repository = bytes
  else if (name !== id) use.documents += bytes
  else if (folder === undefined) use.releases = bytes - use.records
  else if (isStream.has(folder)) use.records += bytes
}

/** Sizes of paths and, to a depth, of folders below them. What is not there is left out. */
async function* lookAt(
  directory: string,
  paths: readonly string[],
  depth: number,
): AsyncGenerator<readonly [bytes: number, path: string]> {
  // As POSIX has them; `-d` is everywhere, too.
  const args = ['-k', '-d', String(depth), '--', ...paths]
  const child = startProcess('du', args, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] })
  if (child.pid !== undefined) lowerPriority(child.pid)
  const closed = once(child, 'close').catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause
    throw new Failure('unavailable', 'The program `du`, which tells what the disk gives, is missing.', {
      hint: 'Install coreutils.',
      cause,
    })
  })
  try {
    if (child.stdout !== null) {
      for await (const line of createInterface({ input: child.stdout })) {
        const [, kilobytes, path] = /^(\d+)\t(.+)$/.exec(line) ?? []
        if (path !== undefined) yield [Number(kilobytes) * 1024, path]
      }
    }
    await closed
  } finally {
    child.kill()
    closed.catch(() => undefined)
  }
}
