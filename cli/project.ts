import { createClient, type Client } from '../src/client/client.ts'
import type { Branch } from '../src/contract/branches.ts'
import { Failure } from '../src/contract/failure.ts'
import { contract } from '../src/contract/index.ts'
import type { Project } from '../src/contract/projects.ts'
import type { Output } from './output.ts'
import { withRetry, type RetryPolicy } from './retry.ts'

/** The project that the key is for, and how to talk to the service about it. */
export interface OpenProject {
  readonly client: Client
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

/** @throws Failure unauthenticated where there is no key. */
export async function openProject(url: string, output: Output): Promise<OpenProject> {
  const token = output.environment.key
  if (token === undefined) {
    throw new Failure('unauthenticated', 'There is no API key.', {
      hint: 'Create a key in the project’s settings and set it as SERVICE_API_KEY in the environment.',
    })
  }
  const client = createClient({ baseUrl: url, token })
  const policy = retryPolicy(output)
  const { items } = await withRetry(() => client.call(contract.projects.list, { query: {} }), policy)
  const project = items[0]
  if (project === undefined) {
    throw new Failure('not_found', 'The key belongs to no project.', {
      hint: 'Create a key in the project’s settings.',
    })
  }
  return { client, project, slug: project.slug, policy }
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
