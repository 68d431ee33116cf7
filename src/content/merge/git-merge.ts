import { inSlices, isTurnOver, nextTurn, sorted, type Steps } from '../../lib/slices.ts'
import { GitError, quickly, type Git } from '../git/git.ts'
import type { GitObjectStore } from '../objects/object-store.ts'
import { linkMode } from '../objects/objects.ts'
import { keepingObjects } from '../objects/quarantine.ts'
import { isOid, type ConflictType, type Oid, type Tree, type TreeFile } from '../repository.ts'
import type { Merge, OpenConflict } from './resolve-merge.ts'

/** What the index would hold for a conflicted path. */
interface Stage {
  readonly mode: string
  readonly oid: Oid
}

interface ConflictedPath {
  /** As git names it: a file in the way of a directory is moved to `<path>~<commit>`. */
  readonly path: string
  readonly base?: Stage
  readonly main?: Stage
  readonly branch?: Stage
}

interface ConflictMessage {
  /** A stable short text, such as `CONFLICT (modify/delete)`. */
  readonly type: string
  readonly paths: readonly string[]
}

interface MergeOutput {
  /** With conflicts, a tree in which conflicted files hold both sides. */
  readonly tree: Oid
  readonly conflicted: readonly ConflictedPath[]
  readonly messages: readonly ConflictMessage[]
}

interface MergedSides {
  readonly mainCommit: Oid
  readonly branchCommit: Oid
  readonly main: Tree
  readonly branch: Tree
}

const tries = 3
const stageNames = { '1': 'base', '2': 'main', '3': 'branch' } as const
/** What git says about a conflict, the most telling first, and what it is called here. */
const messageTypes: readonly (readonly [message: string, type: ConflictType])[] = [
  ['CONFLICT (file/directory)', 'directory/file'],
  ['CONFLICT (distinct modes)', 'mode'],
  ['CONFLICT (distinct types)', 'mode'],
  ['CONFLICT (rename/rename)', 'rename/rename'],
  ['CONFLICT (rename/delete)', 'rename/delete'],
  ['CONFLICT (modify/delete)', 'modify/delete'],
  ['CONFLICT (binary)', 'binary'],
]

/** See `Repository.mergeBase`. */
export async function mergeBase({ git, directory }: GitObjectStore, a: Oid, b: Oid): Promise<Oid | null> {
  const args = ['merge-base', a, b]
  const { code, stdout, stderr } = await git.run(args, { directory, timeout: quickly })
  if (code === 1 && stderr === '') return null
  if (code !== 0) throw new GitError(args, `exit code ${code}: ${stderr.trim()}`)
  return stdout.toString().trim()
}

/** Merges with native git; all objects are durable, also those of a merge with conflicts. */
export async function merge(store: GitObjectStore, mainCommit: Oid, branchCommit: Oid): Promise<Merge> {
  const { git, directory, trees, commits } = store
  const output = await keepingObjects(git, directory, (apart) => runMerge(apart, directory, mainCommit, branchCommit))
  if (output.conflicted.length === 0) return { tree: output.tree, conflicts: [] }
  const filesOf = async (oid: Oid) => trees.files((await commits.read(oid)).tree)
  const [main, branch] = await Promise.all([filesOf(mainCommit), filesOf(branchCommit)])
  const conflicts = await openConflicts(output, { mainCommit, branchCommit, main, branch })
  if (conflicts.length === 0) throw new Error(`the merge of ${branchCommit} into ${mainCommit} has conflicts nowhere`)
  return { tree: output.tree, conflicts }
}

async function runMerge(git: Git, directory: string, main: Oid, branch: Oid): Promise<MergeOutput> {
  // Ids only: a name might mean another object. Branches that came by push may have no common ancestor.
  const args = ['merge-tree', '--write-tree', '-z', '--allow-unrelated-histories', main, branch]
  // Renaming what others add to a renamed directory would change the addresses of pages.
  // Objects in quarantine need no fsync: they are written again.
  const config = ['-c', 'merge.directoryRenames=false', '-c', 'merge.conflictStyle=merge', '-c', 'core.fsync=none']
  for (let tried = 1; ; tried++) {
    const { code, stdout, stderr } = await git.run([...config, ...args], { directory })
    // Exit code 1 is a conflict, and also a commit that is not there: only the output tells.
    const output = code === 0 || code === 1 ? await inSlices(parseMergeOutput(stdout.toString())) : null
    if (output && (code === 1) === output.conflicted.length > 0) return output
    if (tried === tries || !/unable to create temporary file/.test(stderr))
      throw new GitError(args, `exit code ${code}: ${stderr.trim()}`)
  }
}

/**
 * Parses what `git merge-tree --write-tree -z` prints (https://git-scm.com/docs/git-merge-tree#OUTPUT).
 *
 * @returns null when it is not the result of a merge.
 */
