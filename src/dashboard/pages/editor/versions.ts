import { fragmentOf } from '#authoring/fragment.ts'
import { mergeTexts, type MergePiece } from '#authoring/merge.ts'
import { mergedText } from '#authoring/merge-pieces.ts'
import type { BranchFileContent } from '#contract/branches.ts'

/** A text of the branch. Line ends are line feeds. */
export interface Version {
  /** Null: there is no such file. */
  readonly oid: string | null
  /** Of a file that was deleted, as it was: it may come back. */
  readonly text: string
}

/** @param file absent: there is none on the branch */
export function versionOf(file: Pick<BranchFileContent, 'oid' | 'content'> | undefined): Version {
  return file === undefined
    ? { oid: null, text: '' }
    : { oid: file.oid, text: fragmentOf(file.content).lines.join('\n') }
}

/** A text that began as `base`, beside what somebody else saved; settled where only one of them says something new. */
export function mergeVersions(base: Version, mine: string, theirs: Version): readonly MergePiece[] {
  const isTheirs = mine === base.text || mine === theirs.text
  const only = theirs.oid === null ? mine : isTheirs ? theirs.text : undefined
  if (only !== undefined) return mergeTexts(only, only, only)
  const isFirst = base.oid === null && base.text === ''
  return mergeTexts(isFirst ? undefined : base.text, mine, theirs.text)
}

/** What is on the branch now, where `base` was. */
export function nextBase(base: Version, theirs: Version): Version {
  return theirs.oid === null ? { oid: null, text: base.text } : theirs
}

/** What was written in two places since both had the same; of lines that were written in both, both stay. */
export function joinedTexts(before: string, mine: string, other: string): string {
  const pieces = mergeTexts(before, mine, other)
  const both = pieces.filter(({ kind }) => kind === 'conflict').map(() => ({ take: 'both' }) as const)
  return mergedText(pieces, both) ?? mine
}
