import { branchRef } from '../content/refs/ref-names.ts'
import type { Oid, Resolution as Decision } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { CommitContent, ContentSource } from '../deploying/content-source.ts'
import type { BranchRefs, ResolvedBranch } from './branch-refs.ts'
import { decisionsOf, mergedTree, type MergeRequest } from './merge.ts'

/**
 * A publish of a branch: main’s next commit has main and the branch as parents, and in the ref transaction that moves
 * main the branch goes, if it is still where it was merged. Failures: `not_found`, `merge_conflict`, `invalid_request`.
 */
export class BranchPublish implements ContentSource {
  readonly kind = 'publish'
  readonly retries = true
  readonly #refs: BranchRefs
  readonly #request: MergeRequest
  #decisions: readonly Decision[] = []
  /** As it was when it was last merged. */
  #branch: ResolvedBranch | undefined
  #unlock: (() => void) | undefined

  constructor(refs: BranchRefs, request: MergeRequest) {
    this.#refs = refs
    this.#request = request
  }

  async validate(): Promise<void> {
    await this.#refs.find(this.#request.projectId, this.#request.id)
    this.#decisions = await decisionsOf(this.#request.resolutions)
  }

  async prepare(main: Oid | null): Promise<CommitContent> {
    const { projectId, id } = this.#request
    // The attempt before lost to a save. From now on saves wait, so that the publish comes to its end.
    if (this.#branch !== undefined) this.#unlock = await this.#refs.lock(this.#branch.record)
    this.#branch = await this.#refs.find(projectId, id)
    const { record, head } = this.#branch
    return {
      type: 'commit',
      branch: record.name,
      ...(await this.#nextCommit(this.#branch, main)),
      refs: [{ ref: branchRef(record.name), old: head, new: null }],
      ...(record.served === undefined ? {} : { reuse: [record.served.release] }),
    }
  }

  committed(): void {
    this.aborted()
    const record = this.#branch?.record
    if (record === undefined || record.gone) return
    void this.#refs.forget(record)
  }

  aborted(): void {
    this.#unlock?.()
    this.#unlock = undefined
  }

  async #nextCommit(
    { repository, head, record }: ResolvedBranch,
    main: Oid | null,
  ): Promise<Pick<CommitContent, 'commit' | 'mergeCommit'>> {
    // Nothing to join yet: the branch becomes main.
    if (main === null) return { commit: head }
    const { author, message } = this.#request
    const tree = await mergedTree(repository, { main, head, name: record.name, decisions: this.#decisions })
    const text = message?.trim() || `Publish ${record.name}`
    const commit = await repository.commitTree({ tree, parents: [main, head], author, message: text })
    return { commit, mergeCommit: commit }
  }
}

/** Main as it is, once more. Failure `not_found` when there is no main yet. */
export class MainPublish implements ContentSource {
  readonly kind = 'publish'
  readonly retries = true
  async prepare(main: Oid | null): Promise<CommitContent> {
    if (main === null) {
      throw new Failure('not_found', 'The project has no main yet: there is nothing to publish.', {
        hint: 'Deploy files, or publish a branch.',
      })
    }
    return { type: 'commit', commit: main }
  }
}
