import type { Client } from '../client/client.ts'
import { operator, type DiskReport, type OnProgress, type ProjectDisk } from '../contract/operator.ts'
import type { DataDirectory } from '../storage/directory/data-directory.ts'

/** Projects that are looked at between two words about progress. */
const atOnce = 100

/** What the disk gives for a data directory and each project in it, whoever works there meanwhile. */
export async function diskReport(options: {
  readonly directory: DataDirectory
  readonly client: Pick<Client, 'call'>
  readonly onProgress: OnProgress
}): Promise<DiskReport> {
  const { directory, client, onProgress } = options
  const { items: projects } = await client.call(operator.projects.list)
  const ids = projects.map(({ id }) => id)
  const items: ProjectDisk[] = []
  for (let from = 0; from < projects.length; from += atOnce) {
    onProgress(`${from} of ${projects.length} projects`)
    const uses = await directory.diskUse(ids.slice(from, from + atOnce))
    for (const { id, slug: project, owner } of projects.slice(from, from + atOnce)) {
      const use = uses.get(id)
      if (use === undefined) continue
      items.push({ project, owner, ...use, total: Object.values(use).reduce((sum, bytes) => sum + bytes, 0) })
    }
  }
  const { others: service, free, size } = await directory.space(ids)
  const total = items.reduce((sum, item) => sum + item.total, service)
  items.sort((one, other) => other.total - one.total)
  return { items, service, total, free, size }
}
