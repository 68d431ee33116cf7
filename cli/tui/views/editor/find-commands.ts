import type { Command } from '../../app/view.ts'
import type { Acting } from './acting.ts'
import type { Page } from './page.ts'

interface Finding extends Pick<Acting, 'find' | 'isFinding' | 'openFind' | 'closeFind'> {
  readonly page: Pick<Page, 'draft'>
}

/** Find and replace; while it is open, what it can do. */
export function findCommands({ find, isFinding, openFind, closeFind, page }: Finding): readonly Command[] {
  return [
    {
      id: 'page.find',
      title: 'Find',
      keys: ['ctrl+f', '/'],
      // What is open needs the room for its own keys.
      ...(isFinding ? {} : { hint: 'find' }),
      run: () => openFind(false),
    },
    ...(page.draft === undefined
      ? []
      : [{ id: 'page.replace', title: 'Find and replace', keys: ['ctrl+r'], run: () => openFind(true) }]),
    ...(isFinding && find !== undefined
      ? [
          { id: 'find.next', title: 'Next find', keys: ['f3'], hint: 'next', run: () => find.next() },
          { id: 'find.previous', title: 'Previous find', keys: ['shift+f3'], run: () => find.previous() },
          ...(find.height > 1
            ? [
                {
                  id: 'find.replaceAll',
                  title: 'Replace all finds',
                  keys: ['alt+a'],
                  hint: 'replace all',
                  run: () => find.replaceAll(),
                },
              ]
            : []),
          {
            id: 'find.pattern',
            title: 'Find a pattern (regular expression)',
            keys: ['alt+p'],
            hint: 'pattern',
            run: () => void find.input(key('p')),
          },
          {
            id: 'find.words',
            title: 'Find whole words',
            keys: ['alt+w'],
            hint: 'words',
            run: () => void find.input(key('w')),
          },
          { id: 'back', title: 'Close the search', keys: ['escape'], hint: 'close', run: closeFind },
        ]
      : []),
  ]
}

function key(name: string) {
  return { type: 'key', key: { name, ctrl: false, alt: true, shift: false } } as const
}
