/**
 * What a project holds: a Git repository, in Git’s own words. test/support/content/contract says what any adapter has to do;
 * git-repository.ts keeps repositories on disk, test/support/memory-repository.ts in memory.
 *
 * Promises: what a method acknowledged survives kill -9 and a power cut; refs move only by compare-and-swap; content
 * is read from the object store, never from a checkout; paths and authors are checked before anything is written.
 * Oids are 40 hex digits; paths are relative, `/`-separated, NFC.
 */
export type Oid = string
/** `120000` is a symbolic link: only among the sides of a conflict, as trees have the files that links lead to. */
export type FileMode = '100644' | '100755' | '120000'

export interface TreeFile {
  readonly oid: Oid
  readonly mode: FileMode
}

/** Symbolic links by path: where those lead that are followed, and why the others are not. See `objects/links.ts`. */
export interface Links {
  /** A file or a folder of the same tree; '' is the tree itself. */
  readonly followed: ReadonlyMap<string, string>
  /** In words that go behind “it is a symbolic link”. */
  readonly left: ReadonlyMap<string, string>
}

/** All files of a tree by path. */
export type Tree = ReadonlyMap<string, TreeFile>

export interface TreeChange {
  readonly path: string
  readonly before: TreeFile | null
  readonly after: TreeFile | null
}

export interface Author {
  readonly name: string
  readonly email: string
}

/** A file of a whole-tree replacement: with its content, or with the id of a blob that the repository has. */
export type NewFile =
  | { readonly path: string; readonly content: Uint8Array }
  | { readonly path: string; readonly oid: Oid }

export interface Commit {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly author: Author
  readonly message: string
  /** RFC 3339, UTC. */
  readonly committedAt: string
}

/** One ref of a transaction. `old: null`: must not exist; `old: undefined`: whatever it is; `new: null`: delete. */
export interface RefUpdate {
  readonly ref: string
  readonly old?: Oid | null
  readonly new: Oid | null
}

/** One change of a save: new content, the id of a blob that the repository has, or null to delete the file. */
export type FileChange = {
  readonly path: string
  /** Blob that the caller believes is there (null: no file); without it whatever is there is overwritten. */
  readonly expected?: Oid | null | undefined
} & ({ readonly content: Uint8Array | null } | { readonly oid: Oid })

export type MergeSide = 'main' | 'branch'

export type ConflictType =
  | 'content'
  | 'add/add'
  | 'modify/delete'
  | 'rename/rename'
  | 'rename/delete'
  | 'directory/file'
  | 'binary'
  | 'mode'

/**
 * A path that two sides changed in ways that do not go together. A missing `base`, `main` or `branch`: no file of this
 * path there. A file that the sides renamed apart (`rename/rename`) is one conflict for each new path.
 */
export interface MergeConflict {
  readonly path: string
  readonly type: ConflictType
  /** Blobs. */
  readonly base?: Oid
  readonly main?: Oid
  readonly branch?: Oid
  /** Where a renamed file was. */
  readonly oldPath?: string
}

/** `tree` is null exactly when there are conflicts. */
export interface MergeResult {
  readonly tree: Oid | null
  readonly conflicts: readonly MergeConflict[]
}

/**
 * How a conflict is settled: with what one side has at the path (nothing: the file is deleted), or with given content
 * (null: deleted).
 */
export type Resolution = {
  readonly path: string
  /** The sides on which the decision was made; when one has moved since, the conflict stays. Only given sides count. */
  readonly seen?: { readonly main?: Oid | null; readonly branch?: Oid | null } | undefined
} & ({ readonly use: MergeSide } | { readonly content: Uint8Array | null })

export interface DiffWord {
  readonly text: string
  readonly changed: boolean
}

/** `text` has no line feed at its end, but its carriage return. */
export interface DiffLine {
  readonly kind: 'context' | 'added' | 'deleted'
  readonly text: string
  /** The line in pieces, where it is a changed form of lines on the other side. */
  readonly words?: readonly DiffWord[]
  /** The file ends here without a line feed. */
  readonly unterminated?: true
}

