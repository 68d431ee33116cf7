import { once } from 'node:events'
import { join } from 'node:path'
import type { DataDirectory, Snapshot } from './snapshot.ts'

/** One thread and a bounded window: the service needs the machine, too. Deltas that there are are taken as they are. */
const settings = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m', '-c', 'core.deltaBaseCacheLimit=16m']

/** A Git pack of all objects that a project's refs reach; nothing where there is no ref. Throws when git fails. */
export async function* reachableObjects(
  { directory, git }: DataDirectory,
  { slug, refs }: Snapshot,
): AsyncGenerator<Buffer> {
  if (refs === null || refs.length === 0) return
  const args = [...settings, 'pack-objects', '--revs', '--stdout', '--delta-base-offset', '--quiet']
  const child = git.start(args, join(directory, `${slug}.git`))
  const closed = once(child, 'close') as Promise<[code: number | null]>
  // Looked at below: the output ends first.
  closed.catch(() => undefined)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  // Git may end without reading all; its exit code says why.
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end([...new Set(refs.map(([, oid]) => oid))].join('\n') + '\n')
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer
    const [code] = await closed
    if (code !== 0) throw new Error(`git pack-objects of ${slug} ended with code ${code}: ${stderr.trim()}`)
  } finally {
    child.kill()
  }
}
