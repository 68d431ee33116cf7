import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { Git } from '#content/git/git.ts'
import { ReceivePack, type ReceivePackOptions } from '#content/push/receive-pack.ts'
import { Repositories } from '#content/repositories.ts'
import type { BareRepository } from '#content/repository.ts'
import { Transport, type TransportOptions } from '#content/git/transport.ts'
import type { Pace } from '#lib/pace.ts'
import { scopes as allScopes, type Scope } from '#contract/endpoint.ts'
import { gitRoutes } from '#http/git/git.ts'
import { RefTarget } from './push-target.ts'
import { temporaryDirectory } from './temporary.ts'

const run = promisify(execFile)
export const key = 'quire_secret'
export const basic = 'Basic ' + Buffer.from(`anybody:${key}`).toString('base64')
export const author = { name: 'Ada', email: 'ada@example.com' }

export interface GitService {
  readonly app: FastifyInstance
  /** With the key in it. */
  readonly url: string
  readonly repository: BareRepository
  /** A project of another owner, for which the key is good, too. */
  readonly neighbour: { readonly url: string; readonly repository: BareRepository }
  readonly repositories: Repositories
  readonly target: RefTarget
  /** What the routes logged as the service’s own mistakes. */
  readonly errors: unknown[]
  /** What the key may do; a test may change it. */
  readonly may: Set<Scope>
}

interface GitServiceOptions
  extends Partial<ReceivePackOptions>, Partial<Pick<TransportOptions, 'firsts' | 'crowdedPace'>> {
  /** How slowly clients may send and read. */
  readonly pace?: Pace
}

/** The Git transport of a project `docs` and of its neighbour, without the rest of the service. */
export async function serveGit(options: GitServiceOptions = {}): Promise<GitService> {
  const directory = await temporaryDirectory()
  const native = new Git({ searchPath: process.env['PATH'] })
  const repositories = new Repositories({ directory, git: native })
  const repository = await repositories.create('docs')
  const next = await repositories.create('neighbour')
  const target = new RefTarget((slug) => repositories.open(slug))
  const may = new Set<Scope>(allScopes)
  const errors: unknown[] = []
  const app = Fastify({
    bodyLimit: 1024,
    logger: {
      level: 'error',
      stream: { write: (line: string) => void errors.push(JSON.parse(line)) },
    },
  })
  await gitRoutes(app, {
    limiter: { count: () => Promise.resolve(), countFailure: () => Promise.resolve() },
    space: { admit: () => Promise.resolve() },
    grow: () => Promise.resolve({ add: () => undefined, end: () => undefined }),
    onMoved: () => Promise.resolve(),
    transport: new Transport({
      git: native,
      concurrency: 2,
      queue: 20,
      ...options,
    }),
    receivePack: new ReceivePack({ git: native, target, concurrency: 2, ...options }),
    authorize: async (given, slug) => {
      if (given !== key) return 'unauthenticated'
      return ['docs', 'neighbour'].includes(slug)
        ? { caller: null, projectId: slug, author, may: (scope) => may.has(scope), requireActive: () => undefined }
        : 'unknown'
    },
    open: (slug) => repositories.open(slug),
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    await repositories.close()
  })
  const url = origin.replace('http://', `http://me:${key}@`) + '/git/docs.git'
  const neighbour = { url: url.replace('docs.git', 'neighbour.git'), repository: next }
  return { app, url, repository, neighbour, repositories, target, errors, may }
}

const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.com',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.com',
}

/** Runs the real git as a user would; throws with what it said on stderr. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: directory, env: environment, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** Runs git whatever becomes of it; answers with all that a developer would see in the terminal. */
export async function gitSays(directory: string, ...args: string[]): Promise<{ ok: boolean; text: string }> {
  try {
    const { stdout, stderr } = await run('git', args, { cwd: directory, env: environment })
    return { ok: true, text: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { ok: false, text: stdout + stderr }
  }
}