/** Line numbers are 1-based; an empty range names the line before it, as in `diff -u`. */
export interface DiffHunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly DiffLine[]
}

export interface FileDiff {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  /** Of a renamed file. */
  readonly oldPath?: string
  readonly before: TreeFile | null
  readonly after: TreeFile | null
  /** Neither has `hunks`. */
  readonly binary: boolean
  /** The hunks are left out: the whole diff would be too large. */
  readonly truncated: boolean
  readonly hunks: readonly DiffHunk[]
}

/** A commit in the history of a file, which may have had another path then. */
export interface LogEntry extends Commit {
  readonly path?: string
}

export interface Repository {
  readonly projectId: string
  /** @param ref in full: `refs/heads/main`. */
  resolveRef(ref: string): Promise<Oid | null>
  /** Refs under a prefix such as `refs/deploys/`, with their oids. */
  listRefs(prefix: string): Promise<ReadonlyMap<string, Oid>>
  /**
   * One transaction: all or nothing. Durable. Throws Failure `stale_ref` when an old value differs, `branch_name_conflict`,
   * `unavailable` when git hangs, and RefsHalfMoved when some have moved and what came of
   * the others, or whether it is durable, is not known. Git moves the refs in the order given:
   * after a crash of the service those at the front may have moved.
   *
   * @param options.journal after a crash it is all or nothing, too: what has not moved moves when the repository is next
   *   opened. Costs a file, and is for updates that say what was there before.
   */
  updateRefs(updates: readonly RefUpdate[], options?: { readonly journal?: boolean }): Promise<void>
  /**
   * All files of a commit or tree, with those that its symbolic links lead to at the paths of the links. Unchanged
   * subtrees cost nothing the second time. Submodules are left out.
   */
  readTree(treeish: Oid): Promise<Tree>
  /** Which symbolic links of a commit or tree `readTree` follows, and which not. */
  readLinks(treeish: Oid): Promise<Links>
  /** Files that differ, without what links lead to; equal subtrees are skipped. `null` is the empty tree. */
  diffTrees(before: Oid | null, after: Oid): Promise<readonly TreeChange[]>
  readCommit(oid: Oid): Promise<Commit>
  /** The commit that an annotated tag names; whatever else has the id is itself. Throws ObjectNotFound. */
  peel(oid: Oid): Promise<Oid>
  /** Throws ObjectNotFound. */
  readBlob(oid: Oid): Promise<Buffer>
  /** Bytes of blobs; those that the repository lacks are left out. */
  blobSizes(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, number>>
  /** Stores blobs ahead of their use, durable, in one pack. No ref keeps them: at least a day, then gc may take them. */
  writeBlobs(contents: readonly Uint8Array[]): Promise<readonly Oid[]>
  /**
   * Writes a commit whose tree is exactly `files`; moves no ref. Durable. Only objects that the repository lacks are
   * written. Symbolic links of the parent stay where what they lead to is what the files have at their paths. Failure `invalid_path` names every path and the rule that it breaks; `missing_objects` every absent oid.
   */
  replaceTree(request: {
    readonly files: readonly NewFile[]
    readonly parent: Oid | null
    readonly author: Author
    readonly message: string
  }): Promise<{ readonly commit: Oid; readonly tree: Oid }>
  /**
   * Writes a commit with several changes on top of `parent`; moves no ref. Durable. What is not named stays as it is.
   * Without any difference it is `parent` itself. `oids`: the blob of each changed path, null when it was deleted.
   * A path that leads through symbolic links is written where they lead; the deletion of a link is of the link.
   *
   * @throws Failure `stale_file` when a file is not the expected one (`extra` names `path` and the current `oid`),
   *   `not_found` for the deletion of an absent file, `invalid_path` with every path and rule, collisions with the
   *   rest of the tree included, `missing_objects`, `invalid_author`.
   */
  commitChanges(request: {
    readonly parent: Oid
    readonly changes: readonly FileChange[]
    readonly author: Author
    readonly message: string
  }): Promise<{ readonly commit: Oid; readonly tree: Oid; readonly oids: ReadonlyMap<string, Oid | null> }>
  /** Writes a commit on a tree that the repository has, with any parents; moves no ref. Durable. */
  commitTree(request: {
    readonly tree: Oid
    readonly parents: readonly Oid[]
    readonly author: Author
    readonly message: string
  }): Promise<Oid>
  /** The best common ancestor of two commits, or null. */
  mergeBase(a: Oid, b: Oid): Promise<Oid | null>
  /**
   * Three-way merge of two commits; moves no ref. On disk renamed files are followed, as `git merge` does. The tree is durable, and the same when the branch is the one that is
   * brought up to date: only the parents of the commit are then the other way round.
   *
   * @throws Failure `invalid_path` when files of both sides collide on some file systems (`Guide.mdx`, `guide.mdx`).
   */
  mergeTree(main: Oid, branch: Oid): Promise<MergeResult>
  /**
   * Merges with decisions for conflicted paths. Conflicts without one come back, and then there is no tree. Durable.
   *
   * @throws Failure `invalid_request` for a decision about a path without conflict: it would be lost silently.
   */
  resolveMerge(request: {
    readonly main: Oid
    readonly branch: Oid
    readonly resolutions: readonly Resolution[]
  }): Promise<MergeResult>
  /**
   * Files that differ between two commits or trees, by path, with renames, line hunks and changed words. Bounded.
   *
   * @param path only this file, whichever of its names that is; the bounds are then its own.
   */
  diff(before: Oid, after: Oid, path?: string): Promise<readonly FileDiff[]>
  /**
   * Commits that led to `from`, newest first; with a path only those that touched the file, under its earlier names too.
   *
   * @param request.after leave out everything up to this commit of the list: the last one of the page before.
   */
  log(request: {
    readonly from: Oid
    readonly path?: string | undefined
    readonly limit: number
    readonly after?: Oid | undefined
  }): Promise<readonly LogEntry[]>
  /**
   * When commits that led to `from` last changed these files, in seconds since 1970. Files of which the newest 10,000
   * commits tell nothing, or not soon enough, are absent.
   */
  lastChanges(from: Oid, paths: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** `git fsck --full --strict`, in the background: one line per complaint, empty when clean. The signal ends it. */
  fsck(signal?: AbortSignal): Promise<readonly string[]>
  /** Runs work that counts on stored objects which no ref keeps yet: nothing is collected meanwhile. */
  withoutMaintenance<T>(work: () => Promise<T>): Promise<T>
  /** Runs work, a short one, during which no ref of the repository moves: it reads all refs as of one instant. */
  withRefsLocked<T>(work: () => Promise<T>): Promise<T>
  /** Waits for a collection that runs, and lets no other begin until the function that it returns is called. */
  holdMaintenance(): Promise<() => void>
}

/** A repository on disk, for what runs native git in it or looks at its files. */
export interface BareRepository extends Repository {
  /** Absolute path. */
  readonly directory: string
  /** Collects unreachable objects older than two weeks and repacks. */
  maintain(signal?: AbortSignal): Promise<void>
  /** Ends its lasting processes of git; what is asked next starts them again. */
  close(): Promise<void>
}

/** Some refs of a transaction have moved, and git could not be brought to move the others. */
export class RefsHalfMoved extends Error {
  override readonly name = 'RefsHalfMoved'

  constructor(left: readonly RefUpdate[], cause: unknown) {
    super(`not moved yet: ${left.map(({ ref }) => ref).join(', ')}`, { cause })
  }
}

/** An object that should be there is not: a bug or a damaged repository, never a user’s mistake. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound'
}

/** The tree without files, which every repository knows without its object. */
export const emptyTree: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export function isOid(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}
