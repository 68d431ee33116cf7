import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineWidth } from '#cli/tui/canvas/lines.ts'
import { AnswerText } from '#cli/tui/views/assistant/answer-text.ts'

const textOf = (answer: AnswerText, width: number): string[] =>
  answer.lines(width).map((line) => line.map(({ text }) => text).join(''))

test('an answer that comes in pieces is the same as one that comes whole', () => {
  const markdown = fc.array(
    fc.oneof(
      fc.constantFrom('\n', '```\n', '# ', '- ', '**', '`', '漢字', ' words ', '👩‍👩‍👧'),
      fc.string({ maxLength: 4 }),
    ),
  )
  fc.assert(
    fc.property(markdown, fc.integer({ min: 10, max: 40 }), (pieces, width) => {
      const answer = new AnswerText()
      for (const piece of pieces) {
        answer.add(piece)
        answer.lines(width)
      }
      expect(textOf(answer, width)).toEqual(textOf(new AnswerText(pieces.join('')), width))
    }),
  )
})

test('a line that does not end is laid out once but for its last words, and loses none', () => {
  for (const piece of ['word ', '[', '👩‍👩‍👧']) {
    const answer = new AnswerText(piece.repeat(3_000))
    const [first] = answer.lines(80)
    answer.add('end')
    expect(answer.lines(80)[0]).toBe(first)
    const letters = textOf(answer, 80).join('').replaceAll(' ', '')
    expect(letters).toBe(`${piece.repeat(3_000)}end`.replaceAll(' ', ''))
  }
})

test('no line is wider than it may be', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      for (const line of new AnswerText(text).lines(20)) expect(lineWidth(line)).toBeLessThanOrEqual(20)
    }),
  )
})

test('what goes on in the next line stands under the words of its item', () => {
  expect(textOf(new AnswerText('- one two three four five'), 14)).toEqual(['• one two', '  three four', '  five'])
})

test('a text without spaces is broken between its wide characters, as a page is', () => {
  expect(textOf(new AnswerText('a 日本語日本語'), 8)).toEqual(['a 日本語', '日本語'])
})

test('code stays as it is', () => {
  expect(textOf(new AnswerText('```js\nconst a = **b**\n```\n**c**'), 40)).toEqual([
    '```js',
    'const a = **b**',
    '```',
    'c',
  ])
})
