import { branchPrefix, branchRef, checkBranchName, mainRef, normaliseBranchName } from '../content/refs/ref-names.ts'
import { isOid, ObjectNotFound, type Author, type Oid, type Repository } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { BranchingPorts } from './ports.ts'
import type { Previews } from './previews.ts'
import type { BranchRecord, Registry } from './registry.ts'

/** Attempts to move a branch. Another process may move it in between, but not so many times in a row. */
const maxTries = 10

/** A branch whose ref is there. */
export interface ResolvedBranch {
  readonly record: BranchRecord
  readonly repository: Repository
  readonly head: Oid
}

interface BranchRefsParts {
  readonly ports: Pick<BranchingPorts, 'repositories' | 'reserveBranch' | 'onGone' | 'log'>
  readonly registry: Registry
  readonly previews: Pick<Previews, 'request' | 'drop'>
}

/** The refs of branches, which decide what branches there are, and the records and previews that follow them. */
export class BranchRefs {
  readonly #parts: BranchRefsParts
  /** Orders those who change one branch. */
  readonly #mutex = new KeyedMutex()

  constructor(parts: BranchRefsParts) {
    this.#parts = parts
  }

  /** Throws `not_found`. */
  async find(projectId: string, id: string): Promise<ResolvedBranch> {
    const record = this.#parts.registry.byId(projectId, id)
    const repository = await this.#parts.ports.repositories.open(projectId)
    const head = record === undefined ? null : await repository.resolveRef(branchRef(record.name))
    if (record === undefined || head === null) {
      // Not waited for: whoever asks may have the branch’s mutex.
      if (record !== undefined) this.#followSoon(record)
      throw new Failure('not_found', `The project has no branch ${id}.`, {
        hint: 'It may have been published or deleted.',
      })
    }
    return { record, repository, head }
  }

  /** All branches that have a ref; records are made for those that have none, and records without a ref go. */
  async all(projectId: string): Promise<readonly ResolvedBranch[]> {
    const { ports, registry } = this.#parts
    const repository = await ports.repositories.open(projectId)
    const refs = await repository.listRefs(branchPrefix)
    const found: ResolvedBranch[] = []
    for (const [ref, head] of refs) {
      if (ref === mainRef) continue
      const name = ref.slice(branchPrefix.length)
      const record = registry.byName(projectId, name) ?? (await this.follow(projectId, name))
      if (record !== null) found.push({ record, repository, head })
    }
    for (const record of registry.records(projectId))
      if (!refs.has(branchRef(record.name))) await this.follow(projectId, record.name)
    return found
  }

