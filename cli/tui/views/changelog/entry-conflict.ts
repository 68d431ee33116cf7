import type { App } from '../../app/app.ts'
import type { Draft } from '../../data/drafts/draft.ts'

/** What becomes of an entry that somebody else changed meanwhile; undefined: it is left as it is. */
export type Way = 'mine' | 'theirs' | 'merge'

export function conflictWay(app: App, { theirs }: Pick<Draft, 'theirs'>): Promise<Way | undefined> {
  if (theirs?.text === null) {
    return app.dialogs.choose<Way>({
      title: 'Somebody else deleted this entry',
      choices: [{ value: 'mine', label: 'Keep mine', detail: 'As a new entry, a draft' }],
    })
  }
  return app.dialogs.choose<Way>({
    title: 'Somebody else changed this entry',
    choices: [
      { value: 'merge', label: 'Put both together', detail: 'Piece by piece' },
      { value: 'mine', label: 'Keep mine', detail: 'What they wrote is replaced' },
      { value: 'theirs', label: 'Take theirs', detail: 'What you wrote here is forgotten' },
    ],
  })
}
