import type { App } from '../../app/app.ts'
import type { DecisionPlace } from '../../data/drafts/decision.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import type { ConflictingText } from '../merge/conflict-merge.ts'
import type { Page } from './page.ts'

/** A page of which the branch has another text, for a merge. */
export function conflictingPage(page: Page, draft: Draft, of: DecisionPlace): ConflictingText {
  return {
    draft,
    of,
    other: 'the branch',
    text: () => page.buffer.text(),
    become: (text) => page.become(text),
  }
}

/** The branch has no such file any more, or no text in it. */
export async function keepOrDrop(page: Page, app: App, save: () => Promise<void>): Promise<void> {
  const { draft } = page
  const isDeleted = draft?.theirs?.oid === null
  const choice = await app.dialogs.choose({
    title: isDeleted ? 'Somebody deleted this page on the branch' : 'The branch has something here that is no text',
    choices: [
      { value: 'keep', label: 'Save your text there', detail: isDeleted ? 'it is there again' : 'it takes its place' },
      { value: 'later', label: 'Go on writing', detail: 'your text is kept here' },
    ],
  })
  if (choice !== 'keep' || draft === undefined) return
  draft.rebase(page.buffer.text())
  await save()
}
