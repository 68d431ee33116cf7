import type { Command } from 'commander'
import type { Deploy } from '../../src/contract/deploys.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { count, type Output } from '../output.ts'
import { run } from '../program.ts'
import { firstItems, openProject } from '../service/project.ts'

export function defineDeploys(command: Command): void {
  command
    .option('-n, --limit <number>', 'how many', Number, 10)
    .action((options: { limit: number }) => run((output, url) => listDeploys({ ...options, url }, output)))
}

function deployLine(deploy: Deploy, output: Output): string {
  const colors = { live: 'green', failed: 'red', building: 'cyan', queued: 'cyan', superseded: 'dim' } as const
  const message = deploy.message === undefined ? '' : `  ${deploy.message.split('\n')[0] ?? ''}`
  return [
    String(deploy.number).padStart(5),
    output.paint(colors[deploy.status], deploy.status.padEnd(10)),
    deploy.kind.padEnd(8),
    deploy.createdAt.slice(0, 16).replace('T', ' '),
    count(deploy.pages.total, 'page').padStart(11),
    `${deploy.id}${message}`,
  ].join('  ')
}

/** `quire deploys`. */
async function listDeploys(options: { readonly url: string; readonly limit: number }, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  const items = await firstItems(
    (query) => client.call(contract.deploys.list, { params: { slug }, query }),
    options.limit,
  )
  output.result(
    { items },
    items.length === 0 ? `${slug} has no deploys yet.` : items.map((deploy) => deployLine(deploy, output)).join('\n'),
  )
  return exitCodes.ok
}

export function defineRollback(command: Command): void {
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
      ? versionBefore(items, slug)
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
function versionBefore(items: readonly Deploy[], slug: string): Deploy {
  const current = items.find((deploy) => deploy.status === 'live')
  const original = items.find((deploy) => deploy.id === current?.rollbackOf) ?? current
  const previous = items.find(
    (deploy) => deploy.status === 'superseded' && deploy.kind !== 'rollback' && deploy.number < (original?.number ?? 0),
  )
  if (previous === undefined) throw new Failure('not_found', `${slug} has no earlier version to go back to.`)
  return previous
}