function* parseMergeOutput(output: string): Steps<MergeOutput | null> {
  const fields = output.split('\0')
  yield 'large'
  const tree = fields[0] ?? ''
  if (!isOid(tree)) return null
  // An empty field ends the list of files; what follows are the messages.
  const gap = fields.indexOf('', 1)
  const files = fields.slice(1, gap < 0 ? fields.length : gap)
  const conflicted = yield* parseFiles(files)
  return { tree, conflicted, messages: gap < 0 ? [] : yield* parseMessages(fields.slice(gap + 1)) }
}

function* parseFiles(lines: readonly string[]): Steps<ConflictedPath[]> {
  const found = new Map<string, ConflictedPath>()
  for (const line of lines) {
    yield
    const match = /^(\d+) ([0-9a-f]{40}) ([123])\t([^]+)$/.exec(line)
    if (!match) throw new Error(`git merge-tree printed ${JSON.stringify(line)}`)
    const [, mode = '', oid = '', stage = '', path = ''] = match
    found.set(path, { path, ...found.get(path), [stageNames[stage as keyof typeof stageNames]]: { mode, oid } })
  }
  return [...found.values()]
}

/** Each: the number of paths, the paths, the type, a text for people. */
function* parseMessages(fields: readonly string[]): Steps<ConflictMessage[]> {
  const messages: ConflictMessage[] = []
  for (let at = 0; at < fields.length && fields[at] !== '';) {
    yield
    const count = Number(fields[at])
    const paths = fields.slice(at + 1, at + 1 + count)
    const type = fields[at + 1 + count] ?? ''
    if (type.startsWith('CONFLICT')) messages.push({ type, paths })
    at += count + 3
  }
  return messages
}

/** The conflicts of a merge, by path. */
async function openConflicts(output: MergeOutput, sides: MergedSides): Promise<OpenConflict[]> {
  const messages = await messagesByPath(output.messages)
  const conflicts: OpenConflict[] = []
  for (const file of output.conflicted) {
    if (isTurnOver()) await nextTurn()
    if (file.main ?? file.branch) conflicts.push(describe(file, messages.get(file.path) ?? [], sides))
  }
  return inSlices(sorted(conflicts, (a, b) => (a.conflict.path < b.conflict.path ? -1 : 1)))
}

async function messagesByPath(
  messages: readonly ConflictMessage[],
): Promise<ReadonlyMap<string, readonly ConflictMessage[]>> {
  const about = new Map<string, ConflictMessage[]>()
  for (const message of messages) {
    if (isTurnOver()) await nextTurn()
    for (const path of new Set(message.paths)) {
      const known = about.get(path)
      if (known === undefined) about.set(path, [message])
      else known.push(message)
    }
  }
  return about
}

function describe(file: ConflictedPath, messages: readonly ConflictMessage[], sides: MergedSides): OpenConflict {
  const path = withoutCommit(file.path, sides)
  const known = messageTypes.find(([text]) => messages.some((message) => message.type === text))
  const type = known?.[1] ?? typeOfStages(file)
  // The side’s own file where it has one: after a rename git’s stages may already hold both sides’ lines.
  const main = sides.main.get(path) ?? asFile(file.main)
  const branch = sides.branch.get(path) ?? asFile(file.branch)
  const oldPath = type.startsWith('rename/') ? oldPathOf(path, messages) : undefined
  return {
    conflict: {
      path,
      type,
      ...(file.base ? { base: file.base.oid } : {}),
      ...(main ? { main: main.oid } : {}),
      ...(branch ? { branch: branch.oid } : {}),
      ...(oldPath === undefined ? {} : { oldPath }),
    },
    leftAt: file.path,
    main,
    branch,
  }
}

function typeOfStages({ base, main, branch }: ConflictedPath): ConflictType {
  if (!main || !branch) return 'modify/delete'
  if (main.oid === branch.oid) return 'mode'
  return base ? 'content' : 'add/add'
}

/** Git names the new path first in rename/delete, the old one first in rename/rename. */
function oldPathOf(path: string, messages: readonly ConflictMessage[]): string | undefined {
  for (const { type, paths } of messages) {
    if (type === 'CONFLICT (rename/delete)') return paths[1]
    if (type === 'CONFLICT (rename/rename)') return paths.find((other) => other !== path)
  }
  return undefined
}

/** `guide~<commit>` is git’s place for a file `guide` that is in the way of a directory. */
function withoutCommit(path: string, { mainCommit, branchCommit }: MergedSides): string {
  const match = /^([^]+)~([0-9a-f]{40})(?:_\d+)?$/.exec(path)
  return match && (match[2] === mainCommit || match[2] === branchCommit) ? (match[1] ?? path) : path
}

function asFile(stage: ConflictedPath['main']): TreeFile | null {
  if (!stage) return null
  const mode = stage.mode === '100755' || stage.mode === linkMode ? stage.mode : '100644'
  return { oid: stage.oid, mode }
}
