import { isOid } from '../objects/objects.ts'
import type { Oid } from '../repository.ts'

/** What the index would hold for a conflicted path. */
export interface Stage {
  readonly mode: string
  readonly oid: Oid
}

export interface ConflictedPath {
  /** As git names it: a file in the way of a directory is moved to `<path>~<commit>`. */
  readonly path: string
  readonly base?: Stage
  readonly main?: Stage
  readonly branch?: Stage
}

export interface ConflictMessage {
  /** A stable short text, such as `CONFLICT (modify/delete)`. */
  readonly type: string
  readonly paths: readonly string[]
}

export interface MergeOutput {
  /** With conflicts, a tree in which conflicted files hold both sides. */
  readonly tree: Oid
  readonly conflicted: readonly ConflictedPath[]
  readonly messages: readonly ConflictMessage[]
}

const sides = { '1': 'base', '2': 'main', '3': 'branch' } as const

/**
 * Parses what `git merge-tree --write-tree -z` prints (https://git-scm.com/docs/git-merge-tree#OUTPUT).
 *
 * @returns null when it is not the result of a merge.
 */
export function parseMergeOutput(output: string): MergeOutput | null {
  const fields = output.split('\0')
  const tree = fields[0] ?? ''
  if (!isOid(tree)) return null
  // An empty field ends the list of files; what follows are the messages.
  const gap = fields.indexOf('', 1)
  const files = fields.slice(1, gap < 0 ? fields.length : gap)
  return { tree, conflicted: parseFiles(files), messages: gap < 0 ? [] : parseMessages(fields.slice(gap + 1)) }
}

function parseFiles(lines: readonly string[]): ConflictedPath[] {
  const found = new Map<string, ConflictedPath>()
  for (const line of lines) {
    const match = /^(\d+) ([0-9a-f]{40}) ([123])\t([^]+)$/.exec(line)
    if (!match) throw new Error(`git merge-tree printed ${JSON.stringify(line)}`)
    const [, mode = '', oid = '', stage = '', path = ''] = match
    found.set(path, { path, ...found.get(path), [sides[stage as keyof typeof sides]]: { mode, oid } })
  }
  return [...found.values()]
}

/** Each: the number of paths, the paths, the type, a text for people. */
function parseMessages(fields: readonly string[]): ConflictMessage[] {
  const messages: ConflictMessage[] = []
  for (let at = 0; at < fields.length && fields[at] !== '';) {
    const count = Number(fields[at])
    const paths = fields.slice(at + 1, at + 1 + count)
    const type = fields[at + 1 + count] ?? ''
    if (type.startsWith('CONFLICT')) messages.push({ type, paths })
    at += count + 3
  }
  return messages
}
