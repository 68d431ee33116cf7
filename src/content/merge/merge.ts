import { openConflicts, type OpenConflict } from './conflicts.ts'
import { GitError, type Git } from '../git/git.ts'
import { parseMergeOutput, type MergeOutput } from './merge-output.ts'
import { checkCollisions } from '../paths.ts'
import { keepingObjects } from '../objects/command-objects.ts'
import type { MergeResult, Oid } from '../repository.ts'
import type { Stores } from '../objects/stores.ts'

export interface Merge {
  /** With conflicts, a tree in which conflicted files hold both sides: not for anybody’s eyes. */
  readonly tree: Oid
  readonly conflicts: readonly OpenConflict[]
}

const tries = 3

/** See `Repository.mergeBase`. */
export async function mergeBase({ git, directory }: Stores, a: Oid, b: Oid): Promise<Oid | null> {
  const args = ['merge-base', a, b]
  const { code, stdout, stderr } = await git.run(args, { directory })
  if (code === 1 && stderr === '') return null
  if (code !== 0) throw new GitError(args, `exit code ${code}: ${stderr.trim()}`)
  return stdout.toString().trim()
}

/** See `Repository.mergeTree`. */
export async function mergeTree(stores: Stores, main: Oid, branch: Oid): Promise<MergeResult> {
  const { tree, conflicts } = await merge(stores, main, branch)
  if (conflicts.length > 0) return { tree: null, conflicts: conflicts.map(({ conflict }) => conflict) }
  await checkMerged(stores, main, tree)
  return { tree, conflicts: [] }
}

/** Merges and says what is open; all objects are durable, also those of a merge with conflicts. */
export async function merge(stores: Stores, mainCommit: Oid, branchCommit: Oid): Promise<Merge> {
  const { git, directory, trees, commits } = stores
  const output = await keepingObjects(git, directory, (apart) => runMerge(apart, directory, mainCommit, branchCommit))
  if (output.conflicted.length === 0) return { tree: output.tree, conflicts: [] }
  const filesOf = async (oid: Oid) => trees.files((await commits.read(oid)).tree)
  const [main, branch] = await Promise.all([filesOf(mainCommit), filesOf(branchCommit)])
  const conflicts = openConflicts(output, { mainCommit, branchCommit, main, branch })
  if (conflicts.length === 0) throw new Error(`the merge of ${branchCommit} into ${mainCommit} has conflicts nowhere`)
  return { tree: output.tree, conflicts }
}

/**
 * The merge brings files of both sides together, which may collide though neither side’s did.
 *
 * @throws Failure `invalid_path`
 */
export async function checkMerged({ trees, commits }: Stores, main: Oid, tree: Oid): Promise<void> {
  const [merged, before] = await Promise.all([trees.files(tree), trees.files((await commits.read(main)).tree)])
  checkCollisions([...merged.keys()], (path) => !before.has(path))
}

async function runMerge(git: Git, directory: string, main: Oid, branch: Oid): Promise<MergeOutput> {
  // Ids only: a name might mean another object. Branches that came by push may have no common ancestor.
  const args = ['merge-tree', '--write-tree', '-z', '--allow-unrelated-histories', main, branch]
  // Renaming what others add to a renamed directory would change the addresses of pages.
  // What lies apart needs no fsync: it is written again.
  const config = ['-c', 'merge.directoryRenames=false', '-c', 'merge.conflictStyle=merge', '-c', 'core.fsync=none']
  for (let tried = 1; ; tried++) {
    const { code, stdout, stderr } = await git.run([...config, ...args], { directory })
    // Exit code 1 is a conflict, and also a commit that is not there: only the output tells.
    const output = code === 0 || code === 1 ? parseMergeOutput(stdout.toString()) : null
    if (output && (code === 1) === output.conflicted.length > 0) return output
    if (tried === tries || !/unable to create temporary file/.test(stderr))
      throw new GitError(args, `exit code ${code}: ${stderr.trim()}`)
  }
}
