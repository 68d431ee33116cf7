import type { Draft } from '../../data/drafts/draft.ts'
import { agoText } from '../shared/age.ts'
import { conflictWords } from './page.ts'

/** What is to be told of a page when it is opened, in sentences. */
export function openingWords({ state, recovered, notice, others = [] }: Draft): readonly string[] {
  // Of one that another window has, the notice tells.
  const left = others.filter(({ elsewhere }) => !elsewhere)
  const [other] = left
  const own =
    state === 'conflict'
      ? [conflictWords]
      : recovered
        ? ['This is what you wrote here and did not save. Ctrl-S saves it on the branch.']
        : []
  return [
    ...own,
    ...(notice === undefined ? [] : [notice]),
    ...(other === undefined
      ? []
      : [
          left.length === 1
            ? `F4 shows another text of this page, written ${agoText(other.changedAt)}.`
            : `F4 shows ${left.length} other texts of this page.`,
        ]),
  ]
}
