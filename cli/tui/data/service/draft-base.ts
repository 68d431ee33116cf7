import { Failure } from '#contract/failure.ts'
import type { Theirs } from '../drafts/draft.ts'
import type { DraftFiles, DraftKey } from '../drafts/draft-files.ts'
import type { FoundDrafts } from '../drafts/found-drafts.ts'
import type { KeptDraftOptions } from '../drafts/kept-draft-options.ts'
import type { RemoteFile } from '../drafts/remote-file.ts'
import { encode, oidOf } from '../disk/slices.ts'
import type { RemoteBranch } from './remote-branch.ts'

type Remote = Pick<RemoteFile, 'theirs'> & Pick<RemoteBranch, 'read'>

/** What the branch has of a file. */
export interface OnBranch {
  readonly oid: string | null
  readonly text: string
  /** Nobody could be asked: it is what was known last. */
  readonly offline: boolean
}

/** @param ours what is kept here of the file: with it, the file may be gone, or out of reach. @throws Failure */
export async function readOnBranch(remote: Remote, path: string, ours: FoundDrafts['ours']): Promise<OnBranch> {
  try {
    const { value, offline } = await remote.read(path)
    if (value.text === undefined) throw notText(path)
    return { oid: value.oid, text: value.text, offline }
  } catch (error) {
    if (ours === undefined || !(error instanceof Failure)) throw error
    if (error.code === 'not_found') {
      // Throws where the branch is gone: the draft stays on the disk.
      await remote.theirs(path)
      return { oid: null, text: '', offline: false }
    }
    // What was typed here can be read wherever the machine is.
    if (error.code !== 'unavailable') throw error
    return { oid: ours.draft.header.baseOid, text: '', offline: true }
  }
}

/** @throws Failure where the branch is gone */
export async function isOnBranch(remote: Remote, path: string): Promise<boolean> {
  try {
    await remote.read(path)
    return true
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Offline nobody knows: the save will tell.
    if (error.code === 'unavailable') return false
    if (error.code !== 'not_found') throw error
    return (await remote.theirs(path)).oid !== null
  }
}

/** What a draft begins from, and whether the branch went on meanwhile. One that the branch has by now is forgotten here. */
export async function draftBase(
  drafts: DraftFiles,
  key: DraftKey,
  ours: FoundDrafts['ours'],
  { oid, text, offline }: OnBranch,
): Promise<Pick<KeptDraftOptions, 'base' | 'found' | 'theirs'>> {
  if (ours === undefined) return { base: { oid, text } }
  const { baseOid, sent } = ours.draft.header
  const own = oid === null ? null : await oidOf(await encode(ours.text))
  // The answer to its save was lost, or it is what somebody else wrote, too.
  if (own !== null && own === oid) {
    await drafts.remove(key)
    return { base: { oid, text } }
  }
  if (baseOid === oid) {
    const kept = offline && oid !== null ? await drafts.base(key, oid) : undefined
    return { base: { oid, text: kept ?? text }, found: ours }
  }
  // The branch has an earlier text of ours.
  if (oid !== null && sent.includes(oid)) return { base: { oid, text }, found: ours }
  const base = baseOid === null ? '' : ((await drafts.base(key, baseOid)) ?? '')
  if (offline) return { base: { oid: baseOid, text: base }, found: ours }
  const theirs: Theirs = oid === null ? { oid: null, text: null } : { oid, text }
  return { base: { oid: baseOid, text: base }, found: ours, theirs }
}

function notText(path: string): Failure {
  return new Failure('invalid_content', `${path} is not text, so it cannot be edited here.`, {
    hint: 'Upload another file in its place, or change it with a program of its kind.',
  })
}
