import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/client/client.ts'
import type { Deploy, DeployFile } from '../../src/contract/deploys.ts'
import { Failure } from '../../src/contract/failure.ts'
import { frameworkWarning, recogniseFramework, type FoundFramework } from '../../src/contract/frameworks.ts'
import { contract } from '../../src/contract/index.ts'
import { HashCache } from './hash-cache.ts'
import { collectFiles, type CollectOptions, type LocalFile, type Skipped } from './files.ts'
import { type MainFiles, MainMemory, readMain } from './main-memory.ts'
import { count, fileSize, type Output } from '../output.ts'
import { followDeploy, tellInterrupted } from './progress.ts'
import { openProject, retryPolicy } from '../service/project.ts'
import { mayRemove, removalOf } from './removal.ts'
import { withRetry, type RetryPolicy } from '../service/retry.ts'
import { type Credential, type OpenService, openService } from '../service/service.ts'
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
  /** Absent: the next command asks again. */
  readonly memory: MainMemory | undefined
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
  const { stateDirectory } = output.environment
  return collectFiles(directory, { ...options, hashes: () => new HashCache(stateDirectory, directory) })
}

/** Tells of what a folder has and nobody sends. */
export function tellSkipped(skipped: readonly Skipped[], directory: string, output: Output): void {
  for (const { path, reason } of skipped) output.note(`${output.paint('yellow', 'skipped')} ${path}: ${reason}`)
  const found = unsentFramework(directory)
  if (found === undefined) return
  const { message, hint = '' } = frameworkWarning(found)
  output.note(`${output.paint('yellow', 'warning')} ${message}`)
  output.note(
    `${output.paint('cyan', 'next')}    ${hint.replace('<folder>', found.sign.startsWith('../') ? join(directory, '..') : directory)}`,
  )
}

/** The documentation system that a folder is written for, where its settings are hidden or beside it: a build sees them not. */
function unsentFramework(directory: string): FoundFramework | undefined {
  const names = (folder: string): string[] => {
    try {
      return readdirSync(join(directory, folder))
    } catch {
      return []
    }
  }
  const own = names('.')
  if (own.includes('docs.json') || own.includes('mint.json') || recogniseFramework(own) !== undefined) return undefined
  const hidden = recogniseFramework([
    ...own.filter((name) => name.startsWith('.')),
    ...names('.vitepress').map((name) => `.vitepress/${name}`),
  ])
  const found = hidden ?? recogniseFramework(names('..').filter((name) => name !== 'SUMMARY.md'))
  return hidden === undefined && found !== undefined ? { ...found, sign: `../${found.sign}` } : found
}

/** Where the files of a folder go, without a question to the service where the last deploy from here told enough. */
export async function findDestination(url: string, output: Output): Promise<Destination> {
  const opened = await openService(url, output)
  const { client, credential } = opened
  const { stateDirectory, project } = output.environment
  // Which of its projects a session means, where nothing names one, is asked each time. A key has one.
  if (project === undefined && credential.kind === 'session') return askDestination({ url, opened }, output)
  const memory = new MainMemory(stateDirectory, [url, credential.token, project])
  const main = memory.read()
  if (main === undefined) return askDestination({ url, memory, opened }, output)
  const { slug } = main
  return { url, credential, client, slug, policy: retryPolicy(output), main, isRemembered: true, memory }
}

async function askDestination(
  {
    url,
    memory,
    opened,
  }: { readonly url: string; readonly memory?: MainMemory | undefined; readonly opened: OpenService },
  output: Output,
): Promise<Destination> {
  const project = await openProject(url, output, opened)
  return { ...project, main: await readMain(project, project.policy), isRemembered: false, memory }
}

/** What is done with files, and where. */
interface Sending<T> {
  readonly files: readonly LocalFile[]
  /** Asked before anything is sent, and of another main once more; false: nothing is sent. */
  readonly mayReplace?: (main: MainFiles) => Promise<boolean>
  /** Sends the request that takes the files. */
  readonly post: (destination: Destination, body: DeployFile[]) => Promise<T>
}

/** What came of it, and where. */
interface Answered<T> {
  readonly answer: T
  readonly destination: Destination
}

