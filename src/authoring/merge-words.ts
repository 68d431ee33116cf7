import { diffWordsWithSpace } from 'diff'
import { linesOf } from './merge.ts'

/** UTF-16 units of a side up to which its words are compared. */
const mostCompared = 5_000
/** In milliseconds. */
const patience = 10

/** For each line of both sides, which of its units the other side has not. */
export function changedWords(
  mine: string,
  theirs: string,
): { readonly mine: boolean[][]; readonly theirs: boolean[][] } {
  const isShort = mine.length <= mostCompared && theirs.length <= mostCompared
  const parts = isShort ? diffWordsWithSpace(mine, theirs, { timeout: patience }) : undefined
  if (parts === undefined) return { mine: [], theirs: [] }
  const sides = { mine: [] as boolean[], theirs: [] as boolean[] }
  for (const { added, removed, value } of parts) {
    const units = Array.from({ length: value.length }, () => added || removed)
    if (!added) sides.mine.push(...units)
    if (!removed) sides.theirs.push(...units)
  }
  return { mine: byLines(mine, sides.mine), theirs: byLines(theirs, sides.theirs) }
}

function byLines(text: string, changed: readonly boolean[]): boolean[][] {
  let at = 0
  return linesOf(text).map((line) => changed.slice(at, (at += line.length)))
}
