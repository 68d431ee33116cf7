import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { highlighterOf, pageHighlighter } from '#authoring/highlighter.ts'
import type { Highlighter, StyledRange } from '#authoring/language.ts'
import { TextLines } from './text-lines.ts'

/** `color:text` of each coloured piece. */
function told(text: string, line: number, path = 'page.mdx'): string[] {
  const lines = new TextLines(text)
  const ranges = highlighterOf(path, lines)?.ranges(line) ?? []
  return ranges.map(
    ({ from, to, style }) =>
      `${Object.keys(style).length === 0 ? '' : nameOf(style)}:${lines.at(line).slice(from, to)}`,
  )
}

function nameOf({ color, ...marks }: StyledRange['style']): string {
  return [color, ...Object.keys(marks)].filter((part) => part !== undefined).join('+')
}

describe('the colours of a page', () => {
  it('tell headings, emphasis, code and links', () => {
    expect(told('## A *b*', 0)).toContain('heading+bold: A ')
    expect(told('Some **bold** and `code`', 0)).toEqual([
      'punctuation+bold:**',
      'bold:bold',
      'punctuation+bold:**',
      'code:`code`',
    ])
    expect(told('[a](/b)', 0)).toEqual([
      'punctuation:[',
      'link+underline:a',
      'punctuation:](',
      'string:/b',
      'punctuation:)',
    ])
    expect(told('~~gone~~', 0)).toContain('strikethrough:gone')
  })

  it('take no emphasis from words with underscores, nor from stars between blanks', () => {
    expect(told('snake_case_name and 2 * 3 * 4', 0)).toEqual([])
  })

  it('tell tags with their attributes and expressions', () => {
    expect(told('<Card title="A" n={1}>', 0)).toEqual([
      'tag:<Card',
      'attribute:title',
      'punctuation:=',
      'string:"A"',
      'attribute:n',
      'punctuation:={',
      'code:1',
      'punctuation:}',
      'tag:>',
    ])
    expect(told('a < b', 0)).toEqual([])
  })

  it('follow a tag over several lines', () => {
    const text = '<Card\n  title="A\n  b"\n  href={`/x`}\n>\nText *a*\n</Card>'
    expect(told(text, 1)).toEqual(['attribute:title', 'punctuation:=', 'string:"A'])
    expect(told(text, 2)).toEqual(['string:  b"'])
    expect(told(text, 4)).toEqual(['tag:>'])
    expect(told(text, 5)).toContain('italic:a')
    expect(told(text, 6)).toEqual(['tag:</Card>'])
  })

  it('let a tag that nobody closes end with its paragraph', () => {
    expect(told('a <Card\n\nText *a*', 2)).toContain('italic:a')
  })

  it('read front matter as YAML, only at the beginning', () => {
    const text = '---\ntitle: A # c\n---\n\ntitle: A'
    expect(told(text, 1)).toEqual(['attribute:title', 'comment:# c'])
    expect(told(text, 4)).toEqual([])
  })

  it('read fences in their language, and nothing of Markdown in them', () => {
    const text = '```js\nconst a = "x" /* b\n# c */ // d\n```\n# e'
    expect(told(text, 0)).toEqual(['punctuation:```', 'keyword:js'])
    expect(told(text, 1)).toEqual(['keyword:const', 'string:"x"', 'comment:/* b'])
    expect(told(text, 2)).toEqual(['comment:# c */', 'comment:// d'])
    expect(told(text, 4)).toContain('heading+bold: e')
  })

  it('read imports and comments over several lines', () => {
    const text = "import {\n  A\n} from '/a.mdx'\n\n{/* one\n**two** */}\n\nText *a*"
    expect(told(text, 2)).toEqual(['keyword:from', "string:'/a.mdx'"])
    expect(told(text, 5)).toEqual(['comment:**two** */', 'punctuation:}'])
    expect(told(text, 7)).toContain('italic:a')
  })

  it('read docs.json as JSON', () => {
    expect(told('{\n  "a": "b", "c": true\n}', 1, 'docs.json')).toEqual([
      'attribute:"a"',
      'string:"b"',
      'attribute:"c"',
      'keyword:true',
    ])
  })

  it('take nothing of files of other kinds', () => {
    expect(highlighterOf('LICENSE', new TextLines('a'))).toBeUndefined()
  })
})

