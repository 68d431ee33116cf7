import type { Command } from 'commander'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { addExamples } from '../help.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { findBranch, openProject } from '../service/project.ts'
import { openBrowser } from '../terminal.ts'

export function defineOpen(command: Command): void {
  addExamples(command, [
    ['open', 'the live site'],
    ['open new-api', 'the preview of a branch'],
    ['open --dashboard', 'the project in the dashboard'],
  ])
    .argument('[branch]', 'the branch to show (default: what is live)')
    .option('--site', 'its pages, as readers see them (default)')
    .option('--dashboard', 'where it is worked on')
    .action((branch: string | undefined, options: Where) =>
      run((output, url) => open(branch, { ...options, url }, output)),
    )
}

interface Where {
  readonly site?: boolean
  readonly dashboard?: boolean
}

/** `quire open [branch]`: the address is printed in any case. */
async function open(
  name: string | undefined,
  { url, site, dashboard }: Where & { readonly url: string },
  output: Output,
): Promise<number> {
  if (site === true && dashboard === true)
    throw new Failure('invalid_request', '--site and --dashboard are two addresses.', { hint: 'Name one of them.' })
  const opened = await openProject(url, output)
  const branch = name === undefined || name === 'main' ? undefined : await findBranch(opened, name)
  const page = branch === undefined ? '' : `/branches/${encodeURIComponent(branch.id)}`
  const address =
    dashboard === true
      ? new URL(`/dashboard/${opened.slug}${page}`, url).href
      : (branch?.previewUrl ?? opened.project.url)
  output.result({ url: address }, address)
  if (output.environment.browser && !output.json) openBrowser(address, output)
  return exitCodes.ok
}
