import type { Entry } from '#contract/changelog.ts'
import { entryParts, writeEntryFile } from '../../changelog-entry.ts'

/** What a person writes of an entry. */
export interface EntryDocument {
  readonly title: string
  /** Empty: none. */
  readonly version: string
  readonly tags: readonly string[]
  readonly content: string
}

export const emptyDocument: EntryDocument = { title: '', version: '', tags: [], content: '' }

/** As a Markdown file with front matter, which can be rescued by hand and sent with `quire changelog add`. */
export function entryText({ title, version, tags, content }: EntryDocument): string {
  return writeEntryFile({
    ...(title === '' ? {} : { title }),
    ...(version === '' ? {} : { version }),
    tags: [...tags],
    content,
  })
}

/** The inverse of `entryText`, to the letter. @throws Failure where somebody else wrote the file, and not so */
export function entryDocument(text: string): EntryDocument {
  const { head, content } = entryParts(text, 'the entry')
  return {
    title: head.title ?? '',
    version: head.version ?? '',
    tags: head.tags ?? [],
    content: content.replace(/^\n/, '').replace(/\n$/, ''),
  }
}

export function documentOf({ title, version = '', tags, content }: Entry): EntryDocument {
  return { title, version, tags, content }
}
