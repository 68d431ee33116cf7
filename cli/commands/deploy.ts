import type { Command } from 'commander'
import { randomUUID } from 'node:crypto'
import type { Deploy, DeployFile } from '../../src/contract/deploys.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { count, fileSize } from '../format.ts'
import { collectFiles, type LocalFile } from '../files.ts'
import type { Output } from '../output.ts'
import { followDeploy } from '../progress.ts'
import { openProject, type OpenProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { findCredential } from '../service.ts'
import { planUpload, uploadFiles } from '../upload.ts'
import { report } from '../report.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command
    .argument('[dir]', 'folder with the docs', '.')
    .option('-m, --message <text>', 'what changed; becomes the commit message')
    .option('--dry-run', 'show what would be sent and stop')
    .action((directory: string, options: Omit<DeployOptions, 'url'>) =>
      run((output, url) => deploy(directory, { ...options, url }, output)),
    )
}

interface DeployOptions {
  readonly url: string
  readonly message?: string
  readonly dryRun?: boolean
}

/** `quire deploy [dir]`: reads, sends what the service lacks, follows the build, prints the live URL. */
async function deploy(directory: string, options: DeployOptions, output: Output): Promise<number> {
  const { files, skipped } = await collectFiles(directory)
  for (const { path, reason } of skipped) output.note(`${output.paint('yellow', 'skipped')} ${path}: ${reason}`)
  if (options.dryRun === true && (await findCredential(options.url, output)) === undefined)
    return reportDryRun(files, new Set(), output)
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const known = await withRetry(() => knownBlobs(project), policy)
  if (options.dryRun === true) return reportDryRun(files, known, output)

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
  const started = await start(project, await send(known), () => send(new Set()), options.message)
  const finished = await followDeploy(client, slug, started, output, policy)
  return report(finished, directory, output)
}

/** Ids of the blobs that the service has: those of main. */
async function knownBlobs({ client, slug }: OpenProject): Promise<Set<string>> {
  const { items } = await client.call(contract.files.list, { params: { slug } })
  return new Set(items.map((file) => file.oid))
}

/** Content that went missing since we asked (a deploy of somebody else, a collection) is sent once more, whole. */
async function start(
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
