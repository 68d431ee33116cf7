import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PageProblem } from '#site/mdx/problem.ts'
import { readSource, shape } from '#site/mdx/source.ts'

function refusal(text: string | Uint8Array, path = 'a.mdx'): string {
  try {
    readSource(path, typeof text === 'string' ? Buffer.from(text) : text)
    return 'fine'
  } catch (error) {
    if (error instanceof PageProblem) return `${error.details[0]?.line ?? '-'} ${error.message}`
    throw error
  }
}

describe('the text of a page', () => {
  it('has no byte order mark and no NUL', () => {
    expect(readSource('a.mdx', Buffer.from('\uFEFFa\0b'))).toBe('a\uFFFDb')
  })
})

describe('the scan before parsing', () => {
  it.each([
    ['block quotes', '# x\n\n' + '>'.repeat(20_000), /^3 .*nested more than 32/],
    ['block quotes with blanks', '> '.repeat(20_000), /^1 .*nested more than 32/],
    ['lists in one line', '- '.repeat(20_000) + 'x', /^1 .*nested more than 32/],
    [
      'lists over lines',
      Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n'),
      /^33 .*lists are nested/,
    ],
    [
      'numbered lists over lines',
      Array.from({ length: 300 }, (_, depth) => `${'   '.repeat(depth)}1. x`).join('\n'),
      /^33 .*lists are nested/,
    ],
    ['elements', '\n' + '<div>'.repeat(8_000), /^2 .*elements are nested/],
    ['components', '<Card>\n'.repeat(8_000), /^129 .*elements are nested/],
    ['brackets', '['.repeat(25_000), /^1 .*brackets are open/],
    ['images', '!['.repeat(25_000), /^1 .*brackets are open/],
    ['braces', '{'.repeat(25_000), /^1 .*braces or parentheses/],
    ['parentheses', '{' + '('.repeat(25_000), /^1 .*braces or parentheses/],
    [
      'backticks',
      Array.from({ length: 400 }, (_, length) => `${'`'.repeat(length + 1)}a`).join(' '),
      /^1 .*runs of backticks/,
    ],
    ['cells', `${'|a'.repeat(200)}|\n`.repeat(1_000), /^100 .*cells/],
    [
      'definitions',
      Array.from({ length: 20_000 }, (_, index) => `[a${index}]: /u`).join('\n'),
      /^4001 .*link definitions/,
    ],
  ])('refuses too many %s and names the line', (_what, text, message) => {
    expect(refusal(text)).toMatch(message)
  })

  it.each([
    ['a rule of dashes', '- '.repeat(50)],
    ['brackets in code', '`' + '['.repeat(500) + '`'],
    ['generics in a fence', '```ts\n' + 'Vec<A<B<C\n'.repeat(200) + '```'],
    ['a drawing in a fence', '```\n' + '>'.repeat(300) + '\n' + '['.repeat(390) + '\n```'],
    ['self-closing elements', '<Icon icon="a" />\n'.repeat(2_000)],
    ['elements beside each other', '<b>x</b>'.repeat(5_000)],
    ['unclosed paragraphs of Markdown', '<p>x<br>\n'.repeat(2_000)],
    ['a table of 10,000 cells', '|a|b|c|d|\n'.repeat(2_500)],
  ])('lets %s pass', (what, text) => {
    expect(refusal(text, what.includes('Markdown') ? 'a.md' : 'a.mdx')).toBe('fine')
  })

  it('takes time that grows with the text, whatever it says', () => {
    const piece = fc.constantFrom(
      '>',
      '- ',
      '[',
      '`',
      '<a',
      '</',
      '|',
      '\n',
      '  ',
      '{',
      '1. ',
      '](',
      '/>',
      '\\',
      '~~~',
      '```',
    )
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        expect(refusal(pieces.join('').repeat(20_000))).toMatch(/^fine|line \d+|KiB/)
      }),
    )
  })

  it('refuses what is too large or not UTF-8, and drops a byte order mark', () => {
    expect(refusal('a'.repeat(1024 * 1024 + 1))).toMatch(/1024 KiB/)
    expect(refusal(Buffer.from([97, 10, 0xff, 0xfe, 10]))).toMatch(/^2 Line 2 is not valid UTF-8/)
    const long = Buffer.concat([Buffer.from('ä\n'.repeat(20_000) + 'ö'.repeat(9000)), Buffer.from([10, 0xff])])
    expect(refusal(long)).toMatch(/^20002 Line 20002 is not valid UTF-8/)
    expect(refusal(Buffer.from([0xff, 0xfe, 97, 0]))).toMatch(/UTF-16/)
    expect(readSource('a.mdx', Buffer.from('\uFEFF# x'))).toBe('# x')
  })

  it('has bounds far from real pages', () => {
    expect(shape.markers).toBeGreaterThan(12)
  })
})
