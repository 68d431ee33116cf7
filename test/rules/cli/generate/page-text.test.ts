import { describe, expect, it } from 'vitest'
import { bodyOf, checkBody, pageFile } from '#cli/generate/page-text.ts'
import { unlink } from '#cli/generate/links.ts'

const lengths = new Map([['src/a.ts', 10]])
const check = (body: string) => checkBody(body, lengths)

describe('what a model wrote', () => {
  it('is taken out of a fence, and loses front matter and title of its own', () => {
    expect(bodyOf('```mdx\n---\ntitle: X\n---\n\n# X\n\nText.\n```')).toBe('Text.')
    expect(bodyOf('---\ntitle: X\n---\n---\ntitle: Y\n---\n\nText.')).toBe('Text.')
    expect(bodyOf('```ts\ncode\n```')).toBe('```ts\ncode\n```')
  })

  it('gets front matter that is YAML whatever the title holds', () => {
    const page = { path: 'a', title: 'A: "b" # c', description: 'x', purpose: '', sources: [] }
    expect(pageFile(page, 'Text.')).toBe('---\ntitle: "A: \\"b\\" # c"\ndescription: "x"\n---\n\nText.\n')
  })

  it('keeps comments that name lines of its sources, and loses the others', () => {
    const body =
      'One.\n{/* source: src/a.ts:1-10, src/b.ts:1 */}\n{/* source: src/a.ts:11 */}\n{/* source: what */}\nTwo.'
    const checked = check(body)
    expect(checked.body).toBe('One.\n{/* source: src/a.ts:1-10 */}\nTwo.')
    expect(checked.wrong).toHaveLength(3)
    expect(checked.problems).toEqual([])
  })

  it('may name files with commas and asterisks, and go over lines', () => {
    const odd = new Map([...lengths, ['src/b,c.ts', 5], ['src/*.ts', 5]])
    const checked = checkBody('One.\n{/* source: src/b,c.ts:1-2,\n  src/*.ts:3, src/a.ts:11 */}', odd)
    expect(checked.body).toBe('One.\n{/* source: src/b,c.ts:1-2, src/*.ts:3 */}')
    expect(checked.wrong).toEqual(['The comment names lines 11-11 of src/a.ts, which has 10.'])
    expect(check('{/* Source: src/a.ts:11 */}').wrong).toHaveLength(1)
  })

  it('names every section without a comment', () => {
    const body = 'Intro.\n\n## One\n\n{/* source: src/a.ts:2 */}\n\n## Two\n\nText.\n\n```md\n## Code\n```'
    expect(check(body).problems).toEqual(['The section "Two" names no source in a comment.'])
    expect(check('Intro.').problems).toHaveLength(1)
    expect(check('Intro. {/* source: src/a.ts:2 */}').problems).toEqual([])
  })

  it('may import nothing', () => {
    expect(check('import x from "y"\n{/* source: src/a.ts:2 */}').problems[0]).toContain('No import')
    expect(check('```js\nimport x from "y"\n```\n{/* source: src/a.ts:2 */}').problems).toEqual([])
  })
})

describe('links that lead nowhere', () => {
  const dead = (text: string, at: string): string => {
    const index = text.indexOf(at)
    const before = text.slice(0, index).split('\n')
    const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 }
    return unlink(text, [{ ...place, message: 'The link leads nowhere' }], (href) => href === '/there').text
  }

  it('become their words', () => {
    expect(dead('a\n[b *c*](/x "t") d', '[')).toBe('a\nb *c* d')
    expect(dead('![alt](/x.png)', '!')).toBe('alt')
    expect(dead('[b][ref]', '[')).toBe('b')
  })

  it('lose only the anchor where there is the page', () => {
    expect(dead('[b](/there#x)', '[')).toBe('[b](/there)')
    expect(dead('<Card title="a" href="/there#x">', '<')).toBe('<Card title="a" href="/there">')
  })

  it('are taken from tags', () => {
    expect(dead('<Card title="a" href="/x" icon="b">t</Card>', '<')).toBe('<Card title="a" icon="b">t</Card>')
  })

  it('are no other things at the place of a warning', () => {
    expect(dead('text', 't')).toBe('text')
    expect(unlink('[b](/x)', [{ line: 1, column: 1, message: 'Something else' }], () => false).mended).toBe(0)
  })
})