  /**
   * A copy of main, or of a branch (name or id) or commit `from`; of nothing where there is no main yet.
   * Failures: `invalid_branch_name`, `branch_exists`, `branch_name_conflict`, `quota_exceeded`, `not_found` for `from`.
   */
  copy(
    projectId: string,
    request: { readonly name: string; readonly from?: string; readonly author: Author },
  ): Promise<BranchRecord> {
    const name = checkBranchName(normaliseBranchName(request.name))
    return this.create(projectId, name, (repository) => this.#startOf(repository, request))
  }

  /** A branch at the commit that `start` finds. Counts as a generation of the plan. Failures as `copy`. */
  async create(
    projectId: string,
    name: string,
    start: (repository: Repository) => Promise<Oid>,
  ): Promise<BranchRecord> {
    const { ports, registry, previews } = this.#parts
    return this.#mutex.run(keyOf({ projectId, name }), async () => {
      const repository = await ports.repositories.open(projectId)
      if ((await repository.resolveRef(branchRef(name))) !== null) throw exists(name)
      const head = await start(repository)
      const reservation = await ports.reserveBranch(projectId)
      let record: BranchRecord
      try {
        await reservation.hold(name)
        await createRef(repository, name, head)
        // What an older branch of that name left when a crash came between its ref and its record.
        const left = registry.byName(projectId, name)
        if (left !== undefined) await this.forget(left)
        record = await this.#record(repository, name, head)
      } catch (error) {
        await reservation.settle(0)
        throw error
      }
      await reservation.settle(1)
      previews.request(record)
      return record
    })
  }

  /**
   * Moves a branch to the commit that `make` builds on its head, again when the branch moved meanwhile. Resolves when
   * that is durable. Throws `not_found`, `stale_ref` and what `make` throws.
   */
  async advance(
    projectId: string,
    id: string,
    make: (branch: ResolvedBranch) => Promise<Oid>,
  ): Promise<ResolvedBranch> {
    const { record } = await this.find(projectId, id)
    return this.#mutex.run(keyOf(record), async () => {
      for (let tries = 1; ; tries++) {
        const branch = await this.find(projectId, id)
        const commit = await make(branch)
        if (commit === branch.head) return branch
        try {
          await branch.repository.updateRefs([{ ref: branchRef(record.name), old: branch.head, new: commit }])
        } catch (error) {
          if (tries < maxTries && isStale(error)) continue
          throw error
        }
        this.#parts.previews.request(record)
        return { ...branch, head: commit }
      }
    })
  }

  /** Moves the branch of a name from one commit to another. Throws `stale_ref` when it is not there (any more). */
  moveTo(
    projectId: string,
    name: string,
    { old, head }: { readonly old: Oid; readonly head: Oid },
  ): Promise<BranchRecord> {
    const { ports, registry, previews } = this.#parts
    return this.#mutex.run(keyOf({ projectId, name }), async () => {
      const repository = await ports.repositories.open(projectId)
      await repository.updateRefs([{ ref: branchRef(name), old, new: head }])
      const record = await registry.ensure(projectId, name)
      previews.request(record)
      return record
    })
  }

  /** Deletes a branch, whatever its head is. Throws `not_found`. */
  async remove(projectId: string, id: string): Promise<void> {
    const { record } = await this.find(projectId, id)
    await this.#mutex.run(keyOf(record), async () => {
      const { repository } = await this.find(projectId, id)
      await repository.updateRefs([{ ref: branchRef(record.name), new: null }])
      await this.forget(record)
    })
  }

  /** Deletes the branch of a name if it is at a commit. Throws `stale_ref`. */
  removeAt(projectId: string, name: string, old: Oid | null): Promise<void> {
    const { ports, registry } = this.#parts
    return this.#mutex.run(keyOf({ projectId, name }), async () => {
      const repository = await ports.repositories.open(projectId)
      await repository.updateRefs([{ ref: branchRef(name), old, new: null }])
      const record = registry.byName(projectId, name)
      if (record !== undefined) await this.forget(record)
    })
  }

  /** Keeps everybody else from changing a branch until the function that it resolves with is called. */
  lock(record: BranchRecord): Promise<() => void> {
    return this.#mutex.acquire(keyOf(record))
  }

  /** As `lock`, for all branches of these names. */
  async lockAll(projectId: string, names: readonly string[]): Promise<() => void> {
    const unlock: (() => void)[] = []
    // In one order for everybody: nobody waits for somebody who waits for them.
    for (const name of names.toSorted()) unlock.push(await this.#mutex.acquire(keyOf({ projectId, name })))
    return () => {
      for (const release of unlock) release()
    }
  }

  /**
   * The ref is gone: so go record and preview. Never rejects: the branch is deleted, and a record that a full disk keeps
   * goes when the next start finds no ref for it.
   */
  async forget(record: BranchRecord): Promise<void> {
    const { registry, previews, ports } = this.#parts
    const removal = registry.remove(record)
    previews.drop(record)
    ports.onGone?.(record.projectId, record.id)
    await removal.catch((error: unknown) => {
      const { projectId, id } = record
      ports.log.warn({ err: error, projectId, branch: id }, 'the record of a branch that is gone could not go')
    })
  }

  /**
   * Brings record and preview after the ref, whatever way that moved: an atomic push, a crash that lost the record.
   * Answers with the record; null when there is no such branch.
   */
  follow(projectId: string, name: string): Promise<BranchRecord | null> {
    const { ports, registry, previews } = this.#parts
    return this.#mutex.run(keyOf({ projectId, name }), async () => {
      const repository = await ports.repositories.open(projectId)
      const head = await repository.resolveRef(branchRef(name))
      if (head === null) {
        const left = registry.byName(projectId, name)
        if (left !== undefined) await this.forget(left)
        return null
      }
      const record = await registry.ensure(projectId, name)
      if (record.build?.commit !== head) previews.request(record)
      return record
    })
  }

  #followSoon({ projectId, id, name }: BranchRecord): void {
    this.follow(projectId, name).catch((error: unknown) => {
      this.#parts.ports.log.warn({ err: error, projectId, branch: id }, 'a branch that is gone could not be looked at')
    })
  }

  /** The record of a branch that was just made. Where it cannot be written, there is no branch, as whoever wants it is told. */
  async #record(repository: Repository, name: string, head: Oid): Promise<BranchRecord> {
    try {
      return await this.#parts.registry.ensure(repository.projectId, name)
    } catch (error) {
      await repository.updateRefs([{ ref: branchRef(name), old: head, new: null }])
      throw error
    }
  }

  async #startOf(
    repository: Repository,
    { from, author }: { readonly from?: string; readonly author: Author },
  ): Promise<Oid> {
    const main = await repository.resolveRef(mainRef)
    if (from === undefined || from === 'main') return main ?? emptyCommit(repository, author)
    const name = this.#parts.registry.byId(repository.projectId, from)?.name ?? from
    // A name that no ref can have is not looked for.
    const head =
      /^[a-z0-9_/-]+$/.test(name) && !name.includes('//') && !name.endsWith('/')
        ? await repository.resolveRef(branchRef(name))
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

const keyOf = ({ projectId, name }: Pick<BranchRecord, 'projectId' | 'name'>): string => `${projectId} ${name}`

async function emptyCommit(repository: Repository, author: Author): Promise<Oid> {
  const { commit } = await repository.replaceTree({ files: [], parent: null, author, message: 'Begin' })
  return commit
}

async function createRef(repository: Repository, name: string, head: Oid): Promise<void> {
  try {
    await repository.updateRefs([{ ref: branchRef(name), old: null, new: head }])
  } catch (error) {
    if (isStale(error)) throw exists(name)
    throw error
  }
}

function isStale(error: unknown): boolean {
  return error instanceof Failure && error.code === 'stale_ref'
}

function exists(name: string): Failure {
  return new Failure('branch_exists', `There is a branch ${name} already.`, { hint: 'Choose another name.' })
}
