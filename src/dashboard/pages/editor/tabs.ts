import { joinedDecisions, type PieceDecision } from '#authoring/merge-pieces.ts'
import type { FileDraft } from '../../drafts/file-draft.ts'
import { joinedTexts, type Version } from './versions.ts'

/** What is written in one tab. */
interface Written {
  readonly base: Version
  readonly text: string
  readonly decisions: readonly PieceDecision[]
}

/**
 * What two tabs of one person wrote; of lines that were written in both, both stay.
 * @param before what both had last. @param draft of the other
 */
export function joinTabs(
  here: Written,
  before: FileDraft | undefined,
  draft: FileDraft,
): Written & { readonly isBoth: boolean } {
  const theirs: Version = { oid: draft.oid, text: draft.base }
  const decisions = joinedDecisions(before?.decisions ?? [], here.decisions, draft.decisions ?? [])
  const common = before?.text ?? here.base.text
  if (here.text === common || here.text === draft.text)
    return { base: theirs, text: draft.text, decisions, isBoth: false }
  const isOfSame = (before?.oid ?? here.base.oid) === here.base.oid
  return {
    base: isOfSame ? theirs : here.base,
    text: joinedTexts(common, here.text, draft.text),
    decisions,
    isBoth: true,
  }
}
