import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { Deploy, DeployFile } from '../../src/contract/deploys.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { collectFiles, type LocalFile } from '../files.ts'
import { count, fileSize, type Output } from '../output.ts'
import { run } from '../program.ts'
import { followDeploy, report } from '../progress.ts'
import { firstItems, openProject, type OpenProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { findCredential } from '../service.ts'
import { planUpload, uploadFiles } from '../upload.ts'
import { linkFirstDeploy } from './link.ts'

export function defineDeploy(command: Command): void {
  command
    .argument('[dir]', 'folder with the docs', '.')
    .option('-m, --message <text>', 'what changed; becomes the commit message')
    .option('--dry-run', 'show what would be sent and stop')
    .action((directory: string, options: Omit<DeployOptions, 'url'>) =>
      run((output, url) => deployFolder(directory, { ...options, url }, output), directory),
    )
}

interface DeployOptions {
  readonly url: string
  readonly message?: string
  readonly dryRun?: boolean
}

/** `quire deploy [dir]`: reads, sends what the service lacks, follows the build, prints the live URL. */
async function deployFolder(directory: string, options: DeployOptions, output: Output): Promise<number> {
  const { files, skipped } = await collectFiles(directory)
  for (const { path, reason } of skipped) output.note(`${output.paint('yellow', 'skipped')} ${path}: ${reason}`)
  if (options.dryRun === true && (await findCredential(options.url, output)) === undefined)
    return reportDryRun(files, new Set(), output)
  const project = await openProject(options.url, output)
  if (options.dryRun === true)
    return reportDryRun(files, await withRetry(() => knownBlobs(project), project.policy), output)
  const finished = await sendFiles(project, files, options.message, output)
  if (finished.status !== 'failed') await linkFirstDeploy(directory, project, output)
  return report(finished, directory, output)
}

/** Deploys a folder for another command, which tells how it ended; what is wrong with it is told here. */
export async function sendFolder(
  project: OpenProject,
  directory: string,
  message: string,
  output: Output,
): Promise<Deploy> {
  const { files } = await collectFiles(directory)
  const finished = await sendFiles(project, files, message, output)
  if (!output.json) for (const detail of finished.errors) output.note(output.describe(detail))
  return finished
}

async function sendFiles(
  project: OpenProject,
  files: readonly LocalFile[],
  message: string | undefined,
  output: Output,
): Promise<Deploy> {
  const { client, slug, policy } = project
  const known = await withRetry(() => knownBlobs(project), policy)
  const plan = planUpload(files, known)
  output.note(`${count(files.length, 'file')}, ${plan.missing.length} of them new to ${slug} (${fileSize(plan.bytes)})`)
  let sent = 0
  const send = (unknown: ReadonlySet<string>): Promise<DeployFile[]> =>
    withRetry(
      () =>
        uploadFiles(project, files, planUpload(files, unknown), (bytes) => {
          sent += bytes
          output.redraw(`sending ${fileSize(sent)}`)
        }),
      policy,
    )
  const started = await startDeploy(project, await send(known), () => send(new Set()), message)
  return followDeploy(client, slug, started, output, policy)
}

/** Ids of the blobs that the service has: those of main. */
async function knownBlobs({ client, slug }: OpenProject): Promise<Set<string>> {
  const { items } = await client.call(contract.files.list, { params: { slug } })
  return new Set(items.map((file) => file.oid))
}

/** Content that went missing since we asked (a deploy of somebody else, a collection) is sent once more, whole. */
async function startDeploy(
  { client, slug, policy }: OpenProject,
  files: DeployFile[],
  sendAll: () => Promise<DeployFile[]>,
  message: string | undefined,
): Promise<Deploy> {
  const post = (body: DeployFile[], key: string): Promise<Deploy> =>
    withRetry(
      () =>
        client.call(contract.deploys.create, {
          query: { project: slug },
          body: { files: body, ...(message === undefined ? {} : { message }) },
          headers: { 'idempotency-key': key, prefer: 'respond-async' },
        }),
      policy,
    )
  try {
    return await post(files, randomUUID())
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'missing_objects') throw error
    return post(await sendAll(), randomUUID())
  }
}

function reportDryRun(files: readonly LocalFile[], known: ReadonlySet<string>, output: Output): number {
  const plan = planUpload(files, known)
  const fresh = new Set(plan.missing.map((file) => file.oid))
  const lines = files.map(
    (file) =>
      `${fresh.has(file.oid) ? output.paint('green', 'send') : output.paint('dim', 'same')}  ${fileSize(file.size).padStart(9)}  ${file.path}`,
  )
  const summary = `${count(files.length, 'file')}, ${plan.missing.length} to send (${fileSize(plan.bytes)}). Nothing was deployed.`
  output.result(
    {
      dryRun: true,
      files: files.map(({ path, size, oid }) => ({ path, size, oid, send: fresh.has(oid) })),
      bytes: plan.bytes,
    },
    [...lines, summary].join('\n'),
  )
  return exitCodes.ok
}

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
