import type { Entry } from '../../contract/changelog.ts'

/** What somebody writes of an entry. */
export interface EntryWords {
  readonly title: string
  /** Empty: none. */
  readonly version: string
  readonly tags: readonly string[]
  readonly content: string
}

export const noWords: EntryWords = { title: '', version: '', tags: [], content: '' }

export function wordsOf({ title, version = '', tags, content }: Entry): EntryWords {
  return { title, version, tags, content }
}

export function areSame(one: EntryWords, other: EntryWords): boolean {
  return differing(one, other).length === 0
}

const names = ['title', 'version', 'tags', 'content'] as const

/** The parts in which two differ. */
function differing(one: EntryWords, other: EntryWords): readonly (keyof EntryWords)[] {
  return names.filter((name) =>
    name === 'tags' ? one.tags.join('\n') !== other.tags.join('\n') : one[name] !== other[name],
  )
}
