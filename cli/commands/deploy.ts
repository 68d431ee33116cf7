import type { Command } from 'commander'
import type { Deploy } from '../../src/contract/deploys.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { sendBranch } from '../deploying/branch-sending.ts'
import type { LocalFile } from '../deploying/files.ts'
import { type MainFiles, readMain } from '../deploying/main-memory.ts'
import { count, fileSize, type Output } from '../output.ts'
import { run } from '../program.ts'
import { report } from '../deploying/progress.ts'
import { openProject } from '../service/project.ts'
import { isMuch, keptAsIs, removalOf } from '../deploying/removal.ts'
import { readFolder, sendFiles, tellSkipped } from '../deploying/sending.ts'
import { findCredential } from '../service/service.ts'
import { planUpload } from '../deploying/upload.ts'
import { watchFolder } from '../deploying/watch.ts'
import { linkFirstDeploy } from './link.ts'

interface DeployOptions {
  readonly message?: string
  readonly dryRun?: boolean
  readonly strict?: boolean
  readonly yes?: boolean
  /** Name of a branch that is made of the folder, in the place of the live site. */
  readonly branch?: string
  readonly take?: boolean
  readonly watch?: boolean
}

export function defineDeploy(command: Command): void {
  command
    .argument('[dir]', 'folder with the docs', '.')
    .option('-m, --message <text>', 'what changed; becomes the commit message')
    .option('--dry-run', 'show what would be sent and what would go away, and stop')
    .option('--strict', 'warnings are errors: with one, nothing goes live')
    .option('--yes', 'do not ask, also where most pages go away (QUIRE_ALLOW_REMOVAL=1)')
    .option('--branch <name>', 'make the folder a branch with a preview, as for a pull request; nothing goes live')
    .option('--take', 'with --branch: replace what others saved on it, too')
    .option('--watch', 'deploy again whenever files change, until Ctrl-C')
    .action((directory: string, options: DeployOptions) =>
      run((output, url) => deployFolder(directory, url, options, output), directory),
    )
}

/** `quire deploy [dir]`: reads, sends what the service lacks, follows the build, prints the live URL. */
async function deployFolder(directory: string, url: string, options: DeployOptions, output: Output): Promise<number> {
  assertSensible(options)
  const send = (files: readonly LocalFile[]): Promise<number> => deployFiles({ directory, files }, url, options, output)
  if (options.watch === true) return watchFolder(directory, send, output)
  const { files, skipped } = await readFolder(directory, output)
  tellSkipped(skipped, directory, output)
  return options.dryRun === true ? reportDryRun(files, await mainOf(url, output), output) : send(files)
}

function assertSensible({ branch, take, dryRun, watch }: DeployOptions): void {
  if (take === true && branch === undefined)
    throw new Failure('invalid_request', '--take says what becomes of a branch: name it with --branch.')
  if (dryRun === true && (watch === true || branch !== undefined))
    throw new Failure('invalid_request', '--dry-run shows one deploy of the live site: leave --watch and --branch out.')
}

async function deployFiles(
  { directory, files }: { readonly directory: string; readonly files: readonly LocalFile[] },
  url: string,
  options: DeployOptions,
  output: Output,
): Promise<number> {
  const { branch: name, message, strict, take } = options
  if (name !== undefined) return sendBranch(url, { name, directory, files, message, strict, take }, output)
  const sent = await sendFiles(url, { ...options, files }, output)
  if (sent === undefined) return keptAsIs(output)
  if (sent.deploy.status !== 'failed') await linkFirstDeploy(directory, sent.destination, output)
  return report(sent.deploy, directory, output)
}

/** Deploys a folder for another command, which tells how it ended; what is wrong with it is told here. */
export async function sendFolder(
  url: string,
  { directory, ...wish }: { readonly directory: string; readonly message: string; readonly yes?: boolean | undefined },
  output: Output,
): Promise<Deploy | undefined> {
  const { files } = await readFolder(directory, output)
  const sent = await sendFiles(url, { ...wish, files }, output)
  if (sent !== undefined && !output.json) for (const detail of sent.deploy.errors) output.note(output.describe(detail))
  return sent?.deploy
}

/** Undefined where nobody is signed in: what would be sent can be told all the same. */
async function mainOf(url: string, output: Output): Promise<MainFiles | undefined> {
  if ((await findCredential(url, output)) === undefined) {
    output.note(`You are not signed in to ${url}: what it has already is not known here, nor what would go away.`)
    return undefined
  }
  const project = await openProject(url, output)
  return readMain(project, project.policy)
}

function reportDryRun(files: readonly LocalFile[], main: MainFiles | undefined, output: Output): number {
  const plan = planUpload(files, new Set(main?.files.values()))
  const fresh = new Set(plan.missing.map((file) => file.oid))
  const removal = main === undefined ? undefined : removalOf(files, main)
  const removed = [...(removal?.pages ?? []), ...(removal?.others ?? [])]
  const lines = files.map(
    (file) =>
      `${fresh.has(file.oid) ? output.paint('green', 'send') : output.paint('dim', 'same')}  ${fileSize(file.size).padStart(9)}  ${file.path}`,
  )
  const gone = removed.map((path) => `${output.paint('red', 'gone')}  ${' '.repeat(9)}  ${path}`)
  const summary =
    `${count(files.length, 'file')}, ${plan.missing.length} to send (${fileSize(plan.bytes)})` +
    (removed.length === 0 ? '' : `, ${removed.length} to go away`) +
    '. Nothing was deployed.'
  const warning =
    removal !== undefined && isMuch(removal)
      ? [`${removal.pages.length} of the ${removal.live} live pages would go away: a deploy of this needs --yes.`]
      : []
  output.result(
    {
      dryRun: true,
      files: files.map(({ path, size, oid }) => ({ path, size, oid, send: fresh.has(oid) })),
      removed,
      bytes: plan.bytes,
    },
    [...lines, ...gone, summary, ...warning].join('\n'),
  )
  return exitCodes.ok
}
