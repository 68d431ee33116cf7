import { mainRef } from '../content/refs/ref-names.ts'
import type { Oid, Repository, Tree } from '../content/repository.ts'
import type { BranchFileContent, CommitComparison, HistoryCommit, HistoryQuery } from '../contract/branches.ts'
import type { List } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { FileContent, ProjectFile } from '../contract/files.ts'
import type { SearchQuery, SearchResult } from '../contract/searches.ts'
import type { BranchRefs } from './branch-refs.ts'
import { commitsOf, comparisonOf, rangeOf, type CommitRange } from './history.ts'
import { contentOf, requireReachable } from './lookup.ts'
import type { BranchingPorts } from './ports.ts'
import { changesSince, presentFiles, type Comparisons } from './present.ts'
import { searchTree } from './search.ts'

/** Seconds after which a search that found too many waiting is worth another try. */
const fullSeconds = 5

interface ContentsParts {
  readonly ports: Pick<BranchingPorts, 'repositories' | 'ownerOf' | 'searches'>
  readonly refs: Pick<BranchRefs, 'find'>
  readonly comparisons: Comparisons
}

interface Place {
  readonly repository: Repository
  /** Null: main without a commit. */
  readonly head: Oid | null
}

/** The files of branches, and those of main with their history. What takes a branch’s id throws `not_found` where there is none. */
export class Contents {
  readonly #parts: ContentsParts

  constructor(parts: ContentsParts) {
    this.#parts = parts
  }

  /** All files, with what the branch changed since it left main. */
  async files(projectId: string, id: string): Promise<{ head: Oid; items: ProjectFile[] }> {
    const { repository, head } = await this.#parts.refs.find(projectId, id)
    const changes = await changesSince(this.#parts.comparisons, repository, head)
    const tree = await repository.readTree(head)
    const deleted = [...changes.values()].flatMap(({ before, after }) => (after === null && before ? [before.oid] : []))
    const sizes = await repository.blobSizes([...[...tree.values()].map(({ oid }) => oid), ...deleted])
    return { head, items: await presentFiles(tree, changes, sizes) }
  }

  /** Main’s files, by path. */
  async mainFiles(projectId: string): Promise<{ head?: Oid; items: ProjectFile[] }> {
    const { repository, head } = await this.#main(projectId)
    if (head === null) return { items: [] }
    const tree = await repository.readTree(head)
    const sizes = await repository.blobSizes([...tree.values()].map(({ oid }) => oid))
    return { head, items: await presentFiles(tree, new Map(), sizes) }
  }

  /** A file of a branch, as it is or as it was at a commit of the branch or of main. Throws `not_found`. */
  async file(projectId: string, id: string, { path, commit }: FileQuestion): Promise<BranchFileContent> {
    const { repository, head, record } = await this.#parts.refs.find(projectId, id)
    if (commit !== undefined) {
      const heads = [head, await repository.resolveRef(mainRef)]
      await requireReachable(repository, { commit, heads, where: `The branch ${record.name}` })
    }
    const at = commit ?? head
    const where = commit === undefined ? record.name : `${record.name} at commit ${commit}`
    const file = await contentOf(repository, await repository.readTree(at), { path, where })
    const change = (await changesSince(this.#parts.comparisons, repository, at)).get(file.path)
    const status = change === undefined ? 'unchanged' : change.before === null ? 'added' : 'modified'
    return { ...file, status, commit: at }
  }

  /** A file of main, as it is or as it was at a commit of main. Throws `not_found`. */
  async mainFile(projectId: string, { path, commit }: FileQuestion): Promise<FileContent> {
    const { repository, head } = await this.#main(projectId)
    if (commit !== undefined) await requireReachable(repository, { commit, heads: [head], where: 'Main' })
    const where = commit === undefined ? 'main' : `main at commit ${commit}`
    return contentOf(repository, await treeAt(repository, commit ?? head), { path, where })
  }

  /** Commits of main, newest first; with a path only those that touched the file. */
  async mainHistory(projectId: string, query: HistoryQuery): Promise<List<HistoryCommit>> {
    const { repository, head } = await this.#main(projectId)
    return commitsOf(repository, head, query)
  }

  /** What a commit of main changed, as lines and words. Throws `not_found`. */
  async mainDiff(
    projectId: string,
    { path, commit }: { readonly path?: string; readonly commit: Oid },
  ): Promise<CommitComparison> {
    const { repository, head } = await this.#main(projectId)
    return comparisonOf(repository, await rangeOf(repository, commit, { head, where: 'Main' }), path)
  }

  /** What differs between two commits that somebody vouches for, as lines and words. */
  async compare(projectId: string, range: CommitRange, path?: string): Promise<CommitComparison> {
    return comparisonOf(await this.#parts.ports.repositories.open(projectId), range, path)
  }

  /** Lines of the text files of a branch. Failure `rate_limited`; the signal’s reason when nobody waits any more. */
  async search(projectId: string, id: string, query: SearchQuery, signal: AbortSignal): Promise<SearchResult> {
    return this.#search(projectId, await this.#parts.refs.find(projectId, id), { query, signal })
  }

  /** Lines of main’s text files. Failures as `search`. */
  async searchMain(projectId: string, query: SearchQuery, signal: AbortSignal): Promise<SearchResult> {
    return this.#search(projectId, await this.#main(projectId), { query, signal })
  }

  async #search(
    projectId: string,
    { repository, head }: Place,
    { query, signal }: { readonly query: SearchQuery; readonly signal: AbortSignal },
  ): Promise<SearchResult> {
    const { searches, ownerOf } = this.#parts.ports
    const owner = ownerOf(projectId)
    if (searches.isFull(owner)) {
      throw new Failure('rate_limited', 'Too many searches in projects of this account wait for their turn.', {
        hint: 'Search fewer at a time, and again when others have ended.',
        retryAfter: fullSeconds,
      })
    }
    const work = async (): Promise<SearchResult> =>
      searchTree(repository, await treeAt(repository, head), query, signal)
    return searches.run(owner, work, signal)
  }

  async #main(projectId: string): Promise<Place> {
    const repository = await this.#parts.ports.repositories.open(projectId)
    return { repository, head: await repository.resolveRef(mainRef) }
  }
}

export interface FileQuestion {
  readonly path: string
  readonly commit?: Oid
}

async function treeAt(repository: Repository, commit: Oid | null): Promise<Tree> {
  return commit === null ? new Map() : repository.readTree(commit)
}
