import type { ConflictedPath, ConflictMessage, MergeOutput } from './merge-output.ts'
import type { ConflictType, MergeConflict, Oid, Tree, TreeFile } from '../repository.ts'

/** A conflict, with what is needed to settle it. */
export interface OpenConflict {
  readonly conflict: MergeConflict
  /** Where git left the undecided file in the merged tree. */
  readonly leftAt: string
  /** What each side has at the path; null: no file. */
  readonly main: TreeFile | null
  readonly branch: TreeFile | null
}

export interface MergedSides {
  readonly mainCommit: Oid
  readonly branchCommit: Oid
  readonly main: Tree
  readonly branch: Tree
}

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

/** The conflicts of a merge, by path. */
export function openConflicts(output: MergeOutput, sides: MergedSides): OpenConflict[] {
  return output.conflicted
    .filter((file) => file.main ?? file.branch)
    .map((file) => describe(file, messagesAbout(output, file.path), sides))
    .sort((a, b) => (a.conflict.path < b.conflict.path ? -1 : 1))
}

function messagesAbout(output: MergeOutput, path: string): ConflictMessage[] {
  return output.messages.filter((message) => message.paths.includes(path))
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
  return { oid: stage.oid, mode: stage.mode === '100755' ? '100755' : '100644' }
}
