import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { closeBranch } from '../deploying/branch-sending.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { findBranch, openProject } from '../service/project.ts'
import { openBrowser } from '../terminal.ts'

export function definePreview(command: Command): void {
  command
    .argument('[branch]', 'default: the branch that is checked out here')
    .option('--open', 'open it in a browser')
    .action((name: string | undefined, options: { open?: boolean }) =>
      run((output, url) => preview(name, { ...options, url }, output)),
    )

  command
    .command('close')
    .description('delete a branch of quire deploy --branch, if it is there')
    .argument('<branch>', 'name of the branch')
    .option('--take', 'also where others saved on it since')
    .action((name: string, options: { take?: boolean }) =>
      run((output, url) => closeBranch(url, { name, ...options }, output)),
    )
}

/** The branch that is checked out in this folder, if it is a clone. */
async function currentBranch(): Promise<string | undefined> {
  const git = promisify(execFile)('git', ['branch', '--show-current'])
  return git.then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  )
}

/** `quire preview [branch]`: exit code 3 when the newest save does not build. */
async function preview(
  name: string | undefined,
  options: { readonly url: string; readonly open?: boolean },
  output: Output,
): Promise<number> {
  const wanted = name ?? (await currentBranch())
  if (wanted === undefined || wanted === 'main') {
    throw new Failure('invalid_request', 'Which branch? This folder has none checked out beside main.', {
      hint: 'Name one: quire preview new-api. quire branches lists them.',
    })
  }
  const branch = await findBranch(await openProject(options.url, output), wanted)
  const failed = branch.preview.status === 'failed'
  if (failed && !output.json) {
    output.note(
      `${output.paint('red', 'error')}  The newest save of ${wanted} does not build; the preview shows the one before.`,
    )
    for (const detail of branch.preview.errors) output.note(output.describe(detail))
  }
  output.result(branch, branch.previewUrl)
  if (options.open === true) openBrowser(branch.previewUrl, output)
  return failed ? exitCodes.content : exitCodes.ok
}
