import type { Decision, PendingConflict } from '#authoring/pending-conflicts.ts'
import type { Conflict } from '#contract/branches.ts'
import { conflictReasons } from '#contract/comparisons.ts'
import { heading, nothing } from '../branches/branch-details.ts'
import type { Detail } from '../shared/details-pane.ts'

/** Lines of a side that are shown. */
const mostLines = 200

/** What taking a side does: `keep the file as new-api has it`, `delete the file, as main did`. */
export function sideWords({ oids }: Conflict, side: 'main' | 'branch', name: string): string {
  return oids[side] === undefined ? `no such file, as ${name} has it` : `the file as ${name} has it`
}

/** A decision in words. */
export function decisionWords(conflict: Conflict, decision: Decision, name: string): string {
  if ('content' in decision) return 'a text of yours'
  return sideWords(conflict, decision.use, decision.use === 'main' ? 'main' : name)
}

/**
 * A conflict to be settled with a side, with what each has.
 * @param name of the branch. @param written texts of it that somebody wrote
 */
export function sideDetails(
  { conflict, state, decision }: PendingConflict,
  { name, written }: { readonly name: string; readonly written: readonly string[] },
): readonly Detail[] {
  const { oldPath, type } = conflict
  const texts = written.flatMap((text) => [nothing, heading('Your text'), ...linesOf(text)])
  if (state === 'gone') {
    const words =
      written.length > 0
        ? 'It is in no conflict any more, so your text for it is not used. y copies it.'
        : 'It is in no conflict any more: main or the branch has changed, and both go together. Look at it before you go on.'
    const before = decision === undefined || 'content' in decision ? [] : [youDecided(conflict, decision, name)]
    return [{ text: words }, ...before.map((text) => ({ text })), ...texts]
  }
  return [
    { text: conflictReasons[type] },
    ...(oldPath === undefined ? [] : [{ text: `It was ${oldPath} before.`, style: { color: 'muted' as const } }]),
    ...(decision === undefined ? [] : [{ text: decided(conflict, { state, decision }, name) }]),
    ...texts,
    nothing,
    heading(`1  ${sideWords(conflict, 'branch', name)}`),
    ...textDetails(conflict, 'branch'),
    nothing,
    heading(`2  ${sideWords(conflict, 'main', 'main')}`),
    ...textDetails(conflict, 'main'),
  ]
}

function decided(
  conflict: Conflict,
  { state, decision }: { readonly state: PendingConflict['state']; readonly decision: Decision },
  name: string,
): string {
  if (state === 'settled') return `Settled: ${decisionWords(conflict, decision, name)}.`
  return `${youDecided(conflict, decision, name)} Look again; ${'use' in decision ? 'k takes that as it was' : 'y copies it'}.`
}

const youDecided = (conflict: Conflict, decision: Decision, name: string): string =>
  `You decided before: ${decisionWords(conflict, decision, name)}.`

function textDetails(conflict: Conflict, side: 'main' | 'branch'): readonly Detail[] {
  const muted = (text: string): Detail => ({ text, style: { color: 'muted' }, indent: 3 })
  const text = conflict[side]
  if (conflict.oids[side] === undefined) return [muted('(there is no file)')]
  if (conflict.omitted === 'binary') return [muted('(not text)')]
  if (text === undefined) return [muted('(too large to be shown here)')]
  return linesOf(text)
}

function linesOf(text: string): readonly Detail[] {
  const lines = text.split('\n')
  const rest = lines.length - mostLines
  const more: Detail = { text: `… ${rest} more lines`, style: { color: 'muted' }, indent: 3 }
  return [{ text: lines.slice(0, mostLines).join('\n'), indent: 3 }, ...(rest > 0 ? [more] : [])]
}
