import type { CollectedProject } from '../src/contract/operator.ts'
import { bytesText, count } from './output.ts'

/** What `quire admin gc` has freed, a line for each project that it changed. */
export function freedText(items: readonly CollectedProject[]): string[] {
  const total = items.reduce((sum, { repositoryBytes, releaseBytes }) => sum + repositoryBytes + releaseBytes, 0)
  return [...items.flatMap(lineOf), endOf(total)]
}

function lineOf({ project, repositoryBytes, releases, releaseBytes }: CollectedProject): string[] {
  const parts = [
    ...(repositoryBytes > 0 ? [`repository ${bytesText(repositoryBytes)}`] : []),
    ...(repositoryBytes < 0 ? [`repository ${bytesText(-repositoryBytes)} more`] : []),
    ...(releases > 0 || releaseBytes > 0 ? [`${count(releases, 'release')} ${bytesText(releaseBytes)}`] : []),
  ]
  return parts.length === 0 ? [] : [`${project}: ${parts.join(', ')}`]
}

function endOf(total: number): string {
  if (total > 0) return `Freed ${bytesText(total)}.`
  if (total === 0) return 'Freed nothing.'
  // Git writes an index for each pack, and a graph of the commits, which a small repository had no use for.
  return `Freed nothing: packed anew, with what finds objects in them faster, repositories take ${bytesText(-total)} more.`
}
