import { exitCodes } from '../../../src/contract/failure.ts'
import type { CollectedProject } from '../../../src/contract/operator.ts'
import type { Output } from '../../output.ts'
import { bytesText } from './bytes-text.ts'
import { withAdministration, type AdminOptions } from './administration.ts'

/** `quire admin gc [slug]`. */
export async function collect(slug: string | undefined, options: AdminOptions, output: Output): Promise<number> {
  const items = await withAdministration(options, (administration) =>
    administration.collect(slug, (at) => output.redraw(`collecting ${at}`)),
  )
  const freed = items.filter(
    ({ repositoryBytes, releases, releaseBytes }) => repositoryBytes || releases || releaseBytes,
  )
  const total = items.reduce((sum, { repositoryBytes, releaseBytes }) => sum + repositoryBytes + releaseBytes, 0)
  output.result({ items }, [...freed.map(row), `Freed ${bytesText(Math.max(0, total))}.`].join('\n'))
  return exitCodes.ok
}

function row({ project, repositoryBytes, releases, releaseBytes }: CollectedProject): string {
  const dropped = `${releases} ${releases === 1 ? 'release' : 'releases'}`
  return `${project}: repository ${bytesText(repositoryBytes)}, ${dropped} ${bytesText(releaseBytes)}`
}
