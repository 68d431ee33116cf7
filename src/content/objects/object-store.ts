import type { Git } from '../git/git.ts'
import type { CommitReader } from './commits.ts'
import type { ObjectDatabase } from './objects.ts'
import type { TreeReader } from './tree-reader.ts'

/** The objects of one repository, wherever they are, with what is read of them again and again. */
export interface ObjectStore {
  readonly objects: ObjectDatabase
  readonly trees: TreeReader
  readonly commits: CommitReader
}

/** Those of a bare repository on disk, for operations that native git does. */
export interface GitObjectStore extends ObjectStore {
  readonly git: Git
  /** Absolute path of the bare repository. */
  readonly directory: string
}
