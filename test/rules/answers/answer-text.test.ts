import { describe, expect, it } from 'vitest'
import { AnswerText, type AnswerPiece } from '#answers/answer-text.ts'

const options = {
  cite: (section: number) => (section <= 3 ? section * 10 : undefined),
  resolve: (target: string) => (target === '/start' ? '/start' : undefined),
}

function piecesOf(...chunks: readonly string[]): AnswerPiece[] {
  const text = new AnswerText(options)
  return [...chunks.flatMap((chunk) => [...text.add(chunk)]), ...text.end()]
}

/** Pieces in one line: text as it is, citations in «», links as label→href. */
function shown(...chunks: readonly string[]): string {
  return piecesOf(...chunks)
    .map((piece) =>
      'text' in piece ? piece.text : 'cite' in piece ? `«${piece.cite}»` : `${piece.link.label}→${piece.link.href}`,
    )
    .join('')
}

describe('what a model writes', () => {
  it.each([
    ['cites by number', 'It is so [1].', 'It is so «10».'],
    ['cites several', 'So [1, 2] and [3][3].', 'So «10»«20» and «30»«30».'],
    ['cites what it did not get', 'It is so [7].', 'It is so .'],
    ['cites as a link', 'So [2](https://evil.example).', 'So «20».'],
    ['links to a page', 'See [the start](/start).', 'See the start→/start.'],
    ['links to no page', 'See [it](/other).', 'See it.'],
    ['links elsewhere', '[a](https://evil.example) [b](//evil.example) [c](javascript:alert(1))', 'a b c'],
    ['links by script in other dress', '[a](JaVaScRiPt:x) [b](data:text/html,x) [c]( <javascript:x> "t")', 'a b c'],
    ['shows pictures', '![a cat](https://evil.example/p.png?q=secret) !', 'a cat !'],
    [
      'writes HTML, which is text',
      '<img src=x onerror=alert(1)> <a href="/x">x</a>',
      '<img src=x onerror=alert(1)> <a href="/x">x</a>',
    ],
    [
      'writes brackets in code',
      'Take `a[1]` and\n```js\nb[2](x)\n```\nas in [1].',
      'Take `a[1]` and\n```js\nb[2](x)\n```\nas in «10».',
    ],
    ['leaves code open', '`a[1]\nand [1]', '`a[1]\nand «10»'],
    ['leaves a bracket open', 'a [b and ![', 'a [b and ['],
    ['nests brackets', '[[1](x)](/start)', '[«10»](/start)'],
    ['hides controls', 'a\u0000b\u202ec\ufffcd\u001b[1]', 'abcd«10»'],
  ])('that %s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
    // However it comes.
    expect(shown(...text.split(''))).toBe(expected)
  })

  it('comes through as soon as nothing of it can turn out otherwise', () => {
    const text = new AnswerText(options)
    expect([...text.add('So [')]).toEqual([{ text: 'So ' }])
    expect([...text.add('1')]).toEqual([])
    expect([...text.add('] is')]).toEqual([{ cite: 10 }, { text: ' is' }])
  })

  it('is held back no further than a link is long', () => {
    const text = new AnswerText(options)
    const held = `[${'a'.repeat(100_000)}`
    expect([...text.add(held)]).toEqual([{ text: held }])
  })
})
