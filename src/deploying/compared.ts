import { deployPrefix } from '../content/refs/ref-names.ts'
import { ObjectNotFound, type Oid, type Repository } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { DeployingPorts } from './ports.ts'
import type { DeployRecords } from './records.ts'
import type { StoredDeploy } from './state.ts'

export interface ComparedDeploys {
  /** The deploy that is looked at. */
  readonly id: string
  /** The one that it is compared with; absent: what was live before it. */
  readonly against?: string | undefined
}

/** Two commits; without a base the first deploy that went live. */
export interface DeployRange {
  readonly base: Oid | null
  readonly head: Oid
}

interface ComparedParts {
  readonly ports: Pick<DeployingPorts, 'repositories'>
  readonly records: Pick<DeployRecords, 'find'>
}

/**
 * The commits of two deploys; a rollback’s is the one that it made. Throws `not_found` for a deploy that there is not,
 * or whose commit is gone.
 */
export async function comparedCommits(
  { ports, records }: ComparedParts,
  projectId: string,
  { id, against }: ComparedDeploys,
): Promise<DeployRange> {
  const find = async (wanted: string): Promise<StoredDeploy> => {
    const deploy = await records.find(projectId, wanted)
    if (deploy === null) throw new Failure('not_found', `The project has no deploy ${wanted}.`)
    return deploy
  }
  const deploy = await find(id)
  const other = against === undefined ? null : await find(against)
  const repository = await ports.repositories.open(projectId)
  const head = await keptCommit(repository, deploy)
  return { head, base: other === null ? await liveBefore(repository, deploy) : await keptCommit(repository, other) }
}

/** What was live has a ref; what never was goes with the repository’s garbage. */
async function keptCommit(repository: Repository, { number, commit }: StoredDeploy): Promise<Oid> {
  try {
    if (commit !== undefined) return (await repository.readCommit(commit)).oid
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error
  }
  throw new Failure('not_found', `The commit of deploy ${number} is no longer kept.`, {
    hint: 'That of a deploy that did not go live is dropped after a while. Compare two that went live.',
  })
}

/** Deploys go live in the order of their numbers, and those alone have a ref. */
async function liveBefore(repository: Repository, { number }: StoredDeploy): Promise<Oid | null> {
  let before: { readonly number: number; readonly commit: Oid } | null = null
  for (const [ref, commit] of await repository.listRefs(deployPrefix)) {
    const other = Number(ref.slice(deployPrefix.length))
    if (other < number && other > (before?.number ?? 0)) before = { number: other, commit }
  }
  return before?.commit ?? null
}
