import type { Command } from 'commander'
import type { Deploy } from '../../src/contract/deploys.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Output } from '../output.ts'
import { openProject } from '../project.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command
    .argument('[deploy]', 'id or number of the deploy (default: the one that was live before)')
    .action((target: string | undefined) => run((output, url) => rollback(target, { url }, output)))
}

/** `quire rollback [deploy]`: the newest deploy before the live one where none is named. */
async function rollback(
  target: string | undefined,
  options: { readonly url: string },
  output: Output,
): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  const { items } = await client.call(contract.deploys.list, { params: { slug }, query: { limit: 200 } })
  const wanted =
    target === undefined
      ? before(items, slug)
      : items.find((deploy) => deploy.id === target || String(deploy.number) === target)
  // An id that is too old for the list may still be kept: the service knows.
  const deployId = wanted?.id ?? target
  if (deployId === undefined || (wanted === undefined && /^\d+$/.test(deployId))) {
    throw new Failure('not_found', `${slug} has no deploy ${target ?? ''}.`, { hint: 'quire deploys lists them.' })
  }
  const deploy = await client.call(contract.deploys.rollback, { params: { slug }, body: { deployId } })
  output.note(
    output.paint('dim', `${slug} serves deploy ${wanted?.number ?? deployId} again, as deploy ${deploy.number}`),
  )
  output.result(deploy, deploy.url)
  return exitCodes.ok
}

/**
 * The version before the live one. A rollback counts as the deploy that it serves again, so that rolling back twice
 * goes back two versions.
 */
function before(items: readonly Deploy[], slug: string): Deploy {
  const current = items.find((deploy) => deploy.status === 'live')
  const original = items.find((deploy) => deploy.id === current?.rollbackOf) ?? current
  const previous = items.find(
    (deploy) => deploy.status === 'superseded' && deploy.kind !== 'rollback' && deploy.number < (original?.number ?? 0),
  )
  if (previous === undefined) throw new Failure('not_found', `${slug} has no earlier version to go back to.`)
  return previous
}
