import { randomUUID } from 'node:crypto'
import { relative, resolve, sep } from 'node:path'
import { createClient, type Client } from '../../src/client/client.ts'
import type { Deploy, DeployFile } from '../../src/contract/deploys.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { annotation, appendSummary } from '../annotations.ts'
import { collectFiles, megabytes, type LocalFile } from '../files.ts'
import type { Output } from '../output.ts'
import { followDeploy } from '../progress.ts'
import { withRetry, type RetryPolicy } from '../retry.ts'
import { planUpload, uploadFiles } from '../upload.ts'

export interface DeployOptions {
  readonly url: string
  readonly message?: string
  readonly dryRun?: boolean
}

const noKey = (): Failure =>
  new Failure('unauthenticated', 'There is no API key to deploy with.', {
    hint: 'Create a key in the project’s settings and set it as SERVICE_API_KEY in the environment.',
  })

/** `quire deploy [dir]`: reads, sends what the service lacks, follows the build, prints the live URL. */
export async function deploy(directory: string, options: DeployOptions, output: Output): Promise<number> {
  const { files, skipped } = await collectFiles(directory)
  for (const { path, reason } of skipped) output.note(`${output.paint('yellow', 'skipped')} ${path}: ${reason}`)
  const key = output.environment.key
  if (key === undefined) {
    if (options.dryRun !== true) throw noKey()
    return reportDryRun(files, new Set(), output)
  }
  const client = createClient({ baseUrl: options.url, token: key })
  const policy = retryPolicy(output)
  const { slug, known } = await withRetry(() => remoteState(client), policy)
  if (options.dryRun === true) return reportDryRun(files, known, output)

  const plan = planUpload(files, known)
  output.note(`${files.length} files, ${plan.missing.length} of them new to ${slug} (${megabytes(plan.bytes)})`)
  let sent = 0
  const send = (unknown: ReadonlySet<string>): Promise<DeployFile[]> =>
    withRetry(
      () =>
        uploadFiles(client, files, planUpload(files, unknown), (bytes) => {
          sent += bytes
          output.redraw(`sending ${megabytes(sent)}`)
        }),
      policy,
    )
  const started = await start(client, await send(known), () => send(new Set()), options.message, policy)
  const finished = await followDeploy(client, slug, started, output, policy)
  return report(finished, directory, output)
}

async function remoteState(client: Client): Promise<{ slug: string; known: Set<string> }> {
  const { items } = await client.call(contract.projects.list, { query: {} })
  const project = items[0]
  if (project === undefined)
    throw new Failure('not_found', 'The key belongs to no project.', {
      hint: 'Create a key in the project’s settings.',
    })
  const files = await client.call(contract.files.list, { params: { slug: project.slug } })
  return { slug: project.slug, known: new Set(files.items.map((file) => file.oid)) }
}

/** Content that went missing since we asked (a deploy of somebody else, a collection) is sent once more, whole. */
async function start(
  client: Client,
  files: DeployFile[],
  sendAll: () => Promise<DeployFile[]>,
  message: string | undefined,
  policy: RetryPolicy,
): Promise<Deploy> {
  const post = (body: DeployFile[], key: string): Promise<Deploy> =>
    withRetry(
      () =>
        client.call(contract.deploys.create, {
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

function retryPolicy(output: Output): RetryPolicy {
  return {
    tries: 5,
    contentionMs: 10 * 60_000,
    onWait: (failure, seconds) => {
      const wait = `${failure.message} Trying again in ${Math.ceil(seconds)} s.`
      if (output.environment.interactive) output.redraw(wait)
      else output.note(wait)
    },
  }
}

function reportDryRun(files: readonly LocalFile[], known: ReadonlySet<string>, output: Output): number {
  const plan = planUpload(files, known)
  const fresh = new Set(plan.missing.map((file) => file.oid))
  const lines = files.map(
    (file) =>
      `${fresh.has(file.oid) ? output.paint('green', 'send') : output.paint('dim', 'same')}  ${megabytes(file.size).padStart(9)}  ${file.path}`,
  )
  const summary = `${files.length} files, ${plan.missing.length} to send (${megabytes(plan.bytes)}). Nothing was deployed.`
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

async function report(finished: Deploy, directory: string, output: Output): Promise<number> {
  const { environment } = output
  const failed = finished.status === 'failed'
  const prefix = relative(environment.workspace, resolve(directory)).split(sep).join('/')
  if (environment.githubActions) {
    const at = prefix === '' ? '' : `${prefix}/`
    for (const detail of finished.errors) output.note(annotation('error', detail, at))
    for (const detail of finished.warnings) output.note(annotation('warning', detail, at))
  }
  const title = failed
    ? `Quire: the deploy failed with ${count(finished.counts.errors, 'error')}`
    : `Quire: live at ${finished.url}`
  if (environment.stepSummary !== undefined)
    await appendSummary(environment.stepSummary, title, finished.errors, finished.warnings)
  if (!output.json) {
    for (const detail of finished.warnings.slice(0, shownWarnings))
      output.note(`${output.paint('yellow', 'warning')}${output.describe(detail).slice(1)}`)
    if (finished.counts.warnings > shownWarnings)
      output.note(`… and ${finished.counts.warnings - shownWarnings} more warnings; all of them with --json`)
  }
  if (failed) return reportFailure(finished, output)
  const { total, built, reused } = finished.pages
  output.note(
    output.paint(
      'dim',
      `${total} pages (${built} built, ${reused} reused), ${count(finished.counts.warnings, 'warning')}, ${((finished.durationMs ?? 0) / 1000).toFixed(2)} s`,
    ),
  )
  output.result(finished, finished.url)
  return exitCodes.ok
}

const shownWarnings = 10

function reportFailure(finished: Deploy, output: Output): number {
  const code = finished.errors.length > 0 ? 'build_failed' : 'internal'
  return output.fail(
    new Failure(
      code,
      `The deploy failed with ${count(finished.counts.errors, 'error')}; ${finished.url} still serves the version before.`,
      {
        errors: finished.errors,
        hint:
          code === 'build_failed'
            ? 'Mend these places and deploy again.'
            : 'Deploy again; tell the operator the deploy’s id if it fails again: ' + finished.id,
      },
    ),
  )
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
