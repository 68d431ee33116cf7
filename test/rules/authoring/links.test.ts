import { expect, test } from 'vitest'
import { mendLinks, Moves } from '#authoring/links.ts'
import { addressOf, freePath, markdownFor, slugOf, typedPath, urlOf } from '#authoring/page-paths.ts'

const way = new Moves([['guides/start.mdx', 'intro/begin.mdx']], ['guides/more.mdx', 'images/a.png', 'index.mdx'])

test.each([
  ['[a](/guides/start)', '[a](/intro/begin)'],
  ['[a](/guides/start/)', '[a](/intro/begin)'],
  ['[a](/guides/start#one "Title")', '[a](/intro/begin#one "Title")'],
  ['[a](</guides/start>)', '[a](</intro/begin>)'],
  ['[a](/guides/start.mdx?x=1)', '[a](/intro/begin.mdx?x=1)'],
  ['[a](start)', '[a](/intro/begin)'],
  ['[a](../guides/start)', '[a](/intro/begin)'],
  ['<Card title="x" href="/guides/start">', '<Card title="x" href="/intro/begin">'],
  ["<a href={'/guides/start'}>", "<a href={'/intro/begin'}>"],
  ['[start]: /guides/start', '[start]: /intro/begin'],
  ['[start here]: <start> "Title"', '[start here]: </intro/begin> "Title"'],
  ['> [start]: ./start.mdx', '> [start]: /intro/begin.mdx'],
  ["import Start from '/guides/start.mdx'", "import Start from '/intro/begin.mdx'"],
])('%s leads to where the page is now', (before, after) => {
  expect(mendLinks(before, 'guides/more.mdx', way)).toMatchObject({ text: after, count: 1 })
})

test.each([
  '[a](/guides/starting)',
  '[a](https://example.com/guides/start)',
  '[a](//guides/start)',
  '[a](#start)',
  '/guides/start in the text',
  '```md\n[a](/guides/start)\n```',
  '[a](%E0%A4%A)',
])('%s stays as it is', (text) => {
  expect(mendLinks(text, 'guides/more.mdx', way)).toMatchObject({ text, count: 0 })
})

test('links with spaces are followed, however they are written, and stay links', () => {
  const moved = new Moves([['guides/my page.mdx', 'intro/our page.mdx']])
  const text =
    '[a](<my page.mdx>) [b](</guides/my page#one> "T") [c](my%20page) [d]: x\n[d]: <./my page>\n<A href="/guides/my page" /> <A href={\'my page\'} />'
  expect(mendLinks(text, 'guides/more.mdx', moved)).toMatchObject({
    text: '[a](</intro/our page.mdx>) [b](</intro/our page#one> "T") [c](/intro/our%20page) [d]: x\n[d]: </intro/our page>\n<A href="/intro/our%20page" /> <A href={\'/intro/our%20page\'} />',
    count: 6,
  })
})

test('an address between quotation marks does not end at one of its own', () => {
  const quoted = new Moves([['a.mdx', "it's.mdx"]])
  expect(mendLinks("<A href='/a' />", 'x.mdx', quoted).text).toBe("<A href='/it%27s' />")
})

test('a page that goes to another folder still leads where it led', () => {
  const text = '[a](more) ![b](../images/a.png) [c](./start#here) [d](/guides/more) [e](../) [f](unknown) [g](x.md)'
  const deeper = new Moves([['guides/start.mdx', 'a/b/begin.mdx']], ['guides/more.mdx', 'images/a.png', 'index.mdx'])
  expect(mendLinks(text, 'guides/start.mdx', deeper)).toMatchObject({
    text: '[a](/guides/more) ![b](/images/a.png) [c](/a/b/begin#here) [d](/guides/more) [e](/) [f](unknown) [g](x.md)',
    count: 4,
  })
})

test('pages that go together keep the links from one to the other', () => {
  const all = new Moves([
    ['guides/start.mdx', 'learn/start.mdx'],
    ['guides/more.mdx', 'learn/more.mdx'],
  ])
  expect(mendLinks('[a](more) [b](./more.mdx) [c](/guides/more)', 'guides/start.mdx', all)).toMatchObject({
    text: '[a](more) [b](./more.mdx) [c](/learn/more)',
    count: 1,
  })
})

test('an address with a space or a bracket is written so that it does not end there', () => {
  const spaced = new Moves([['a.png', 'my (1).png']])
  expect(mendLinks('![a](/a.png) ![a](</a.png>)', 'x.mdx', spaced).text).toBe(
    '![a](/my%20%281%29.png) ![a](</my (1).png>)',
  )
})

test('line ends and the last line stay as they are', () => {
  expect(mendLinks('a\r\n[a](/guides/start)\r\n', 'x.mdx', way).text).toBe('a\r\n[a](/intro/begin)\r\n')
})

test('an image is followed wherever it goes', () => {
  const image = new Moves([['images/a.png', 'images/new/b.png']])
  expect(mendLinks('![a](/images/a.png) <img src="../images/a.png" />', 'guides/x.mdx', image).text).toBe(
    '![a](/images/new/b.png) <img src="/images/new/b.png" />',
  )
})

test('the navigation names the page by its new path, keys and other words stay', () => {
  const text = '{ "guides/start": ["guides/start", "/guides/start", "guides/start-2"], "title": "guides" }'
  expect(mendLinks(text, 'docs.json', way)).toMatchObject({
    text: '{ "guides/start": ["intro/begin", "/intro/begin", "guides/start-2"], "title": "guides" }',
    count: 2,
  })
})

test.each([
  ['Getting Started!', 'getting-started'],
  ['Über Straße', 'uber-straße'],
  ['入門ガイド 2', '入門ガイド-2'],
  ['  --- ', ''],
])('the title %j names a file %j', (title, name) => {
  expect(slugOf(title)).toBe(name)
})

test('a path that is taken gets a number before its ending', () => {
  expect(freePath('a/b.c/d.mdx', (path) => ['a/b.c/d.mdx', 'a/b.c/d-2.mdx'].includes(path))).toBe('a/b.c/d-3.mdx')
  expect(freePath('a.b/c', (path) => path === 'a.b/c')).toBe('a.b/c-2')
})

test('pages are found without ending and without index', () => {
  expect(['index.mdx', 'a/index.md', 'a/b.mdx'].map(addressOf)).toEqual(['/', '/a', '/a/b'])
})

test('a file has an address on its site', () => {
  expect(urlOf('guides/start here.mdx', 'https://docs.example.com')).toBe(
    'https://docs.example.com/guides/start%20here',
  )
  expect(urlOf('images/a#b.png', 'https://docs.example.com')).toBe('https://docs.example.com/images/a%23b.png')
})

test('a path that is typed gets the ending of its kind', () => {
  expect(typedPath(' /guides/start ', 'page.mdx')).toBe('guides/start.mdx')
  expect(typedPath('guides\\v1.2.mdx', 'page.mdx')).toBe('guides/v1.2.mdx')
})

test('what shows an image names it, and survives spaces and brackets', () => {
  expect(markdownFor('images/my_diagram-2.png')).toBe('![my diagram 2](/images/my_diagram-2.png)')
  expect(markdownFor('files/a (1).pdf')).toBe('[a (1)](</files/a (1).pdf>)')
})
