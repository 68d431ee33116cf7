import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { outlineOf } from '#authoring/outline.ts'
import { wordsIn, WordCount } from '#authoring/word-count.ts'
import { TextLines } from './text-lines.ts'

const outline = (text: string): string[] =>
  outlineOf(new TextLines(text)).map(({ line, level, text: words, anchor }) => `${line} ${level} ${words} #${anchor}`)

describe('the outline', () => {
  it('has the headings with their lines, levels and anchors', () => {
    expect(outline('# One\n\ntext\n## `Two` **words**\n### Three {#own}\nFour\n====')).toEqual([
      '0 1 One #one',
      '3 2 Two words #two-words',
      '4 3 Three #own',
      '5 1 Four #four',
    ])
  })

  it('counts headings of the same words', () => {
    expect(outline('# A\n# A\n# A')).toEqual(['0 1 A #a', '1 1 A #a-1', '2 1 A #a-2'])
  })

  it('has none of code, front matter and comments', () => {
    expect(outline('---\n# a\n---\n```sh\n# b\n```\n~~~\n# c\n~~~\n{/*\n# d\n*/}\n# e')).toEqual(['12 1 e #e'])
    expect(outline('- a\n---\n#b\n| c |\n---')).toEqual([])
  })
})

describe('the word count', () => {
  it('counts words as people do', () => {
    expect(wordsIn("It's a well-kept list of 3.5 words, `not code`.")).toBe(7)
    expect(wordsIn('日本語 and [a link](/not/this)')).toBe(6)
    expect(wordsIn('<Card title="no">yes</Card> {no + 1}')).toBe(1)
  })

  it('leaves out what is no prose', () => {
    const text =
      '---\ntitle: no\n---\nimport { No } from\n  "no"\n\none two\n```js\nno no\n```\nthree\n\n{/* no\nno */}'
    expect(new WordCount(new TextLines(text)).total).toBe(3)
  })

  it('follows changes as if it were counted anew', () => {
    const line = fc.constantFrom('one', 'one two', '```', '---', '', 'import a', '{/* x', '*/}', '日本')
    const change = fc.record({ at: fc.nat(), removed: fc.nat(3), texts: fc.array(line, { maxLength: 3 }) })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.array(change), (texts, changes) => {
        const lines = new TextLines(texts.join('\n'))
        const words = new WordCount(lines)
        for (const { at, removed, texts: added } of changes) {
          const from = at % (lines.count + 1)
          words.changed(lines.replace(from, Math.min(removed, lines.count - from), added))
          expect(words.total).toBe(new WordCount(lines).total)
        }
      }),
    )
  })

  it('of a long line is that of before until nobody types', async () => {
    const lines = new TextLines(`one two\n${'some words '.repeat(5_000)}`)
    let counted = (): void => undefined
    const words: WordCount = new WordCount(lines, () => counted())
    await vi.waitFor(() => expect(words.total).toBe(10_002))
    words.changed(lines.replace(0, 1, ['one']))
    await vi.waitFor(() => expect(words.total).toBe(10_001))
    words.changed(lines.replace(1, 1, [`${lines.at(1)}more`]))
    expect(words.total).toBe(10_001)
    await new Promise<void>((resolve) => (counted = resolve))
    expect(words.total).toBe(10_002)
  })

  it('of a long text comes a little later', async () => {
    const lines = new TextLines('some words of a page\n'.repeat(50_000))
    const count = await new Promise<WordCount>((resolve) => {
      const words: WordCount = new WordCount(lines, () => resolve(words))
      expect(words.total).toBeUndefined()
    })
    expect(count.total).toBe(250_000)
  })
})
