import { diffArrays } from 'diff'
import type { Merge, OpenConflict } from '#content/merge/resolve-merge.ts'
import type { ObjectStore } from '#content/objects/object-store.ts'
import { Staging, editTree } from '#content/objects/staging.ts'
import { emptyTree, type ConflictType, type Tree, type TreeFile } from '#content/repository.ts'
import { blobOid } from '#contract/blob-oid.ts'

interface Sides {
  readonly base: TreeFile | null
  readonly main: TreeFile | null
  readonly branch: TreeFile | null
}

/** Three-way merge of trees, file by file and line by line. Renames are not followed: they are deletions and additions. */
export async function mergeTrees(store: ObjectStore, base: Tree, main: Tree, branch: Tree): Promise<Merge> {
  const staging = new Staging()
  const merged = new Map<string, TreeFile>()
  const conflicts: OpenConflict[] = []
  for (const path of new Set([...base.keys(), ...main.keys(), ...branch.keys()])) {
    const sides = { base: base.get(path) ?? null, main: main.get(path) ?? null, branch: branch.get(path) ?? null }
    const result = await mergeFile(store, sides, staging)
    if (typeof result === 'string') conflicts.push(openConflict(path, result, sides))
    else if (result) merged.set(path, result)
  }
  const paths = [...merged.keys(), ...conflicts.map(({ conflict }) => conflict.path)]
  for (const path of paths.filter((file) => paths.some((other) => other.startsWith(`${file}/`)))) {
    const sides = { base: base.get(path) ?? null, main: main.get(path) ?? null, branch: branch.get(path) ?? null }
    merged.delete(path)
    const known = conflicts.findIndex(({ conflict }) => conflict.path === path)
    if (known >= 0) conflicts.splice(known, 1)
    conflicts.push(openConflict(path, 'directory/file', sides))
  }
  const tree = await editTree(emptyTree, merged, store.trees, staging)
  await store.objects.write(staging, staging.oids)
  return { tree, conflicts: conflicts.sort((a, b) => (a.conflict.path < b.conflict.path ? -1 : 1)) }
}

function openConflict(path: string, type: ConflictType, { base, main, branch }: Sides): OpenConflict {
  const conflict = {
    path,
    type,
    ...(base ? { base: base.oid } : {}),
    ...(main ? { main: main.oid } : {}),
    ...(branch ? { branch: branch.oid } : {}),
  }
  // The undecided file is nowhere in the merged tree.
  return { conflict, leftAt: `${path}~undecided`, main, branch }
}

async function mergeFile(store: ObjectStore, sides: Sides, staging: Staging): Promise<TreeFile | null | ConflictType> {
  const { base, main, branch } = sides
  if (same(main, branch) || same(branch, base)) return main
  if (same(main, base)) return branch
  if (!main || !branch) return 'modify/delete'
  const mode = main.mode === base?.mode ? branch.mode : main.mode
  if (main.oid === branch.oid) return base ? { oid: main.oid, mode } : 'mode'
  if (base && main.oid === base.oid) return { oid: branch.oid, mode }
  if (base && branch.oid === base.oid) return { oid: main.oid, mode }
  const [before, ours, theirs] = await Promise.all([base, main, branch].map((file) => contentOf(store, file)))
  if (!before || !ours || !theirs || [before, ours, theirs].some((bytes) => bytes.includes(0))) return 'binary'
  if (!base) return 'add/add'
  const lines = mergeLines(linesOf(before), linesOf(ours), linesOf(theirs))
  if (!lines) return 'content'
  const content = Buffer.from(lines.join(''), 'latin1')
  const oid = blobOid(content)
  staging.addBlob(oid, content)
  return { oid, mode }
}

function same(a: TreeFile | null, b: TreeFile | null): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode
}

async function contentOf({ objects }: ObjectStore, file: TreeFile | null): Promise<Buffer> {
  return file === null ? Buffer.alloc(0) : ((await objects.read(file.oid))?.body ?? Buffer.alloc(0))
}

/** In Latin-1 every byte stays what it is, whatever the encoding. Only a line feed ends a line. */
function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+/g) ?? []
}

/** What one side put in the place of the lines `start` to `end` of the base. */
interface Change {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** Null when both sides changed the same lines, or lines side by side, in different ways. */
function mergeLines(base: string[], main: string[], branch: string[]): string[] | null {
  const changes = [...changesOf(base, main), ...changesOf(base, branch)].sort(
    (a, b) => a.start - b.start || a.end - b.end,
  )
  const merged: string[] = []
  let before: Change | undefined
  for (const change of changes) {
    if (before && JSON.stringify(before) === JSON.stringify(change)) continue
    if (before && change.start <= before.end) return null
    merged.push(...base.slice(before?.end ?? 0, change.start), ...change.lines)
    before = change
  }
  return [...merged, ...base.slice(before?.end ?? 0)]
}

function changesOf(base: string[], side: string[]): Change[] {
  const changes: Change[] = []
  let at = 0
  let open: { start: number; end: number; lines: string[] } | null = null
  for (const part of diffArrays(base, side)) {
    if (!part.added && !part.removed) {
      open = null
      at += part.value.length
      continue
    }
    if (!open) changes.push((open = { start: at, end: at, lines: [] }))
    if (part.added) open.lines.push(...part.value)
    else open.end = at += part.value.length
  }
  return changes
}
