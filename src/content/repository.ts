/**
 * What a project holds: a bare Git repository, in Git’s own words.
 *
 * Promises: what a method acknowledged survives kill -9 and a power cut; refs move only by compare-and-swap; content
 * is read from the object store, never from a checkout; paths and authors are checked before anything is written.
 * Oids are 40 hex digits; paths are relative, `/`-separated, NFC.
 */
export type Oid = string
export type FileMode = '100644' | '100755'

export interface TreeFile {
  readonly oid: Oid
  readonly mode: FileMode
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

export interface Repository {
  readonly slug: string
  /** Absolute path of the bare repository. */
  readonly directory: string
  /** @param ref in full: `refs/heads/main`. */
  resolveRef(ref: string): Promise<Oid | null>
  /** Refs under a prefix such as `refs/deploys/`, with their oids. */
  listRefs(prefix: string): Promise<ReadonlyMap<string, Oid>>
  /** One transaction: all or nothing. Durable. Throws Failure `stale_ref` when an old value differs. */
  updateRefs(updates: readonly RefUpdate[]): Promise<void>
  /** All files of a commit or tree. Unchanged subtrees cost nothing the second time. Symlinks and submodules are left out. */
  readTree(treeish: Oid): Promise<Tree>
  /** Files that differ; equal subtrees are skipped. `null` is the empty tree. */
  diffTrees(before: Oid | null, after: Oid): Promise<readonly TreeChange[]>
  readCommit(oid: Oid): Promise<Commit>
  /** Throws ObjectNotFound. */
  readBlob(oid: Oid): Promise<Buffer>
  /** Which of the oids are blobs that the repository has. */
  hasBlobs(oids: readonly Oid[]): Promise<ReadonlySet<Oid>>
  /** Stores blobs ahead of their use, durable, in one pack. No ref keeps them: at least a day, then gc may take them. */
  writeBlobs(contents: readonly Uint8Array[]): Promise<readonly Oid[]>
  /**
   * Writes a commit whose tree is exactly `files`; moves no ref. Durable. Only objects that the repository lacks are
   * written. Failure `invalid_path` names every path and the rule that it breaks; `missing_objects` every absent oid.
   */
  replaceTree(request: {
    readonly files: readonly NewFile[]
    readonly parent: Oid | null
    readonly author: Author
    readonly message: string
  }): Promise<{ readonly commit: Oid; readonly tree: Oid }>
  /** `git fsck --full --strict`: one line per complaint, empty when clean. */
  fsck(): Promise<readonly string[]>
  /** Removes lock files that a killed process left. Only while nobody else works in the repository. */
  sweepLocks(): Promise<readonly string[]>
  /** Collects unreachable objects older than two weeks and repacks. */
  maintain(): Promise<void>
  /** Ends the helper processes. */
  close(): Promise<void>
}

/** An object that should be there is not: a bug or a damaged repository, never a user’s mistake. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound'
}
