import type { Entry } from '#contract/changelog.ts'
import type { Command } from '../../app/view.ts'
import type { Publication } from './publication.ts'

interface Publishing {
  readonly isPublished: boolean
  /** Nothing can be published now. */
  readonly isOffline: boolean
  readonly publication: Publication
  /** Saves the entry, and does something with what the service has then. */
  readonly act: (work: (entry: Entry) => Promise<boolean>) => Promise<void>
}

/** What becomes of an entry that is written. */
export function publishingCommands({ isPublished, isOffline, publication, act }: Publishing): readonly Command[] {
  const offline = isOffline ? { unavailable: 'The service cannot be reached now.' } : {}
  if (isPublished)
    return [
      {
        id: 'entry.withdraw',
        title: 'Withdraw it: a draft again',
        ...offline,
        run: () => act((entry) => publication.withdraw(entry)),
      },
    ]
  return [
    {
      id: 'entry.publish',
      title: 'Save and publish it now',
      keys: ['alt+p'],
      hint: 'publish',
      ...offline,
      run: () => act((entry) => publication.publish(entry)),
    },
    {
      id: 'entry.schedule',
      title: 'Save and publish it later',
      keys: ['alt+s'],
      hint: 'schedule',
      ...offline,
      run: () => act((entry) => publication.schedule(entry)),
    },
  ]
}