/** Somebody else may deploy at the same time, but not so many times in a row. */
const maxTries = 4

/**
 * Sends files with a request that takes them: what the service has goes as its id, and is sent after all where it turns out
 * to be missing. Undefined where the person at the terminal did not want what they take away.
 */
export async function sendContents<T>(
  url: string,
  sending: Required<Sending<T>>,
  output: Output,
): Promise<Answered<T> | undefined>
export async function sendContents<T>(
  url: string,
  sending: Omit<Sending<T>, 'mayReplace'>,
  output: Output,
): Promise<Answered<T>>
export async function sendContents<T>(
  url: string,
  { files, mayReplace, post }: Sending<T>,
  output: Output,
): Promise<Answered<T> | undefined> {
  let destination = await findDestination(url, output)
  let known: ReadonlySet<string> = new Set(destination.main.files.values())
  let agreed: MainFiles | undefined
  for (let tries = 1; ; tries++) {
    const { main, memory, isRemembered } = destination
    try {
      if (agreed !== main && (await mayReplace?.(main)) === false) return undefined
      agreed = main
      return { answer: await post(destination, await encodeFiles(destination, files, known, output)), destination }
    } catch (error) {
      const code = error instanceof Failure ? error.code : ''
      if (tries === maxTries) throw error
      if (code === 'stale_ref' || (isRemembered && askedAnew.has(code))) {
        memory?.forget()
        destination = await askDestination({ url, memory, opened: destination }, output)
        known = new Set(destination.main.files.values())
      } else if (code === 'missing_objects') known = new Set()
      else throw error
    }
  }
}

/** Refusals of what is remembered: project, credential and content may be others, and asking again says what is wrong. */
const askedAnew: ReadonlySet<string> = new Set(['unauthenticated', 'forbidden', 'not_found', 'missing_objects'])

/** The files as requests take them, with what is too much for one request sent ahead. */
function encodeFiles(
  { client, slug, policy }: Destination,
  files: readonly LocalFile[],
  known: ReadonlySet<string>,
  output: Output,
): Promise<DeployFile[]> {
  const plan = planUpload(files, known)
  output.note(`${count(files.length, 'file')}, ${plan.missing.length} of them new to ${slug} (${fileSize(plan.bytes)})`)
  let sent = 0
  const onSent = (bytes: number): void => {
    sent += bytes
    output.redraw(`sending ${fileSize(sent)}`)
  }
  return withRetry(() => uploadFiles({ client, slug }, files, plan, onSent), policy)
}

/**
 * Deploys files and waits for the end. What was told to go away is what goes: a main that has moved meanwhile is compared
 * anew.
 */
export async function sendFiles(
  url: string,
  wish: DeployWish,
  output: Output,
): Promise<{ readonly deploy: Deploy; readonly destination: Destination } | undefined> {
  const { files } = wish
  const sent = await sendContents(
    url,
    {
      files,
      mayReplace: (main) => mayRemove(removalOf(files, main), wish, output),
      post: (destination, body) =>
        tellInterrupted(
          () => startDeploy(destination, body, wish),
          'The service may have begun the deploy, and goes on then; quire deploys says.',
          output,
        ),
    },
    output,
  )
  if (sent === undefined) return undefined
  const { client, slug, policy, memory } = sent.destination
  const deploy = await followDeploy(client, slug, sent.answer, output, policy)
  if (deploy.status === 'live' && deploy.commit !== undefined)
    memory?.write({ slug, head: deploy.commit, files: new Map(files.map(({ path, oid }) => [path, oid])) })
  return { deploy, destination: sent.destination }
}

/** Most deploys are ready by then, and take one round trip; others are followed. */
const prefer = 'respond-async, wait=1'

function startDeploy(
  { client, slug, policy, main }: Destination,
  files: DeployFile[],
  { message, strict }: DeployWish,
): Promise<Deploy> {
  const request = {
    query: { project: slug },
    body: {
      files,
      expectedHead: main.head,
      ...(message === undefined ? {} : { message }),
      ...(strict === true ? { strict } : {}),
    },
    headers: { 'idempotency-key': randomUUID(), prefer },
  }
  return withRetry(() => client.call(contract.deploys.create, request), policy)
}
