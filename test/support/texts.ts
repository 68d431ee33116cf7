import fc from 'fast-check'

/** Pieces of which texts are made that editors get wrong. */
const pieces = [
  'word ',
  ' ',
  'a',
  '\t',
  '-',
  '漢字かな交じり文',
  '한국어',
  'e\u0301',
  'क्षि',
  '👩‍👩‍👧‍👦',
  '🇩🇪🇫🇷',
  '👍🏽',
  'שלום',
  'مرحبا',
  '\u200B',
  '\u202E',
  '\u0301',
  '\uD83D',
  '\uDC4D',
  '\uFEFF',
  '\u001B[31m',
  '\u0000',
  'Supercalifragilisticexpialidocious',
  '- ',
  '> ',
  '# ',
]

/** A line of a file, without its end. */
export const someLine: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 12 })
  .map((parts) => parts.join('').replaceAll(/[\r\n]/g, ''))

/** The text of a file: line ends mixed, with and without one at the end. */
export const someText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(fc.tuple(someLine, fc.constantFrom('\n', '\n', '\r\n', '\r')), { maxLength: 12 }),
    someLine,
  )
  .map(([mark, lines, last]) => mark + lines.flat().join('') + last)
