import { encodeContent } from '../content/changes/sent-content.ts'
import { ObjectNotFound, type Oid, type Repository, type Tree } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { FileContent } from '../contract/files.ts'
import { oidAt } from './saves.ts'

/**
 * Throws `not_found` for a commit that led to none of the heads: what other refs keep, or once kept, is not told.
 *
 * @param request.heads null for a branch that has no commit
 * @param request.where whose commit it would be, in words that begin a sentence
 */
export async function requireReachable(
  repository: Repository,
  request: { readonly commit: Oid; readonly heads: readonly (Oid | null)[]; readonly where: string },
): Promise<void> {
  const { commit, heads, where } = request
  try {
    await repository.readCommit(commit)
    for (const head of heads)
      if (head !== null && (head === commit || (await repository.mergeBase(commit, head)) === commit)) return
  } catch (error) {
    if (!(error instanceof ObjectNotFound)) throw error
  }
  throw new Failure('not_found', `${where} has no commit ${commit}.`, { hint: 'Its history lists them.' })
}

/** A file of a tree. Throws `not_found`. */
export async function contentOf(
  repository: Repository,
  tree: Tree,
  { path, where }: { readonly path: string; readonly where: string },
): Promise<FileContent> {
  const oid = oidAt(tree, path)
  if (oid === null) throw new Failure('not_found', `There is no file ${path} on ${where}.`)
  const bytes = await repository.readBlob(oid)
  return { path: tree.has(path) ? path : path.normalize('NFC'), oid, size: bytes.length, ...encodeContent(bytes) }
}