const code = ['```', '```js', '~~~', '---', '{', '}', '"', "'", '`', '``', '$$', '$', '/*', '*/', 'import ']
const marks = [
  '# ',
  '<A',
  '<A ',
  '</A>',
  '>',
  '/>',
  '*',
  '**',
  '_',
  '[',
  '](',
  ')',
  '<!--',
  '-->',
  '|',
  '- ',
  '1. ',
  '> ',
]
const words = ['    ', 'a', 'word ', '日本', '👩‍👩‍👧', '\\', '\t', '\u0000', '\uD800']
const pieces = fc.constantFrom(...code, ...marks, ...words)
const someLine = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''))

function expectSound(ranges: readonly StyledRange[], text: string): void {
  let end = 0
  for (const { from, to } of ranges) {
    expect(from).toBeGreaterThanOrEqual(end)
    expect(to).toBeGreaterThan(from)
    end = to
  }
  expect(end).toBeLessThanOrEqual(text.length)
}

describe('whatever the text is', () => {
  it('ranges are in order, inside of their line, and without overlaps', () => {
    fc.assert(
      fc.property(
        fc.array(someLine, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('a.mdx', 'a.md', 'a.json', 'a.yaml'),
        (texts, path) => {
          const lines = new TextLines(texts.join('\n'))
          const highlighter = highlighterOf(path, lines)
          for (let line = 0; line < lines.count; line++) expectSound(highlighter?.ranges(line) ?? [], lines.at(line))
        },
      ),
    )
  })

  it('changes lead to what the whole text would give', () => {
    const change = fc.record({
      at: fc.nat(),
      removed: fc.nat(3),
      texts: fc.array(someLine, { maxLength: 3 }),
      look: fc.nat(),
    })
    fc.assert(
      fc.property(
        fc.array(someLine, { minLength: 1, maxLength: 12 }),
        fc.array(change, { maxLength: 8 }),
        (texts, changes) => {
          const lines = new TextLines(texts.join('\n'))
          const highlighter = pageHighlighter(lines, 'mdx')
          highlighter.ranges(lines.count - 1)
          for (const { at, removed, texts: added, look } of changes) {
            const line = at % lines.count
            const gone = Math.min(removed, lines.count - line)
            const isAll = gone === lines.count && added.length === 0
            highlighter.changed(lines.replace(line, gone, isAll ? [''] : added))
            highlighter.ranges(look % lines.count)
          }
          const whole = pageHighlighter(lines, 'mdx')
          for (let line = 0; line < lines.count; line++) expect(highlighter.ranges(line)).toEqual(whole.ranges(line))
        },
      ),
    )
  })

  it('a long line is coloured at its beginning', () => {
    for (const piece of ['*a ', '<a b="', '[a](', '`a', '{', '_', '- ', '| ', '$a', '~a~', ' ', '>']) {
      const lines = new TextLines(piece.repeat(1_000_000 / piece.length))
      const highlighter = pageHighlighter(lines, 'mdx')
      expect(highlighter.ranges(0).every(({ to }) => to <= 5_000)).toBe(true)
    }
  })

  it('the end of a long text is coloured at once, and rightly a little later', async () => {
    const lines = new TextLines('~~~\n' + '# no heading\n'.repeat(300_000))
    const highlighter = await new Promise<Highlighter>((resolve) => {
      const opened = pageHighlighter(lines, 'mdx', () => resolve(opened))
      opened.ranges(299_000)
    })
    expect(highlighter.ranges(299_000)).toEqual([{ from: 0, to: 12, style: { color: 'code' } }])
  })
})
