import { describe, expect, it } from 'vitest'
import { type PassageIndex, PassageIndexBuilder } from '#answers/passage-index.ts'
import { heldHeap } from '#test/support/held-memory.ts'
import { atOnce } from './support.ts'

interface Text {
  readonly title?: string
  readonly heading?: string
  readonly text: string
}

/** A page for each text. */
function indexOf(texts: readonly Text[]): PassageIndex {
  const builder = new PassageIndexBuilder()
  for (const [page, { title = '', heading = '', text }] of texts.entries())
    builder.add(page, 0, { title, heading, text })
  return atOnce(builder.finish())
}

const found = (index: PassageIndex, question: string): number[] =>
  atOnce(index.search(question, 10)).map(({ page }) => page)

describe('the index of passages', () => {
  it('ranks what says most about a question first, and finds other forms of a word', () => {
    const index = indexOf([
      { text: 'Branches are merged by publishing.' },
      { text: 'Deploy keys let a pipeline deploy without a person who signs in.' },
      { text: 'Webhooks tell of deploys.' },
    ])
    expect(found(index, 'How do I deploy with a key?')).toEqual([1, 2])
    expect(found(index, 'what happens when I publish a branch?')).toEqual([0])
  })

  it('weighs a word in a heading more than in a text', () => {
    const index = indexOf([
      { text: 'A quota is mentioned here.' },
      { heading: 'Quota', text: 'What plans allow is here.' },
    ])
    expect(found(index, 'quota')).toEqual([1, 0])
  })

  it('finds the words in names of code, and texts of scripts without spaces', () => {
    const index = indexOf([
      { text: 'Set `MODEL_ROUTER_URL` first.' },
      { text: 'Send an idempotencyKey.' },
      { text: 'ドキュメントを公開する方法' },
    ])
    expect(found(index, 'router url')).toEqual([0])
    expect(found(index, 'MODEL_ROUTER_URL')[0]).toBe(0)
    expect(found(index, 'idempotency')).toEqual([1])
    expect(found(index, '公開するには？')).toEqual([2])
  })

  it('finds nothing where no word of the question is said, however common its other words are', () => {
    const index = indexOf([{ text: 'How do I do this? You can do it with that.' }])
    expect(found(index, 'How do I bake bread?')).toEqual([])
    expect(found(index, '???')).toEqual([])
    expect(found(indexOf([]), 'bread')).toEqual([])
  })

  it('holds its words, and not the texts that they were found in', () => {
    const rest = 'filler '.repeat(200)
    // A text of its own, as one that was read from a page.
    const textOf = (page: number): string => Buffer.from(`${rest}identifier_of_page_${page}`).toString()
    const before = heldHeap()
    const builder = new PassageIndexBuilder()
    for (let page = 0; page < 5000; page += 1) builder.add(page, 0, { title: '', heading: '', text: textOf(page) })
    expect(heldHeap() - before).toBeLessThan((5000 * rest.length) / 2)
    expect(found(atOnce(builder.finish()), 'identifier_of_page_4321')[0]).toBe(4321)
  })

  it('leaves out pages that are not wanted', () => {
    const index = indexOf([{ text: 'deploy deploy' }, { text: 'deploy' }])
    expect(atOnce(index.search('deploy', 10, (page) => page === 1)).map(({ page }) => page)).toEqual([1])
  })
})
