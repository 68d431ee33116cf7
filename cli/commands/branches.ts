import type { Command } from 'commander'
import type { Branch } from '../../src/contract/branches.ts'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { diffText } from '../diff.ts'
import { addExamples } from '../help.ts'
import { fileSize, type Output } from '../output.ts'
import { run } from '../program.ts'
import { findBranch, firstItems, openProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { confirmed } from '../terminal.ts'

export function defineBranches(command: Command): void {
  command.action(() => run((output, url) => listBranches({ url }, output)))
}

/** `+1 ~2 -0`: files that a branch adds, modifies and deletes. */
export function changesOf({ changes }: Branch, output: Output): string {
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

export function defineBranch(branch: Command): void {
  addExamples(branch, [
    ['branch create new-api', 'a copy of main, with a preview'],
    ['branch create fix --from new-api', 'a copy of another branch'],
    ['branch diff new-api', 'what it would change'],
  ])

  branch
    .command('create')
    .description('copy main into a new branch')
    .argument('<name>', 'spaces become hyphens')
    .option('--from <branch>', 'copy this branch or commit instead of main')
    .action((name: string, options: { from?: string }) =>
      run((output, url) => createBranch(name, { ...options, url }, output)),
    )

  branch
    .command('delete')
    .description('delete a branch with its files and preview')
    .argument('<name>', 'name of the branch')
    .option('--yes', 'do not ask')
    .action((name: string, options: { yes?: boolean }) =>
      run((output, url) => deleteBranch(name, { ...options, url }, output)),
    )

  branch
    .command('diff')
    .description('what a branch changed since it left main')
    .argument('<name>', 'name of the branch')
    .argument('[path]', 'only this file')
    .action((name: string, path: string | undefined) => run((output, url) => diffBranch(name, path, { url }, output)))

  branch
    .command('files')
    .description('list the files of a branch that differ from main')
    .argument('<name>', 'name of the branch')
    .option('--all', 'the unchanged ones, too')
    .action((name: string, options: { all?: boolean }) =>
      run((output, url) => listFiles(name, { ...options, url }, output)),
    )
}

interface Options {
  readonly url: string
}

/** `quire branch create <name>`. */
async function createBranch(
  name: string,
  options: Options & { readonly from?: string },
  output: Output,
): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  const body = { name, ...(options.from === undefined ? {} : { from: options.from }) }
  const branch = await client.call(contract.branches.create, { params: { slug }, body })
  output.note(output.paint('dim', `created ${branch.name}; work on it with: git fetch && git switch ${branch.name}`))
  output.result(branch, branch.previewUrl)
  return exitCodes.ok
}

/** `quire branch delete <name>`: asks on a terminal; elsewhere it wants `--yes`, because nothing brings a branch back. */
async function deleteBranch(
  name: string,
  options: Options & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const branch = await findBranch(project, name)
  if (!(await confirmed(`Deleting the branch ${name} with its files and preview`, options, output))) {
    output.note(`${name} stays.`)
    return exitCodes.failed
  }
  await withRetry(() => client.call(contract.branches.remove, { params: { slug }, query: { id: branch.id } }), policy)
  output.result({ deleted: name }, `deleted ${name}`)
  return exitCodes.ok
}

const marks = { added: 'A', modified: 'M', deleted: 'D', unchanged: ' ' } as const
const colors = { added: 'green', modified: 'yellow', deleted: 'red', unchanged: 'dim' } as const

/** `quire branch files <name>`. */
async function listFiles(name: string, options: Options & { readonly all?: boolean }, output: Output): Promise<number> {
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const { id } = await findBranch(project, name)
  const { items: all } = await withRetry(() => client.call(contract.branches.files, { params: { slug, id } }), policy)
  const items = options.all === true ? all : all.filter((file) => file.status !== 'unchanged')
  const lines = items.map(
    ({ status, size, path }) => `${output.paint(colors[status], marks[status])} ${fileSize(size).padStart(9)}  ${path}`,
  )
  output.result({ items }, items.length === 0 ? `${name} has the files of main.` : lines.join('\n'))
  return exitCodes.ok
}

/** `quire branch diff <name> [path]`: a unified diff, changed words in bold on a terminal. */
async function diffBranch(name: string, path: string | undefined, options: Options, output: Output): Promise<number> {
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const { id } = await findBranch(project, name)
  const query = path === undefined ? {} : { path }
  const diff = await withRetry(() => client.call(contract.branches.diff, { params: { slug, id }, query }), policy)
  output.result(diff, diff.files.length === 0 ? `${name} changes nothing.` : diffText(diff.files, output))
  return exitCodes.ok
}
