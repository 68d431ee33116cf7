import { parsePatch } from './diff-patch.ts'
import { GitError } from './git.ts'
import type { FileDiff, Oid, TreeFile } from './repository.ts'
import type { Stores } from './stores.ts'

type Listed = Omit<FileDiff, 'hunks' | 'binary' | 'truncated'>

/** Of line changes, all files together; what comes after is named without its lines. */
const maxPatchBytes = 4 * 1024 * 1024
/** More files on either side are not compared with each other for renames; identical ones are found all the same. */
const renameLimit = 1000
const none = '0'.repeat(40)

/** See `Repository.diff`. */
export async function diff(stores: Stores, before: Oid, after: Oid): Promise<readonly FileDiff[]> {
  const [old, now] = await Promise.all([stores.commits.treeOf(before), stores.commits.treeOf(after)])
  if (old === now) return []
  const options = ['-r', '-M', `-l${renameLimit}`, '-z', '--no-ext-diff', '--no-textconv']
  const { git, directory } = stores
  const run = async (args: readonly string[], maxOutput: number) => {
    const result = await git.run(args, { directory, maxOutput })
    if (result.code !== 0) throw new GitError(args, `exit code ${result.code}: ${result.stderr.trim()}`)
    return result
  }
  const [list, patch] = await Promise.all([
    run(['diff-tree', ...options, '--raw', '--abbrev=40', '--end-of-options', old, now], Infinity),
    run(['diff-tree', ...options, '--patch', '--no-color', '--end-of-options', old, now], maxPatchBytes),
  ])
  const listed = parseRaw(list.stdout.toString())
  const patches = parsePatch(patch.stdout, patch.truncated)
  // Git prints the patches in the order of the list.
  const files = listed.map((file, index) => {
    const changes = patches[index]
    return changes ? { ...file, ...changes, truncated: false } : { ...file, binary: false, hunks: [], truncated: true }
  })
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** `:<mode> <mode> <oid> <oid> <status>` NUL `<path>` NUL, and for a rename the new path; see git-diff-tree(1), RAW. */
function parseRaw(output: string): Listed[] {
  const fields = output.split('\0')
  const files: Listed[] = []
  for (let at = 0; at < fields.length && fields[at] !== '';) {
    const [oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = (fields[at] ?? '').slice(1).split(' ')
    const sides = { before: fileOf(oldOid, oldMode), after: fileOf(newOid, newMode) }
    const path = fields[at + 1] ?? ''
    if (status.startsWith('R')) {
      files.push({ path: fields[at + 2] ?? '', status: 'renamed', oldPath: path, ...sides })
      at += 3
      continue
    }
    files.push({ path, status: status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified', ...sides })
    at += 2
  }
  return files
}

function fileOf(oid: Oid, mode: string): TreeFile | null {
  return oid === none ? null : { oid, mode: mode === '100755' ? '100755' : '100644' }
}
