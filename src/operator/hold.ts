import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { projectDocument } from '../projects/document.ts'
import type { Client } from '../client/client.ts'
import { Failure } from '../contract/failure.ts'
import { operator, type Snapshot } from '../contract/operator.ts'
import { nullIfMissing } from '../lib/disk.ts'
import { streamNames } from '../storage/records.ts'
import { filesBelow, readDocumentFile, type DataDirectory } from './data-directory.ts'

/**
 * Reads the snapshot of a project. Whoever calls sees to it that no ref moves and nothing is written to a stream meanwhile:
 * the document is then one that was there while all refs had these values, and the streams these lengths.
 */
export async function readSnapshot({ directory, git }: DataDirectory, slug: string): Promise<Snapshot> {
  const refs = await readRefs({ directory, git }, slug)
  const document = await readDocumentFile(directory, projectDocument(slug))
  const grown: Record<string, number> = {}
  for (const folder of streamNames) {
    for (const path of await filesBelow(join(directory, slug), folder))
      grown[path] = (await stat(join(directory, slug, path))).size
  }
  return { slug, document, refs, grown }
}

async function readRefs({ directory, git }: DataDirectory, slug: string): Promise<Snapshot['refs']> {
  const repository = join(directory, `${slug}.git`)
  if ((await stat(join(repository, 'HEAD')).catch(nullIfMissing)) === null) return null
  const output = await git.check(['for-each-ref', '--format=%(objectname) %(refname)'], { directory: repository })
  const lines = output.toString().split('\n')
  return lines.filter((line) => line !== '').map((line) => [line.slice(41), line.slice(0, 40)])
}

/**
 * Runs work on a project of which nothing is removed meanwhile that its snapshot refers to. When the service takes that
 * back, this is what went wrong, whatever the work says.
 *
 * Throws Failure `unavailable` when the service ends.
 */
export async function whileHeld<T>(
  client: Pick<Client, 'events'>,
  slug: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const released = new AbortController()
  const events = client.events<Snapshot>(operator.projects.hold, { params: { slug }, signal: released.signal })
  const first = await nextOf(events)
  let lost = false
  // The stream has one event: it ends with the hold.
  const ended = events.next().then(
    () => (lost = true),
    () => (lost = true),
  )
  try {
    const result = await work(first)
    if (lost) throw serviceEnded()
    return result
  } catch (error) {
    throw lost ? serviceEnded() : error
  } finally {
    released.abort()
    await ended
  }
}

async function nextOf(events: AsyncGenerator<Snapshot, void, undefined>): Promise<Snapshot> {
  try {
    const { value } = await events.next()
    if (value !== undefined) return value
  } catch (error) {
    throw error instanceof Failure ? error : serviceEnded(error)
  }
  throw serviceEnded()
}

function serviceEnded(cause?: unknown): Failure {
  return new Failure('unavailable', 'The service ended, or took too long, while this was under way.', {
    hint: 'Start it again, or leave it stopped; then repeat the command.',
    cause,
  })
}
