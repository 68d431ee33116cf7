import type { Client } from '../src/client/client.ts'
import type { Branch } from '../src/contract/branches.ts'
import type { List } from '../src/contract/common.ts'
import { Failure } from '../src/contract/failure.ts'
import { contract } from '../src/contract/index.ts'
import type { Project } from '../src/contract/projects.ts'
import type { Output } from './output.ts'
import { withRetry, type RetryPolicy } from './retry.ts'
import { explainRefusal, openService, type Credential } from './service.ts'

/** Items of a page that the service gives at most. */
const maxPageItems = 200

/** A project, and how to talk to the service about it. */
export interface OpenProject {
  readonly client: Client
  readonly credential: Credential
  readonly project: Project
  readonly slug: string
  readonly policy: RetryPolicy
}

export function retryPolicy(output: Output): RetryPolicy {
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

/**
 * The project of the key; with a session the one of `--project` or QUIRE_PROJECT, or the only one of the account.
 *
 * @throws Failure unauthenticated where there is no credential; invalid_request that names the projects to choose from.
 */
export async function openProject(url: string, output: Output): Promise<OpenProject> {
  const { client, credential } = await openService(url, output)
  const policy = retryPolicy(output)
  const wanted = output.environment.project
  try {
    const project =
      credential.kind === 'session' && wanted !== undefined
        ? await withRetry(() => client.call(contract.projects.read, { params: { slug: wanted } }), policy)
        : only(await withRetry(() => listProjects(client), policy), credential.kind)
    assertWanted(project, wanted)
    return { client, credential, project, slug: project.slug, policy }
  } catch (error) {
    throw explainRefusal(error, credential)
  }
}

/** All projects of the credential, newest first. */
export async function listProjects(client: Client): Promise<Project[]> {
  return firstItems((query) => client.call(contract.projects.list, { query }))
}

function only(projects: readonly Project[], kind: Credential['kind']): Project {
  const [project, second] = projects
  if (project === undefined) {
    throw kind === 'key'
      ? new Failure('not_found', 'The key belongs to no project.', { hint: 'Create a key in the project’s settings.' })
      : new Failure('not_found', 'Your account has no project yet.', { hint: 'Create one in the dashboard.' })
  }
  if (second === undefined) return project
  const slugs = projects.map(({ slug }) => slug).sort()
  throw new Failure('invalid_request', `Which project? Your account has ${slugs.length}: ${slugs.join(', ')}.`, {
    hint: `Name one: --project ${slugs[0] ?? ''}, or QUIRE_PROJECT in the environment.`,
    extra: { projects: slugs },
  })
}

/** Somebody who names another project than the key's must not change this one. */
function assertWanted({ slug }: Project, wanted: string | undefined): void {
  if (wanted === undefined || wanted === slug) return
  throw new Failure('not_found', `The key in SERVICE_API_KEY is for the project ${slug}, not for ${wanted}.`, {
    hint: `Use a key of ${wanted}, or unset SERVICE_API_KEY to use the session of quire login.`,
  })
}

/** @throws Failure not_found that names the branch. */
export async function findBranch({ client, slug, policy }: OpenProject, name: string): Promise<Branch> {
  const { items } = await withRetry(
    () => client.call(contract.branches.list, { params: { slug }, query: { name } }),
    policy,
  )
  const branch = items.find((item) => item.name === name)
  if (branch !== undefined) return branch
  throw new Failure('not_found', `${slug} has no branch ${name}.`, { hint: 'quire branches lists them.' })
}

interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/**
 * The first items of a list, page by page.
 * @param limit the option `--limit`; all of them without it. @throws Failure invalid_request for what counts nothing.
 */
export async function firstItems<T>(
  read: (query: PageQuery) => Promise<List<T>>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  if (limit !== Number.POSITIVE_INFINITY && (!Number.isInteger(limit) || limit < 1))
    throw new Failure('invalid_request', '--limit takes a whole number from 1 on.')
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await read({
      limit: Math.min(maxPageItems, limit - items.length),
      ...(cursor === undefined ? {} : { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return items
}
