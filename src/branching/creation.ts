import { branchRef, checkBranchName, mainRef, normaliseBranchName } from '../content/refs/ref-names.ts'
import { isOid, ObjectNotFound, type Author, type Oid, type Repository } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import { mutexKey } from './heads.ts'
import type { BranchingPorts } from './ports.ts'
import type { Previews } from './previews.ts'
import type { Entry, Registry } from './registry.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'

interface CreationOptions {
  readonly ports: BranchingPorts
  readonly registry: Registry
  readonly mutex: KeyedMutex
  readonly previews: Previews
}

/** Makes branches. */
export class Creation {
  readonly #options: CreationOptions

  constructor(options: CreationOptions) {
    this.#options = options
  }

  /**
   * A copy of main, or of a branch (name or id) or commit `from`; of nothing where there is no main yet.
   * Failures: `invalid_branch_name`, `branch_exists`, `branch_name_conflict`, `quota_exceeded`, `not_found` for `from`.
   */
  copy(
    slug: string,
    request: { readonly name: string; readonly from?: string; readonly author: Author },
  ): Promise<Entry> {
    const name = checkBranchName(normaliseBranchName(request.name))
    return this.create(slug, name, (repository) => this.#startOf(repository, request))
  }

  /** A branch at the commit that `start` finds. Counts as a generation of the plan. Failures as `copy`. */
  async create(slug: string, name: string, start: (repository: Repository) => Promise<Oid>): Promise<Entry> {
    const { ports, registry, mutex, previews } = this.#options
    return mutex.run(mutexKey({ slug, name }), async () => {
      const repository = await ports.repositories.open(slug)
      if ((await repository.resolveRef(branchRef(name))) !== null) throw exists(name)
      const head = await start(repository)
      const reservation = await ports.reserveBranch(slug)
      try {
        await reservation.hold(name)
        await createRef(repository, name, head)
      } catch (error) {
        await reservation.settle(0)
        throw error
      }
      // What an older branch of that name left when a crash came between its ref and its record.
      const left = registry.byName(slug, name)
      if (left !== undefined) await registry.remove(left)
      const [entry] = await Promise.all([registry.ensure(slug, name), reservation.settle(1)])
      previews.request(entry)
      return entry
    })
  }

  async #startOf(
    repository: Repository,
    { from, author }: { readonly from?: string; readonly author: Author },
  ): Promise<Oid> {
    const main = await repository.resolveRef(mainRef)
    if (from === undefined || from === 'main') return main ?? emptyCommit(repository, author)
    const branch = this.#options.registry.byId(repository.slug, from)?.name ?? from
    // A name that no ref can have is not looked for.
    const head =
      /^[a-z0-9_/-]+$/.test(branch) && !branch.includes('//') && !branch.endsWith('/')
        ? await repository.resolveRef(branchRef(branch))
        : null
    if (head !== null) return head
    if (isOid(from)) {
      try {
        return (await repository.readCommit(from)).oid
      } catch (error) {
        if (!(error instanceof ObjectNotFound)) throw error
      }
    }
    throw new Failure('not_found', `There is no branch and no commit ${JSON.stringify(from)} to start from.`, {
      hint: 'Leave `from` out for a copy of main.',
    })
  }
}

async function emptyCommit(repository: Repository, author: Author): Promise<Oid> {
  const { commit } = await repository.replaceTree({ files: [], parent: null, author, message: 'Begin' })
  return commit
}

async function createRef(repository: Repository, name: string, head: Oid): Promise<void> {
  try {
    await repository.updateRefs([{ ref: branchRef(name), old: null, new: head }])
  } catch (error) {
    if (error instanceof Failure && error.code === 'stale_ref') throw exists(name)
    throw error
  }
}

function exists(name: string): Failure {
  return new Failure('branch_exists', `There is a branch ${name} already.`, { hint: 'Choose another name.' })
}
