import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEntryFile, writeEntryFile } from '#cli/changelog-entry.ts'
import { Failure } from '#contract/failure.ts'

const read = (text: string) => readEntryFile(text, 'news.md')

describe('a changelog entry in a file', () => {
  it('has title, version, tags and time in its front matter', () => {
    const text =
      '---\ntitle: Faster search\nversion: 2.0\ntags: [search, "a, b"]\npublished_at: 2026-11-21T09:00:00Z\n---\n\nText.\n'
    expect(read(text)).toEqual({
      title: 'Faster search',
      version: '2.0',
      tags: ['search', 'a, b'],
      published_at: '2026-11-21T09:00:00Z',
      content: 'Text.',
    })
  })

  it('takes its title from the first heading when nothing else names one', () => {
    expect(read('# Faster *search* #\r\n\r\nText.')).toEqual({ title: 'Faster *search*', content: 'Text.' })
    expect(read('---\ntitle: Named\n---\n# Heading\n')).toEqual({ title: 'Named', content: '# Heading' })
  })

  it('may have neither', () => {
    expect(read('Only text.\n\n# Later')).toEqual({ content: 'Only text.\n\n# Later' })
  })

  it('keeps a rule that is no front matter', () => {
    expect(read('Text\n\n---\n\nmore')).toEqual({ content: 'Text\n\n---\n\nmore' })
  })

  it.each([
    ['titel: x', 'titel is not known; it takes title, version, tags, published_at'],
    ['constructor: x', 'constructor is not known'],
    ['tags: search', 'tags must be a list of texts'],
    ['published_at: soon', 'published_at must be a time such as'],
    ['title: [x', 'not valid'],
    ['- title', 'must be `name: value` lines'],
  ])('says what is wrong with %j', (line, message) => {
    const attempt = (): unknown => read(`---\n${line}\n---\ntext`)
    expect(attempt).toThrow(Failure)
    expect(attempt).toThrow(message)
  })

  it('is read as it was written', () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => /^\S.*\S$/su.test(text))
    const entries = fc.record(
      { title: line, version: line, tags: fc.array(line, { minLength: 1, maxLength: 3 }), content: line },
      { requiredKeys: ['title', 'content'] },
    )
    fc.assert(
      fc.property(entries, (entry) => {
        expect(read(writeEntryFile(entry))).toEqual({ ...entry, content: entry.content.trim() })
      }),
    )
  })
})
