import type { CommitReader } from './commit-reader.ts'
import type { Git } from '../git/git.ts'
import type { ObjectReader } from './object-reader.ts'
import type { TreeReader } from './tree-reader.ts'

/** One repository, as the operations on it see it. */
export interface Stores {
  readonly git: Git
  /** Absolute path of the bare repository. */
  readonly directory: string
  readonly objects: ObjectReader
  readonly trees: TreeReader
  readonly commits: CommitReader
}
