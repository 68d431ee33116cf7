import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineWidth } from '#cli/tui/canvas/lines.ts'
import { renderProse, plainRows } from '#cli/tui/mdx/prose/render.ts'

const lines = (text: string, width = 40, format: 'mdx' | 'md' = 'mdx'): string[] =>
  renderProse({ text, format, width }).rows.map(({ line }) =>
    line
      .map((span) => span.text)
      .join('')
      .trimEnd(),
  )

describe('a page as lines', () => {
  it('wraps paragraphs at words, and between characters that are wide', () => {
    expect(lines('one two three\nfour', 9)).toEqual(['one two', 'three', 'four'])
    expect(lines('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl'])
    expect(lines('日本語の文', 6)).toEqual(['日本語', 'の文'])
  })

  it('begins with title and description', () => {
    expect(lines('---\ntitle: "A: b"\ndescription: c\n---\nText')).toEqual(['A: b', '━━━━', 'c', '', 'Text'])
  })

  it('nests lists, counts them and shows what is done', () => {
    expect(lines('9. a\n10. b\n    - [x] c\n    - [ ] d')).toEqual([' 9. a', '10. b', '    ◦ [x] c', '    ◦ [ ] d'])
  })

  it('puts callouts into boxes with their labels', () => {
    expect(lines('<Warning>Hot</Warning>', 24)).toEqual([
      '╭─ Warning ────────────╮',
      '│ Hot                  │',
      '╰──────────────────────╯',
    ])
    expect(lines('<Note>Hot</Note>', 12)).toEqual(['│ Note', '│ Hot'])
  })

  it('puts cards beside each other where there is room', () => {
    const cards =
      '<CardGroup cols={3}>\n<Card title="A">one</Card>\n<Card title="B" />\n<Card title="C">three</Card>\n</CardGroup>'
    expect(lines(cards, 60)).toEqual([
      '╭─ A ───────────────────────╮  ╭─ B ───────────────────────╮',
      '│ one                       │  ╰───────────────────────────╯',
      '╰───────────────────────────╯',
      '╭─ C ───────────────────────╮',
      '│ three                     │',
      '╰───────────────────────────╯',
    ])
    expect(lines(cards, 30).filter((line) => line.includes('╭'))).toHaveLength(3)
  })

  it('counts steps, and shows all tabs', () => {
    expect(lines('<Steps>\n<Step title="A">one</Step>\n<Step title="B">two</Step>\n</Steps>')).toEqual([
      '1 A',
      '│ one',
      '',
      '2 B',
      '│ two',
    ])
    expect(lines('<Tabs>\n<Tab title="A">one</Tab>\n<Tab title="B">two</Tab>\n</Tabs>')).toEqual([
      '▸ A',
      '  one',
      '',
      '▸ B',
      '  two',
    ])
  })

  it('draws tables as wide as there is room', () => {
    expect(lines('| a | b |\n|---|--:|\n| one two | 30 |', 17)).toEqual([
      '┌─────────┬────┐',
      '│ a       │  b │',
      '├─────────┼────┤',
      '│ one two │ 30 │',
      '└─────────┴────┘',
    ])
    expect(lines('| one two |\n|---|', 8)).toEqual(['┌──────┐', '│ one  │', '│ two  │', '└──────┘'])
  })

  it('shows code with its language, and breaks long lines of it', () => {
    expect(lines('```js\nabcdef\n```', 6)).toEqual([' js', ' abcd', ' ef'])
  })

  it('takes no price for a formula', () => {
    expect(lines('From $5 to $6')).toEqual(['From $5 to $6'])
  })

  it('tells where links to other sites lead, and puts footnotes to the end', () => {
    expect(lines('[a](https://b.c/d)[^1]\n\n[^1]: Note')).toEqual([
      'a (b.c)[1]',
      '',
      '────────────────────',
      '[1] Note',
    ])
  })

  it('shows of components that it does not know what stands in them', () => {
    expect(lines('<Mine>text</Mine>\n\n<Snippet />\n\n{/* no */}\n\n{a + b}')).toEqual([
      'text',
      '',
      '<Snippet />',
      '',
      ' {a + b}',
    ])
  })

  it('says which line of the source a line is of', () => {
    const { rows } = renderProse({ text: 'one\ntwo\n\n```\na\nb\n```\n\n- c\n- d', format: 'mdx', width: 3 })
    expect(rows.map(({ source }) => source)).toEqual([0, 1, 4, 4, 5, 8, 8, 9])
  })

  it('reads HTML of a Markdown page without its tags', () => {
    expect(lines('<div>\n\n*a*<br>b <b>c</b>\n\n</div>\n<!-- d -->', 40, 'md')).toEqual(['a', 'b c'])
  })
})

describe('a page that is not right yet', () => {
  it('is shown without what cannot be read, which is told', () => {
    const { rows, notes } = renderProse({ text: 'a\n\n<Note>\nb\n\n**c** {d', format: 'mdx', width: 40 })
    expect(notes).toEqual(['Line 3: <Note> is not closed.', 'Line 6: { is not closed.'])
    expect(rows.map(({ line }) => line.map(({ text }) => text).join(''))).toEqual(['a', '', '<Note> b', '', 'c {d'])
  })

  it('is not lost behind an import that is not finished', () => {
    expect(lines('import { A\n\nText')).toEqual(['Text'])
  })

  it('shows no control characters', () => {
    const shown = lines('a\u001B[2Jb `c\u0007` <Card title="\u001B]0;x\u0007">d</Card>\n\n```\n\u009Be\n```').join('\n')
    expect(shown.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})

describe('whatever the text is', () => {
  const marks = [
    '# ',
    '- ',
    '1. ',
    '> ',
    '```\n',
    '|a|\n|-|\n',
    '<Note>',
    '</Note>',
    '<A b="',
    '{',
    '}',
    '*',
    '**',
    '[a](',
    '![',
    '`',
    '$',
    '<',
    '---\n',
    '\n',
    '\n\n',
  ]
  const piece = fc.constantFrom(
    ...marks,
    'word ',
    '日本',
    '👩‍👩‍👧',
    '\u001B[1m',
    '\u0000',
    '\uD800',
    'import a',
    '&amp;',
    '\t',
  )
  const text = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''))

  it('no line is wider than told, or has what a terminal obeys', () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom('mdx' as const, 'md' as const),
        (source, width, format) => {
          for (const { line } of renderProse({ text: source, format, width }).rows) {
            expect(lineWidth(line)).toBeLessThanOrEqual(width)
            for (const span of line) expect(span.text).not.toMatch(/\p{Cc}/u)
          }
        },
      ),
    )
  })

  it('can be shown as it is', () => {
    expect(plainRows('a\n\nb c', 2).map(({ line, source }) => [line[0]?.text, source])).toEqual([
      ['a', 0],
      ['', 1],
      ['b', 2],
      ['c', 2],
    ])
  })
})
