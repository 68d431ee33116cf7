import { branchRef, mainRef } from '../content/refs/ref-names.ts'
import type { Author, Oid, Repository, Resolution as Decision } from '../content/repository.ts'
import type { Resolution } from '../contract/branches.ts'
import { Failure } from '../contract/failure.ts'
import type { Comparisons } from './comparison.ts'
import { conflictFailure, decisionsOf } from './conflicts.ts'
import { mutexKey, type Found, type Heads } from './heads.ts'
import type { LandCommit, LandSource } from './ports.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'

interface MergesOptions {
  readonly heads: Heads
  readonly mutex: KeyedMutex
  readonly comparisons: Comparisons
  readonly onError: (error: unknown, slug: string) => void
}

export interface MergeRequest {
  readonly slug: string
  readonly id: string
  readonly author: Author
  readonly message?: string | undefined
  readonly resolutions?: readonly Resolution[] | undefined
}

/** Joins main and branches, in both directions. */
export class Merges {
  readonly #options: MergesOptions

  constructor(options: MergesOptions) {
    this.#options = options
  }

  /** Brings main into a branch. Failures: `merge_conflict`, `not_found`. */
  async update(request: MergeRequest): Promise<Found> {
    const { heads, comparisons } = this.#options
    const decisions = decisionsOf(request.resolutions ?? [])
    return heads.move(request.slug, request.id, async ({ repository, head, entry }) => {
      const main = await repository.resolveRef(mainRef)
      if (main === null) return head
      const base = await comparisons.base(repository, main, head)
      if (base === main) return head
      if (base === head) return main
      const tree = await this.#merge(repository, { main, head, name: entry.name, decisions })
      const message = request.message?.trim() || `Merge main into ${entry.name}`
      return repository.commitTree({ tree, parents: [head, main], author: request.author, message })
    })
  }

  /**
   * A publish of a branch, for the pipeline: main’s next commit has main and the branch as parents, and in the ref
   * transaction that moves main the branch goes, if it is still where it was merged.
   */
  async publish(request: MergeRequest): Promise<LandSource> {
    const { heads, mutex } = this.#options
    const { entry } = await heads.find(request.slug, request.id)
    const decisions = decisionsOf(request.resolutions ?? [])
    return {
      kind: 'publish',
      branch: entry.name,
      find: async (main, attempt) => {
        // Who was overtaken by a save once keeps the others waiting the second time: a publish comes to its end.
        const release = attempt === 1 ? () => undefined : await mutex.acquire(mutexKey(entry))
        try {
          const found = await heads.find(request.slug, request.id)
          return this.#joined(found, await this.#join(found, main, { ...request, decisions }), release)
        } catch (error) {
          release()
          throw error
        }
      },
    }
  }

  /** Main as it is, once more. Failure `not_found` when there is no main yet. */
  publishMain(): LandSource {
    return {
      kind: 'publish',
      find: async (main) => {
        if (main === null) {
          throw new Failure('not_found', 'The project has no main yet: there is nothing to publish.', {
            hint: 'Deploy files, or publish a branch.',
          })
        }
        return { commit: main, refs: [], settle: () => undefined }
      },
    }
  }

  #joined(found: Found, commit: { readonly commit: Oid; readonly mergeCommit?: Oid }, release: () => void): LandCommit {
    const { entry, head } = found
    return {
      ...commit,
      refs: [{ ref: branchRef(entry.name), old: head, new: null }],
      ...(entry.served === undefined ? {} : { reuse: [entry.served.release] }),
      settle: (landed) => {
        release()
        if (!landed || entry.gone) return
        this.#options.heads.forget(entry).catch((error: unknown) => this.#options.onError(error, entry.slug))
      },
    }
  }

  async #join(
    { repository, head, entry }: Found,
    main: Oid | null,
    request: MergeRequest & { readonly decisions: readonly Decision[] },
  ): Promise<{ readonly commit: Oid; readonly mergeCommit?: Oid }> {
    // Nothing to join yet: the branch becomes main.
    if (main === null) return { commit: head }
    const tree = await this.#merge(repository, { main, head, name: entry.name, decisions: request.decisions })
    const message = request.message?.trim() || `Publish ${entry.name}`
    const commit = await repository.commitTree({ tree, parents: [main, head], author: request.author, message })
    return { commit, mergeCommit: commit }
  }

  async #merge(
    repository: Repository,
    {
      main,
      head,
      name,
      decisions,
    }: { readonly main: Oid; readonly head: Oid; readonly name: string; readonly decisions: readonly Decision[] },
  ): Promise<Oid> {
    const { tree, conflicts } =
      decisions.length === 0
        ? await repository.mergeTree(main, head)
        : await repository.resolveMerge({ main, branch: head, resolutions: decisions })
    if (tree === null) throw await conflictFailure(repository, name, conflicts)
    return tree
  }
}
