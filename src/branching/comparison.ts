import { LRUCache } from 'lru-cache'
import type { Oid, Repository, TreeChange } from '../content/repository.ts'
import type { BranchChanges, FileStatus } from '../contract/branches.ts'

const cachedBases = 5_000

/** What branches changed since they left main. */
export class Comparisons {
  /** Commits never change, so neither does what two of them have in common. */
  readonly #bases = new LRUCache<string, { readonly base: Oid | null }>({ max: cachedBases })

  /** The last commit that main and a branch have in common; null when there is none. */
  async base(repository: Repository, main: Oid | null, head: Oid): Promise<Oid | null> {
    if (main === null) return null
    if (main === head) return main
    const key = `${main} ${head}`
    const known = this.#bases.get(key)
    if (known !== undefined) return known.base
    // A commit that a save put on top of another adds nothing that main could have.
    const { parents } = await repository.readCommit(head)
    const [parent] = parents
    const inherited = parents.length === 1 && parent !== undefined ? this.#bases.get(`${main} ${parent}`) : undefined
    const base = inherited?.base ?? (parent === main ? main : await repository.mergeBase(main, head))
    this.#bases.set(key, { base })
    return base
  }

  changes(repository: Repository, base: Oid | null, head: Oid): Promise<readonly TreeChange[]> {
    return repository.diffTrees(base, head)
  }

  async counts(repository: Repository, base: Oid | null, head: Oid): Promise<BranchChanges> {
    const counts = { added: 0, modified: 0, deleted: 0 }
    for (const change of await this.changes(repository, base, head)) counts[statusOf(change)] += 1
    return counts
  }
}

export function statusOf({ before, after }: TreeChange): Exclude<FileStatus, 'unchanged'> {
  if (before === null) return 'added'
  return after === null ? 'deleted' : 'modified'
}
