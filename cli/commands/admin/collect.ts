import { exitCodes } from '../../../src/contract/failure.ts'
import { operator, type CollectedProject } from '../../../src/contract/operator.ts'
import type { Output } from '../../output.ts'
import { bytesText } from './bytes-text.ts'
import { callOperator, type AdminOptions } from './administration.ts'

/** `quire admin gc [slug]`. */
export async function collect(slug: string | undefined, options: AdminOptions, output: Output): Promise<number> {
  const items: CollectedProject[] = []
  await callOperator(options, async (client) => {
    const slugs = slug === undefined ? (await client.call(operator.projects.list)).slugs : [slug]
    for (const [index, project] of slugs.entries()) {
      output.redraw(`collecting ${project} (${index + 1} of ${slugs.length})`)
      items.push(await client.call(operator.projects.collect, { params: { slug: project } }))
    }
  })
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
