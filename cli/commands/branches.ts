import type { Command } from 'commander'
import type { Branch } from '../../src/contract/branches.ts'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Output } from '../output.ts'
import { firstItems, openProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command.action(() => run((output, url) => listBranches({ url }, output)))
}

function changesOf({ changes }: Branch, output: Output): string {
  const { added, modified, deleted } = changes
  if (added + modified + deleted === 0) return output.paint('dim', 'no changes')
  return [
    output.paint('green', `+${added}`),
    output.paint('yellow', `~${modified}`),
    output.paint('red', `-${deleted}`),
  ].join(' ')
}

/** `quire branches`. */
async function listBranches(options: { readonly url: string }, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const items = await firstItems((query) =>
    withRetry(() => client.call(contract.branches.list, { params: { slug }, query }), policy),
  )
  const width = Math.max(0, ...items.map((branch) => branch.name.length))
  const lines = items.map(
    (branch) =>
      `${branch.name.padEnd(width)}  ${changesOf(branch, output)}` +
      (branch.preview.status === 'failed' ? `  ${output.paint('red', 'does not build')}` : '') +
      `\n  ${output.paint('dim', branch.previewUrl)}`,
  )
  output.result({ items }, items.length === 0 ? `${slug} has no branches beside main.` : lines.join('\n'))
  return exitCodes.ok
}
