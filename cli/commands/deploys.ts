import type { Command } from 'commander'
import type { Deploy } from '../../src/contract/deploys.ts'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { count } from '../format.ts'
import type { Output } from '../output.ts'
import { firstItems, openProject } from '../project.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command
    .option('-n, --limit <number>', 'how many', Number, 10)
    .action((options: { limit: number }) => run((output, url) => listDeploys({ ...options, url }, output)))
}

function row(deploy: Deploy, output: Output): string {
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
    items.length === 0 ? `${slug} has no deploys yet.` : items.map((deploy) => row(deploy, output)).join('\n'),
  )
  return exitCodes.ok
}
