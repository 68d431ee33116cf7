import { randomUUID } from 'node:crypto'
import type { Client } from '../src/client/client.ts'
import type { Deploy, DeployFile } from '../src/contract/deploys.ts'
import { Failure } from '../src/contract/failure.ts'
import { contract } from '../src/contract/index.ts'
import { HashCache } from './hash-cache.ts'
import { collectFiles, type CollectOptions, type LocalFile, type Skipped } from './files.ts'
import { type MainFiles, MainMemory, readMain } from './main-memory.ts'
import { count, fileSize, type Output } from './output.ts'
import { followDeploy } from './progress.ts'
import { openProject, retryPolicy } from './project.ts'
import { mayRemove, removalOf } from './removal.ts'
import { withRetry, type RetryPolicy } from './retry.ts'
import { type Credential, openService } from './service.ts'
import { planUpload, uploadFiles } from './upload.ts'

/** A project that files are sent to, and what its main holds. */
export interface Destination {
  /** Base URL of the service. */
  readonly url: string
  readonly credential: Credential
  readonly client: Client
  readonly slug: string
  readonly policy: RetryPolicy
  readonly main: MainFiles
  /** As it was after the last deploy from here: it may have changed. */
  readonly isRemembered: boolean
  readonly memory: MainMemory
}

export interface DeployWish {
  readonly files: readonly LocalFile[]
  readonly message?: string | undefined
  readonly strict?: boolean | undefined
  /** Much may go away without a question. */
  readonly yes?: boolean | undefined
}

/** The files of a folder; only those that changed since the last time are read. */
export async function readFolder(
  directory: string,
  output: Output,
  options: CollectOptions = {},
): Promise<{ files: LocalFile[]; skipped: Skipped[] }> {
  return collectFiles(directory, { ...options, hashes: new HashCache(output.environment.stateDirectory, directory) })
}

/** Tells of what a folder has and nobody sends. */
export function tellSkipped(skipped: readonly Skipped[], output: Output): void {
  for (const { path, reason } of skipped) output.note(`${output.paint('yellow', 'skipped')} ${path}: ${reason}`)
}

/** Where the files of a folder go, without a question to the service where the last deploy from here told enough. */
export async function findDestination(url: string, output: Output): Promise<Destination> {
  const { client, credential } = await openService(url, output)
  const { stateDirectory, project } = output.environment
  const memory = new MainMemory(stateDirectory, [url, credential.token, project])
  const main = memory.read()
  if (main === undefined) return askDestination(url, memory, output)
  const { slug } = main
  return { url, credential, client, slug, policy: retryPolicy(output), main, isRemembered: true, memory }
}

async function askDestination(url: string, memory: MainMemory, output: Output): Promise<Destination> {
  const project = await openProject(url, output)
  return { ...project, main: await readMain(project, project.policy), isRemembered: false, memory }
}

/** A deploy that has ended, and where. */
export interface Sent {
  readonly deploy: Deploy
  readonly destination: Destination
}

/** Somebody else may deploy at the same time, but not so many times in a row. */
const maxTries = 4

/**
 * Deploys files and waits for the end; undefined where the person at the terminal did not want what they take away.
 * What was told to go away is what goes: a main that has moved meanwhile is compared anew.
 */
export async function sendFiles(url: string, wish: DeployWish, output: Output): Promise<Sent | undefined> {
  let destination = await findDestination(url, output)
  for (let tries = 1; ; tries++) {
    try {
      const deploy = await sendTo(destination, wish, output)
      return deploy === undefined ? undefined : { deploy, destination }
    } catch (error) {
      if (tries === maxTries || !mayBeOutdated(error, destination)) throw error
      destination.memory.forget()
      destination = await askDestination(url, destination.memory, output)
    }
  }
}

function mayBeOutdated(error: unknown, { isRemembered }: Destination): boolean {
  if (!(error instanceof Failure)) return false
  if (error.code === 'stale_ref') return true
  // Of what is remembered, project and credential may be others: asking again says what is wrong.
  return isRemembered && ['unauthenticated', 'forbidden', 'not_found', 'missing_objects'].includes(error.code)
}

async function sendTo(destination: Destination, wish: DeployWish, output: Output): Promise<Deploy | undefined> {
  const { client, slug, policy, main, memory } = destination
  const { files } = wish
  if (!(await mayRemove(removalOf(files, main), wish, output))) return undefined
  const known = new Set(main.files.values())
  const plan = planUpload(files, known)
  output.note(`${count(files.length, 'file')}, ${plan.missing.length} of them new to ${slug} (${fileSize(plan.bytes)})`)
  const body = await encodeFiles(destination, files, known, output)
  const started = await startDeploy(destination, body, wish, () => encodeFiles(destination, files, new Set(), output))
  const finished = await followDeploy(client, slug, started, output, policy)
  if (finished.status === 'live' && finished.commit !== undefined)
    memory.write({ slug, head: finished.commit, files: new Map(files.map(({ path, oid }) => [path, oid])) })
  return finished
}

/** The files as requests take them, with what is too much for one request sent ahead. */
function encodeFiles(
  { client, slug, policy }: Pick<Destination, 'client' | 'slug' | 'policy'>,
  files: readonly LocalFile[],
  known: ReadonlySet<string>,
  output: Output,
): Promise<DeployFile[]> {
  let sent = 0
  const onSent = (bytes: number): void => {
    sent += bytes
    output.redraw(`sending ${fileSize(sent)}`)
  }
  return withRetry(() => uploadFiles({ client, slug }, files, planUpload(files, known), onSent), policy)
}

/**
 * Sends files with a request of another kind than a deploy: what the service has goes as its id, and is sent after all where
 * it turns out to be missing.
 */
export async function sendContents<T>(
  url: string,
  files: readonly LocalFile[],
  post: (destination: Destination, body: DeployFile[]) => Promise<T>,
  output: Output,
): Promise<{ readonly answer: T; readonly destination: Destination }> {
  let destination = await findDestination(url, output)
  let known: ReadonlySet<string> = new Set(destination.main.files.values())
  for (let tries = 1; ; tries++) {
    try {
      const body = await encodeFiles(destination, files, known, output)
      return { answer: await withRetry(() => post(destination, body), destination.policy), destination }
    } catch (error) {
      if (tries === maxTries) throw error
      if (error instanceof Failure && error.code === 'missing_objects') known = new Set()
      else if (mayBeOutdated(error, destination) && destination.isRemembered) {
        destination.memory.forget()
        destination = await askDestination(url, destination.memory, output)
        known = new Set(destination.main.files.values())
      } else throw error
    }
  }
}

/** Most deploys are ready by then, and take one round trip; others are followed. */
const prefer = 'respond-async, wait=1'

/** Content that went missing since we asked (a collection, say) is sent once more, whole. */
async function startDeploy(
  { client, slug, policy, main, isRemembered }: Destination,
  files: DeployFile[],
  { message, strict }: DeployWish,
  encodeAll: () => Promise<DeployFile[]>,
): Promise<Deploy> {
  const post = (body: DeployFile[]): Promise<Deploy> => {
    const key = randomUUID()
    const request = {
      query: { project: slug },
      body: {
        files: body,
        expectedHead: main.head,
        ...(message === undefined ? {} : { message }),
        ...(strict === true ? { strict } : {}),
      },
      headers: { 'idempotency-key': key, prefer },
    }
    return withRetry(() => client.call(contract.deploys.create, request), policy)
  }
  try {
    return await post(files)
  } catch (error) {
    if (isRemembered || !(error instanceof Failure) || error.code !== 'missing_objects') throw error
    return post(await encodeAll())
  }
}
