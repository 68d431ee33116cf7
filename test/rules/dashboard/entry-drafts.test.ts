import { expect, it } from 'vitest'
import { EntryDraftStore, moveNewEntry, newEntryOf } from '#dashboard/drafts/entry-drafts.ts'
import { noWords } from '#dashboard/drafts/entry-words.ts'
import { MemoryStorage } from '#test/support/memory-storage.ts'

const content = (slug: string): string | undefined => new EntryDraftStore('ada', newEntryOf(slug)).read()?.words.content

function write(slug: string, text: string): void {
  new EntryDraftStore('ada', newEntryOf(slug)).keep({ words: { ...noWords, content: text }, seen: null })
}

function fill(): void {
  MemoryStorage.room = Object.entries(localStorage).flat().join('').length
}

it('goes with the project to another slug, and what was kept there comes in its place', () => {
  MemoryStorage.begin()
  write('docs', 'Of docs')
  moveNewEntry('docs', 'guide')
  expect([content('docs'), content('guide')]).toEqual([undefined, 'Of docs'])
  write('docs', 'Of docs, anew')
  moveNewEntry('guide', 'docs')
  expect([content('docs'), content('guide')]).toEqual(['Of docs', 'Of docs, anew'])
})

it('changes its place where the browser has no room for both at a time', () => {
  MemoryStorage.begin()
  write('docs', 'Of docs, and much longer than the other one')
  write('site', 'Of site')
  fill()
  moveNewEntry('docs', 'site')
  expect([content('docs'), content('site')]).toEqual(['Of site', 'Of docs, and much longer than the other one'])
})

it('stays where it is when there is no room for it under the other slug', () => {
  MemoryStorage.begin()
  write('docs', 'Of docs')
  fill()
  moveNewEntry('docs', 'documentation')
  expect([content('docs'), content('documentation')]).toEqual(['Of docs', undefined])
})
