import { describe, expect, it } from 'vitest'
import { PageCompleter } from '#authoring/completer.ts'
import type { CompletionList } from '#authoring/language.ts'
import type { ComponentInfo } from '#contract/components.ts'
import { withCursor } from './text-lines.ts'

const components: readonly ComponentInfo[] = [
  {
    name: 'Card',
    about: 'A box with a title',
    children: true,
    properties: [
      { name: 'title', type: 'text', required: true },
      { name: 'href', type: 'text' },
      { name: 'horizontal', type: 'boolean' },
      { name: 'cols', type: 'number' },
    ],
  },
  {
    name: 'Callout',
    about: 'A box',
    children: true,
    properties: [{ name: 'type', type: 'choice', choices: ['note', 'warning'] }],
  },
  { name: 'Icon', about: 'A drawing', children: false, properties: [] },
]
const completer = new PageCompleter(() => components, {
  pages: () => [
    { path: 'index.mdx', title: 'Home' },
    { path: 'guides/start.mdx', title: 'Getting going' },
    { path: 'guides/index.md' },
    { path: 'snippets/note.mdx' },
    { path: 'plans/Our prices (2026).mdx' },
  ],
  anchors: (path) => (path === 'guides/start.mdx' ? ['install', 'configure'] : undefined),
  images: () => ['images/logo.svg', 'images/screen.png'],
})

function listAt(marked: string, asked = false): CompletionList | undefined {
  const { lines, at } = withCursor(marked)
  return completer.complete(lines, at, asked)
}

const labels = (marked: string, asked = false): string[] | undefined =>
  listAt(marked, asked)?.items.map(({ label }) => label)

/** The text with the first suggestion taken, and the cursor in it. */
function taken(marked: string, asked = false): string {
  const { lines, at } = withCursor(marked)
  const list = completer.complete(lines, at, asked)
  const item = list?.items[0]
  const text = lines.at(at.line)
  const caret = item?.caret ?? item?.insert.length ?? 0
  const insert = `${item?.insert.slice(0, caret)}|${item?.insert.slice(caret)}`
  return text.slice(0, list?.from) + insert + text.slice(at.column)
}

describe('components', () => {
  it('are offered behind a bracket, whole, with the cursor where its first words go', () => {
    expect(labels('<|')).toEqual(['Card', 'Callout', 'Icon'])
    expect(taken('<Ca|')).toBe('<Card title="|">\n  \n</Card>')
    expect(taken('  <Call|')).toBe('  <Callout>\n    |\n  </Callout>')
    expect(taken('Text <Call|')).toBe('Text <Callout>|</Callout>')
    expect(taken('Text <Ic|')).toBe('Text <Icon |/>')
  })

  it('are not offered where a bracket is none', () => {
    expect(labels('a<|')).toBeUndefined()
    expect(labels('```\n<|\n```')).toBeUndefined()
    expect(labels('---\ntitle: <|\n---')).toBeUndefined()
  })

  it('change only the name of a tag that is there', () => {
    expect(taken('<Ca| title="a">')).toBe('<Card| title="a">')
  })

  it('are closed by the name of the innermost that is open', () => {
    expect(taken('<Card title="a > b">\n<Icon />\n<Callout>x</Callout>\n</|')).toBe('</Card>|')
    expect(labels('<Card></Card>\n</|')).toBeUndefined()
  })

  it('offer the properties that they do not have yet', () => {
    expect(labels('<Card title="a" |', true)).toEqual(['href', 'horizontal', 'cols'])
    expect(labels('<Card title="a" |')).toBeUndefined()
    expect(taken('<Card\n  title="a"\n  hr|')).toBe('  href="|"')
    expect(taken('<Card co|')).toBe('<Card cols={|}')
    expect(taken('<Card hor|')).toBe('<Card horizontal|')
    expect(labels('<Card title="a"> h|', true)).toBeUndefined()
  })

  it('offer the values of a property', () => {
    expect(labels('<Callout type="|')).toEqual(['note', 'warning'])
    expect(taken('<Callout type="w|">')).toBe('<Callout type="warning|">')
    expect(labels('<Card href="/gui|')).toEqual(['/guides', '/guides/start'].toReversed())
  })
})

describe('links', () => {
  it('are completed by address and by title', () => {
    expect(labels('[a](|')).toEqual(['/', '/guides/start', '/guides', '/plans/Our prices (2026)'])
    expect(taken('[a](/gui|)')).toBe('[a](/guides/start|)')
    expect(labels('[a](going|')).toEqual(['/guides/start'])
    expect(labels('[a](https:|')).toBeUndefined()
  })

  it('with spaces in them are written so that they do not end there', () => {
    expect(taken('[a](/plans|)')).toBe('[a](</plans/Our prices (2026)>|)')
    expect(taken('[a](</plans|>)')).toBe('[a](</plans/Our prices (2026)|>)')
    expect(taken('[a](</plans/Our pri|>)')).toBe('[a](</plans/Our prices (2026)|>)')
    expect(taken('![a](</images/s|>)')).toBe('![a](</images/screen.png|>)')
  })

  it('are completed where they are defined by a name, too', () => {
    expect(taken('[start]: /gui|')).toBe('[start]: /guides/start|')
    expect(taken('[prices]: <our|>')).toBe('[prices]: </plans/Our prices (2026)|>')
    expect(labels('[ ] Say: /gui|')).toBeUndefined()
  })

  it('lead to headings of this page and of others', () => {
    expect(labels('# One\n## Two words\n[a](#|')).toEqual(['#one', '#two-words'])
    expect(taken('[a](/guides/start#con|)')).toBe('[a](/guides/start#configure|)')
  })

  it('show images where images go', () => {
    expect(labels('![a](|')).toEqual(['/images/logo.svg', '/images/screen.png'])
    expect(labels('<img src="/images/s|')?.[0]).toBe('/images/screen.png')
  })

  it('find snippets to import', () => {
    expect(taken("import A from '|'")).toBe("import A from '/snippets/note.mdx|'")
  })
})

describe('the rest of a page', () => {
  it('knows the keys of front matter, and their values', () => {
    expect(labels('---\ntitle: a\nti|\n---', true)).not.toContain('title')
    expect(taken('---\ndes|\n---')).toBe('description: |')
    expect(labels('---\nmode: w|\n---')?.[0]).toBe('wide')
    expect(labels('---\n|\n---')).toBeUndefined()
    expect(labels('---\na: b\n---\ndes|')).toBeUndefined()
  })

  it('knows languages of code where a fence opens, and only there', () => {
    expect(labels('```py|')?.[0]).toBe('python')
    expect(labels('```js\n```py|')).toBeUndefined()
  })
})
