import { parsePatch } from './diff-patch.ts'
import { markHunks } from './diff-words.ts'
import { GitError } from '../git/git.ts'
import type { FileDiff, Oid, TreeFile } from '../repository.ts'
import type { Stores } from '../objects/stores.ts'

type Listed = Omit<FileDiff, 'hunks' | 'binary' | 'truncated'>

/** Of line changes, all files together; what is beyond is named without its lines. */
const maxPatchBytes = 4 * 1024 * 1024
const maxPatchLines = 50_000
/** More files on either side are not compared with each other for renames; identical ones are found all the same. */
const renameLimit = 1000
const none = '0'.repeat(40)

/** See `Repository.diff`. */
export async function diff(
  stores: Stores,
  { before, after, path }: { readonly before: Oid; readonly after: Oid; readonly path?: string | undefined },
): Promise<readonly FileDiff[]> {
  const [old, now] = await Promise.all([stores.commits.treeOf(before), stores.commits.treeOf(after)])
  if (old === now) return []
  const list = await run(stores, ['--raw', '--abbrev=40', '--end-of-options', old, now], Infinity)
  const all = parseRaw(list.stdout.toString())
  const listed = path === undefined ? all : all.filter((file) => file.path === path || file.oldPath === path)
  if (listed.length === 0) return []
  // With both of its names a renamed file is one here, too.
  const paths = path === undefined ? [] : listed.flatMap((file) => [file.path, file.oldPath ?? file.path])
  const patch = await run(
    stores,
    ['--patch', '--no-color', '--end-of-options', old, now, '--', ...paths],
    maxPatchBytes,
  )
  const patches = parsePatch(patch.stdout, patch.truncated, maxPatchLines)
  const files: FileDiff[] = []
  // Git prints the patches in the order of the list.
  for (const [index, file] of listed.entries()) {
    const changes = patches[index]
    files.push(
      changes
        ? { ...file, binary: changes.binary, hunks: await markHunks(changes.hunks), truncated: false }
        : { ...file, binary: false, hunks: [], truncated: true },
    )
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function run(
  { git, directory }: Stores,
  args: readonly string[],
  maxOutput: number,
): Promise<{ readonly stdout: Buffer; readonly truncated: boolean }> {
  const options = ['-r', '-M', `-l${renameLimit}`, '-z', '--no-ext-diff', '--no-textconv']
  const command = ['--literal-pathspecs', 'diff-tree', ...options, ...args]
  const result = await git.run(command, { directory, maxOutput })
  if (result.code !== 0) throw new GitError(command, `exit code ${result.code}: ${result.stderr.trim()}`)
  return result
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
