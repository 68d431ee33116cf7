import { LRUCache } from 'lru-cache'
import { mainRef } from '../content/refs/ref-names.ts'
import type { Branch, FileDiff as ShownDiff, HistoryCommit, Preview, BranchChanges } from '../contract/branches.ts'
import type { FileStatus, ProjectFile } from '../contract/files.ts'
import type { FileDiff, LogEntry, Oid, TreeChange, Repository } from '../content/repository.ts'
import { nextTurn, isTurnOver } from '../lib/slices.ts'
import type { ResolvedBranch } from './branch-refs.ts'
import type { BranchingPorts } from './ports.ts'
import type { Previews } from './previews.ts'
import type { BranchRecord } from './registry.ts'

const cachedBases = 5_000
const noPages = { total: 0, built: 0, reused: 0 }
const noCounts = { errors: 0, warnings: 0 }

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

/** What differs at a commit since it left main, by path. */
export async function changesSince(
  comparisons: Comparisons,
  repository: Repository,
  head: Oid,
): Promise<ReadonlyMap<string, TreeChange>> {
  const base = await comparisons.base(repository, await repository.resolveRef(mainRef), head)
  return new Map((await comparisons.changes(repository, base, head)).map((change) => [change.path, change]))
}

export function statusOf({ before, after }: TreeChange): Exclude<FileStatus, 'unchanged'> {
  if (before === null) return 'added'
  return after === null ? 'deleted' : 'modified'
}

export interface PresenterOptions {
  readonly slugOf: BranchingPorts['slugOf']
  readonly urlOf: BranchingPorts['urlOf']
  readonly previews: Previews
  readonly comparisons: Comparisons
}

/** On the host of a preview: the frame for pages that are not built. */
export const livePath = '/_quire/live'

/** Branches as the API shows them. */
export class Presenter {
  readonly #options: PresenterOptions

  constructor(options: PresenterOptions) {
    this.#options = options
  }

  async branch({ record, repository, head }: ResolvedBranch): Promise<Branch> {
    const { comparisons, urlOf } = this.#options
    const main = await repository.resolveRef(mainRef)
    const base = await comparisons.base(repository, main, head)
    const { committedAt } = await repository.readCommit(head)
    return {
      id: record.id,
      name: record.name,
      previewUrl: urlOf(record.label),
      liveUrl: urlOf(record.label) + livePath,
      head,
      ...(base === null ? {} : { base }),
      upToDate: base === main,
      changes: await comparisons.counts(repository, base, head),
      preview: this.preview(record, head),
      createdAt: record.createdAt,
      // A branch that nobody has changed yet has a head that is older than itself.
      updatedAt: committedAt > record.createdAt ? committedAt : record.createdAt,
    }
  }

  /** The build under way, else the last one. */
  preview(record: BranchRecord, head: Oid): Preview {
    const { previews, slugOf, urlOf } = this.#options
    const shared = {
      project: slugOf(record.projectId),
      kind: 'preview' as const,
      branch: record.name,
      url: urlOf(record.label),
      stages: {},
      ...(record.served === undefined ? {} : { served: record.served.commit }),
    }
    const { build } = record
    // Nothing of this head was built or is under way, after a restart for example: whoever looks at it has it built.
    if (build?.commit !== head && previews.pending(record) === null) previews.request(record)
    const pending = previews.pending(record)
    if (pending === null && build?.commit === head) {
      const { errors, warnings, ...rest } = build
      return { ...shared, ...rest, errors: [...errors], warnings: [...warnings] }
    }
    return {
      ...shared,
      id: `${record.id}-${head.slice(0, 12)}`,
      status: pending ?? 'queued',
      commit: head,
      pages: noPages,
      errors: [],
      warnings: [],
      counts: noCounts,
      createdAt: record.createdAt,
    }
  }
}

/** Files of a branch with what became of them; deleted ones with what they were. By path. */
export async function presentFiles(
  files: Iterable<readonly [path: string, file: { readonly oid: Oid }]>,
  changes: ReadonlyMap<string, TreeChange>,
  sizes: ReadonlyMap<Oid, number>,
): Promise<ProjectFile[]> {
  const items: ProjectFile[] = []
  const add = (path: string, oid: Oid, status: FileStatus): void => {
    items.push({ path, status, oid, size: sizes.get(oid) ?? 0 })
  }
  for (const [path, { oid }] of files) {
    if (isTurnOver()) await nextTurn()
    const change = changes.get(path)
    add(path, oid, change === undefined ? 'unchanged' : change.before === null ? 'added' : 'modified')
  }
  for (const [path, { before, after }] of changes)
    if (after === null && before !== null) add(path, before.oid, 'deleted')
  await nextTurn()
  items.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  // It is written next, all at once.
  await nextTurn()
  return items
}

export function presentDiff({ before, after, hunks, ...diff }: FileDiff): ShownDiff {
  return {
    ...diff,
    ...(before === null ? {} : { oldOid: before.oid }),
    ...(after === null ? {} : { oid: after.oid }),
    hunks: hunks.map(({ lines, ...hunk }) => ({
      ...hunk,
      lines: lines.map(({ words, ...line }) => ({
        ...line,
        ...(words === undefined ? {} : { words: words.map((word) => ({ ...word })) }),
      })),
    })),
  }
}

export function presentCommit({ oid, parents, author, message, committedAt, path }: LogEntry): HistoryCommit {
  return {
    oid,
    parents: [...parents],
    author: { ...author },
    message,
    committedAt,
    ...(path === undefined ? {} : { path }),
  }
}
