import type { Entry } from '../../contract/changelog.ts'

/** What somebody writes of an entry. */
export interface EntryWords {
  readonly title: string
  /** Empty: none. */
  readonly version: string
  readonly tags: readonly string[]
  /** What is typed of the next tag. */
  readonly newTag: string
  readonly content: string
}

export const noWords: EntryWords = { title: '', version: '', tags: [], newTag: '', content: '' }

export function wordsOf({ title, version = '', tags, content }: Entry): EntryWords {
  return { title, version, tags, newTag: '', content }
}

/** As the service takes them. */
export const maxTags = 20

/** @param typed a tag, or several with commas between. @returns with them among the tags, and none that is being typed */
export function withTags(words: EntryWords, typed: string): EntryWords {
  const typedTags = typed.split(',').map((tag) => tag.trim())
  const tags = [...new Set([...words.tags, ...typedTags.filter((tag) => tag !== '')])]
  return { ...words, tags: tags.slice(0, maxTags), newTag: '' }
}

const parts = ['title', 'version', 'newTag', 'content'] as const

export function areSame(one: EntryWords, other: EntryWords): boolean {
  return parts.every((part) => one[part] === other[part]) && one.tags.join('\n') === other.tags.join('\n')
}
