import type { Branch } from '../../src/contract/branches.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'

/** Creating it uses one of the plan's generations; with the name of a branch that is there none is used. */
export async function branchOf(project: OpenProject, name: string): Promise<Branch> {
  return (await findBranch(project, name)) ?? createBranch(project, name)
}

/**
 * Makes the branch, where there is none, before pages are paid for that it is to hold.
 * @throws Failure quota_exceeded where the plan does not suffice for both: then neither is begun.
 */
export async function prepareBranch(project: OpenProject, name: string): Promise<void> {
  if ((await findBranch(project, name)) !== undefined) return
  const { client, slug, policy } = project
  const { generations } = await withRetry(() => client.call(contract.usage.read, { params: { slug } }), policy)
  const { limit, remaining, resetsAt } = generations
  if (remaining !== null && remaining < 2) {
    const seconds = Math.ceil((Date.parse(resetsAt) - Date.now()) / 1000)
    throw new Failure(
      'quota_exceeded',
      `The new branch ${name} and the pages are two generations of the plan. It allows ${limit} a month, and ${remaining} of them ${remaining === 1 ? 'is' : 'are'} left.`,
      {
        hint: `Nothing was asked for or paid. Make the pages without --branch, or name a branch that there is. The count resets at ${resetsAt}.`,
        retryAfter: Math.max(1, seconds),
      },
    )
  }
  await createBranch(project, name)
}

async function findBranch({ client, slug, policy }: OpenProject, name: string): Promise<Branch | undefined> {
  const { items } = await withRetry(
    () => client.call(contract.branches.list, { params: { slug }, query: { name } }),
    policy,
  )
  return items.find((item) => item.name === name)
}

async function createBranch(project: OpenProject, name: string): Promise<Branch> {
  const { client, slug } = project
  try {
    return await client.call(contract.branches.create, { params: { slug }, body: { name } })
  } catch (error) {
    // Somebody else was faster, or an answer was lost.
    const made =
      error instanceof Failure && error.code === 'branch_exists' ? await findBranch(project, name) : undefined
    if (made !== undefined) return made
    throw error
  }
}
