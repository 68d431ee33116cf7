import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject } from '../project.ts'

export function define(command: Command): void {
  command
    .argument('<slug>', 'the new slug')
    .action((slug: string) => run((output, url) => rename(slug, { url }, output)))
}

/** `quire rename <slug>`. Not tried again: what was renamed is not there under its old slug. */
async function rename(wanted: string, { url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, slug } = await openProject(url, output)
  const project = await client.call(contract.projects.update, { params: { slug }, body: { slug: wanted } })
  output.note(output.paint('dim', `${slug} is ${project.slug} now; for a while its old addresses lead there`))
  output.result(project, project.url)
  return exitCodes.ok
}
