import { branchPrefix, branchRef, mainRef } from '../content/refs/ref-names.ts'
import type { Oid, Repository } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { BranchingPorts } from './ports.ts'
import type { Entry, Registry } from './registry.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'

/** Somebody else (a push from a second process, say) may come between; never so often. */
const maxTries = 10

/** A branch whose ref is there. */
export interface Found {
  readonly entry: Entry
  readonly repository: Repository
  readonly head: Oid
}

export interface HeadsOptions {
  readonly ports: Pick<BranchingPorts, 'repositories' | 'log'>
  readonly registry: Registry
  readonly mutex: KeyedMutex
  /** Told of every branch that has a new head. */
  readonly moved: (entry: Entry) => void
  /** Told when a branch is gone. */
  readonly removed: (entry: Entry) => void
}

/** The refs of branches, and the records that follow them. */
export class Heads {
  readonly #options: HeadsOptions

  constructor(options: HeadsOptions) {
    this.#options = options
  }

  /** Throws `not_found`. */
  async find(slug: string, id: string): Promise<Found> {
    const entry = this.#options.registry.byId(slug, id)
    const repository = await this.#options.ports.repositories.open(slug)
    const head = entry === undefined ? null : await repository.resolveRef(branchRef(entry.name))
    if (entry === undefined || head === null) {
      if (entry !== undefined) await this.heal(entry)
      throw new Failure('not_found', `The project has no branch ${id}.`, {
        hint: 'It may have been published or deleted.',
      })
    }
    return { entry, repository, head }
  }

  /** All branches that have a ref; records are made for those that have none, and records without a ref go. */
  async all(slug: string): Promise<readonly Found[]> {
    const { ports, registry } = this.#options
    const repository = await ports.repositories.open(slug)
    const refs = await repository.listRefs(branchPrefix)
    const found: Found[] = []
    for (const [ref, head] of refs) {
      if (ref === mainRef) continue
      const name = ref.slice(branchPrefix.length)
      const entry = registry.byName(slug, name) ?? (await this.#adopt(repository, name))
      if (entry !== null) found.push({ entry, repository, head })
    }
    for (const entry of registry.entries(slug)) if (!refs.has(branchRef(entry.name))) await this.heal(entry)
    return found
  }

  /**
   * Moves a branch to the commit that `make` builds on its head, as often as somebody else was faster. Resolves when
   * that is durable. Throws `not_found`, `stale_ref` and what `make` throws.
   */
  async move(slug: string, id: string, make: (found: Found) => Promise<Oid>): Promise<Found> {
    const { entry } = await this.find(slug, id)
    return this.#options.mutex.run(mutexKey(entry), async () => {
      for (let tries = 1; ; tries++) {
        const found = await this.find(slug, id)
        const commit = await make(found)
        if (commit === found.head) return found
        try {
          await found.repository.updateRefs([{ ref: branchRef(entry.name), old: found.head, new: commit }])
        } catch (error) {
          if (tries < maxTries && error instanceof Failure && error.code === 'stale_ref') continue
          throw error
        }
        this.#options.moved(entry)
        return { ...found, head: commit }
      }
    })
  }

  /** Deletes a branch, whatever its head is. Throws `not_found`. */
  async remove(slug: string, id: string): Promise<void> {
    const { entry } = await this.find(slug, id)
    await this.#options.mutex.run(mutexKey(entry), async () => {
      const { repository } = await this.find(slug, id)
      await repository.updateRefs([{ ref: branchRef(entry.name), new: null }])
      await this.forget(entry)
    })
  }

  /** The ref is gone: so go record and preview. */
  async forget(entry: Entry): Promise<void> {
    const removal = this.#options.registry.remove(entry)
    this.#options.removed(entry)
    await removal
  }

  /** Looks again, when nobody else is at work on the branch, whether the ref of a record is there. */
  async heal(entry: Entry): Promise<void> {
    await this.#options.mutex.run(mutexKey(entry), async () => {
      const repository = await this.#options.ports.repositories.open(entry.slug)
      if (entry.gone || (await repository.resolveRef(branchRef(entry.name))) !== null) return
      await this.forget(entry)
    })
  }

  /** A branch that came by other ways than this room, or whose record a crash lost. */
  #adopt(repository: Repository, name: string): Promise<Entry | null> {
    const { registry, mutex, moved } = this.#options
    return mutex.run(mutexKey({ slug: repository.slug, name }), async () => {
      const head = await repository.resolveRef(branchRef(name))
      if (head === null) return null
      const entry = await registry.ensure(repository.slug, name)
      if (entry.build === undefined) moved(entry)
      return entry
    })
  }
}

/** What orders those who change a branch. */
export function mutexKey({ slug, name }: Pick<Entry, 'slug' | 'name'>): string {
  return `${slug} ${name}`
}
