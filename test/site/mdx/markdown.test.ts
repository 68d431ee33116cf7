import { describe, expect, it } from 'vitest'
import { render } from './render-text.ts'

async function markdown(source: string, path: 'page.mdx' | 'page.md'): Promise<string> {
  return (await render(source, {}, path)).markdown
}

describe('comments of authors in the Markdown of a page', () => {
  it.each([
    ['between paragraphs', 'A\n\n{/* source: src/a.ts:1-3 */}\n\nB', 'A\n\nB\n'],
    ['after a heading', '# A\n{/* c */}\n\nB', '# A\n\nB\n'],
    ['several, apart', 'A\n\n{/* a */}\n\n{/* b */}\n\nB', 'A\n\nB\n'],
    ['several on one line', 'A\n\n{/* a */} {/* b */}\n\nB', 'A\n\nB\n'],
    ['on its own line of a paragraph', 'A\n{/* c */}\nB', 'A\nB\n'],
    ['within a line', 'A {/* c */}and **b**{/* d */}.', 'A and **b**.\n'],
    ['over several lines', 'A\n\n{/* a\n\nb */}\n\nB', 'A\n\nB\n'],
    ['two in one pair of braces', 'A\n\n{/* a */ /* b */}\n\nB', 'A\n\nB\n'],
    ['to the end of a line', 'A\n\n{// a\n}\n\nB', 'A\n\nB\n'],
    ['in a list', '- a\n\n  {/* x\n  y */}\n\n- b\n  {/* d */}\n- {/* e */}f', '- a\n\n- b\n- f\n'],
    ['at the head of a list item', '- {/* a */}\n\n  b\n- c', '- \n  b\n- c\n'],
    ['in a quote', '> a\n>\n> {/* x\n> y */}\n>\n> b {/* z\n> w */}c', '> a\n>\n> b c\n'],
    ['at the end of a quote', '> a\n>\n> {/* c */}\n\nB', '> a\n>\n\nB\n'],
    [
      'in blocks of JSX',
      '<Card>\n  {/* c */}\n  a\n</Card>\n\n{/* d */}\n\n<Card>{/* e */}b</Card>',
      '<Card>\n  a\n</Card>\n\n<Card>b</Card>\n',
    ],
    ['in a heading and a table', '## A{/* c */}\n\n| a |\n| - |\n| {/* d */}b |', '## A\n\n| a |\n| - |\n| b |\n'],
    ['between lines of CRLF', 'A\r\n\r\n{/* a\r\nb */}\r\n\r\nB\r\n{/* c */}\r\nC', 'A\r\n\r\nB\r\nC\n'],
    [
      'after the front matter and imports',
      '---\ntitle: T\n---\n\n{/* c */}\n\nexport const a = 1\n\n{/* d */}\n\nA',
      'A\n',
    ],
    ['alone on the page', '{/* c */}\n', '\n'],
    ['after what takes two units of UTF-16', '😀 {/* c */}é{/* d */}', '😀 é\n'],
    ['beside dollars', 'from $5 to $6 {/* $7 */}now', 'from $5 to $6 now\n'],
  ])('of MDX are left out: %s', async (_where, source, left) => {
    expect(await markdown(source, 'page.mdx')).toBe(left)
  })

  it.each([
    ['between paragraphs', 'A\n\n<!-- c -->\n\nB', 'A\n\nB\n'],
    ['in place of the empty line', 'A\n<!-- c -->\nB\n\n> a\n> <!-- c -->\n> b', 'A\n\nB\n\n> a\n> \n> b\n'],
    ['within a line', 'A <!-- c -->and **b**<!-- d\ne -->.', 'A and **b**.\n'],
    ['before the text of a line', '<!-- a --> b\n\n<!-- c --><!-- d -->\n\ne', 'b\n\ne\n'],
    ['over several lines', 'A\n\n<!-- a\n\n> b -->\n\nB', 'A\n\nB\n'],
    ['in HTML', '<div title="<!-- a -->">\n  <!-- c\n  d -->\n</div>', '<div title="<!-- a -->">\n</div>\n'],
    ['in a list', '- a\n\n  <!-- x\n  y -->\n  <!-- q -->\n- b <!-- d -->', '- a\n\n- b\n'],
    ['after tabs', '-\ta\n\n\t<!-- x\n\ty -->\n\n-\tb', '-\ta\n\n-\tb\n'],
    [
      'in quotes',
      '> <div>\n> <!-- a\n>  b -->\n> <i><!-- c --></i> <!-- c -->\n> </div>',
      '> <div>\n> <i></i> \n> </div>\n',
    ],
    ['in a table', '| a |\n|-|\n| <!-- x -->b |', '| a |\n|-|\n| b |\n'],
    ['between lines of CRLF', 'A\r\n\r\n<!-- a\r\nb -->\r\n\r\nB', 'A\r\n\r\nB\n'],
    ['of no text', 'A <!-- -->b<!---->c', 'A bc\n'],
    ['without an end', 'A\n\n- <!-- a\n- b\n\n<!-- c\n\nd', 'A\n\n- \n- b\n'],
    ['alone on the page', '<!-- c -->', '\n'],
  ])('of HTML are left out: %s', async (_where, source, left) => {
    expect(await markdown(source, 'page.md')).toBe(left)
  })

  it.each([
    ['page.mdx', '```jsx\n\n\n{/* a */}\n\n\n<!-- b -->\n```\n\n`{/* c */}` and `<!-- d -->`\n'],
    ['page.mdx', '{/* a */ 1}\n\n{1 // b\n}\n\n{}\n\n\\{/* c */}\n\nx\n\n\n\ny\n'],
    ['page.mdx', '<Card title="{/* a */}" body={"/* b */"}>\n\n\n  c\n</Card>\n'],
    ['page.md', '~~~\n<!-- a -->\n~~~\n\n    <!-- b -->\n\n`<!-- c -->` {/* d */} \\<!-- e -->\n'],
    ['page.md', '<textarea><!-- a --></textarea>\n\n<script>\n<!-- b -->\n</script>\n\n&lt;!-- c -->\n'],
  ] as const)('stay where they are none, byte for byte (%s)', async (path, source) => {
    expect(await markdown(source, path)).toBe(source)
  })

  it('are no way out of MDX, whose comments have braces', async () => {
    await expect(markdown('<!-- c -->', 'page.mdx')).rejects.toThrow('HTML comments are not MDX')
  })
})
