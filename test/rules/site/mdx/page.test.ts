import { describe, expect, it } from 'vitest'
import { errors, html, outcomeOf, render } from '#test/support/site/mdx/render-text.ts'

describe('titles', () => {
  it('come from the front matter, else from the first heading, else from the path', async () => {
    expect((await render('---\ntitle: Front\n---\n# Other\n')).artifact).toMatchObject({
      title: 'Front',
      html: expect.stringContaining('<h1'),
    })
    expect((await render('---\ntitle: Same `x`\n---\n# Same `x`\n\ntext')).artifact.html).toBe('<p>text</p>')
    expect((await render('# From **heading**\n\ntext')).artifact).toMatchObject({
      title: 'From heading',
      html: '<p>text</p>',
    })
    expect((await render('text', {}, 'a/getting-started.mdx')).artifact.title).toBe('Getting started')
    expect((await render('text', {}, 'my_guides/index.mdx')).artifact.title).toBe('My guides')
  })
})

describe('headings', () => {
  it('get GitHub’s slugs, each once, and stand in the contents', async () => {
    const page = await render(
      '## Hello, World!\n\n## Hello World\n\n### `npm i` & more\n\n##### Deep\n\n## Über {#own-id}\n',
    )
    expect(page.artifact.headings).toEqual([
      { id: 'hello-world', level: 2, text: 'Hello, World!' },
      { id: 'hello-world-1', level: 2, text: 'Hello World' },
      { id: 'npm-i--more', level: 3, text: 'npm i & more' },
      { id: 'own-id', level: 2, text: 'Über' },
    ])
    expect(page.artifact.html).toContain(
      '<h2 id="hello-world">Hello, World!<a class="q-heading-anchor" href="#hello-world"',
    )
    expect(page.summary.anchors).toEqual([
      'hello-world',
      'hello-world-1',
      'npm-i--more',
      'deep',
      'own-id',
      'hello-world-2',
      'npm-i-and-more',
      'npm-i-&-more',
    ])
  })

  it('stand in the contents in the order of the page, also those of components', async () => {
    const page = await render(
      '<Update label="May">\n## Faster\n</Update>\n\n<Steps titleSize="h2">\n<Step title="One">\n### Inside\n</Step>\n</Steps>\n',
    )
    expect(page.artifact.headings.map(({ text }) => text)).toEqual(['May', 'Faster', 'One', 'Inside'])
  })

  it('step down by one level at a time for screen readers, whatever they look like', async () => {
    const levels = async (text: string): Promise<string[]> =>
      [...(await html(text)).matchAll(/<(h\d)[^>]*?(?: aria-level="(\d)")?(?: id="[^"]*")?>/g)].map(
        ([, tag = '', level = '']) => tag + level,
      )
    expect(await levels('## A\n\n### B\n\n## C\n\n##### D\n\n##### E\n\n### F')).toEqual([
      'h2',
      'h3',
      'h2',
      'h53',
      'h53',
      'h3',
    ])
    expect(await levels('---\ntitle: T\n---\n## A\n\n# B\n\n### C')).toEqual(['h2', 'h1', 'h32'])
    expect(await levels('### A\n\n#### B\n\n### C\n\n## D\n\n```html\n<h4 >\n```')).toEqual(['h32', 'h43', 'h32', 'h2'])
  })

  it('that no reader sees are not in the contents', async () => {
    const page = await render('## Seen\n\n<Visibility for="agents">\n## Hidden\n</Visibility>\n')
    expect(page.artifact.headings.map(({ text }) => text)).toEqual(['Seen'])
  })
})

describe('HTML of authors', () => {
  it.each([
    ['<p className="a">\n  words *and*\n</p>', '<p class="a">words <em>and</em></p>'],
    ['<h2>\n  words\n</h2>', '<h2 id="words">words</h2>'],
    ['<div>\n  words\n</div>', '<div><p>words</p></div>'],
    ['<p align="center">\n\none\n\ntwo\n\n</p>', '<div align="center"><p>one</p><p>two</p></div>'],
    ['<p>\n<Icon icon="flag" />\n</p>', '<p><span'],
    ['<p>\n<Note>n</Note>\n</p>', '<div><div class="q-callout'],
  ])('%s is what a browser makes of it', async (source, written) => {
    expect((await html(source)).replaceAll(/>\n+</g, '><')).toContain(written)
  })

  it('a video that plays by itself is silent, or no browser would play it', async () => {
    expect(await html('<video autoPlay src="/a.mp4"></video>')).toContain('autoplay src="/a.mp4" muted playsinline>')
    expect(await html('<video controls src="/a.mp4"></video>')).not.toContain('muted')
  })

  it('a drawing of the size of an icon does not fill the column', async () => {
    expect(await html('<svg viewBox="0 0 24 24" />')).toBe('<svg viewBox="0 0 24 24" width="24" height="24"></svg>')
    expect(await html('<svg viewBox="0 0 24 24" width="5" />')).not.toContain('height')
    expect(await html('<svg viewBox="0 0 800 400" />')).not.toContain('width')
  })
})

describe('links', () => {
  it('may lead to the editors that documentation installs things into', async () => {
    expect(await html('[a](cursor://x.y/mcp/install?name=z) [b](vscode:mcp/install?z) [c](cursor:)')).toBe(
      '<p><a href="cursor://x.y/mcp/install?name=z">a</a> <a href="vscode:mcp/install?z">b</a> <a>c</a></p>',
    )
  })

  it('become clean site paths and are listed with their places', async () => {
    const page = await render(
      '[a](./other.mdx#part) [b](../index) ![c](/img/a%20b.png) <a href="https://x.example/y">d</a>\n\n[e](#here)\n',
    )
    expect(page.artifact.html).toContain('<a href="/guide/other#part">a</a> <a href="/">b</a>')
    expect(page.artifact.html).toContain('src="/img/a%20b.png"')
    expect(page.summary.links).toEqual([
      { href: '/guide/other#part', kind: 'link', line: 1, column: 1 },
      { href: '/', kind: 'link', line: 1, column: 23 },
      { href: '/img/a b.png', kind: 'asset', line: 1, column: 37 },
      { href: '/guide/page#here', kind: 'link', line: 3, column: 1 },
    ])
  })

  it('inside a snippet name the snippet', async () => {
    const page = await render('import S from "/snippets/s.mdx"\n\n<S />', { 'snippets/s.mdx': '\n[x](/y)' })
    expect(page.summary.links).toEqual([{ href: '/y', kind: 'link', line: 2, column: 1, path: 'snippets/s.mdx' }])
  })
})

describe('Markdown', () => {
  it('has tables, task lists, strike-through, footnotes and autolinks', async () => {
    const written = await html(
      '| a | b |\n| - | :-: |\n| 1 | 2 |\n\n- [x] done ~~not~~ https://a.example\n\nNote[^1]\n\n[^1]: Foot.\n',
    )
    expect(written).toContain('<div class="q-table"><table>')
    expect(written).toContain('<td align="center">2</td>')
    expect(written).toContain('<input aria-label="done not https://a.example" checked disabled type="checkbox">')
    expect(written).toContain('<del>not</del>')
    expect(written).toContain('<a href="https://a.example/">')
    expect(written).toContain('href="#user-content-fn-1"')
    expect(written).toContain('id="user-content-fn-1"')
  })

  it('has formulas, and tells prices from them', async () => {
    expect(await html('It costs $5 and $6, or $7-$9.')).toBe('<p>It costs $5 and $6, or $7-$9.</p>')
    expect(await html('Area $a^2$ costs $5.')).toMatch(/^<p>Area <math.*<\/math> costs \$5\.<\/p>$/)
    expect(await html('$$\n\\frac{a}{b}\n$$')).toContain('<mfrac>')
    expect(await html('`$5` and $HOME/x and **$6**')).toBe('<p><code>$5</code> and $HOME/x and <strong>$6</strong></p>')
  })

  it('lets a table of HTML scroll by itself, too', async () => {
    expect(await html('<table><tbody><tr><td>1</td></tr></tbody></table>')).toMatch(/^<div class="q-table"><table>/)
  })

  it('lists the sections of a change below their date', async () => {
    const page = await render(
      '## Before\n\n<Update label="May">\n## Fixes\n</Update>\n<Update label="April">\n### Small\n</Update>',
    )
    expect(page.artifact.headings.map(({ text, level }) => `${level} ${text}`)).toEqual([
      '2 Before',
      '2 May',
      '3 Fixes',
      '2 April',
      '4 Small',
    ])
  })

  it('says of an example only once what it is', async () => {
    const written = await html('<RequestExample>\n```bash Request\ncurl\n```\n</RequestExample>')
    expect(written.replaceAll(/<[^>]*>/g, '')).toBe('Requestcurl')
    expect(await html('<ResponseExample>\n```json 200\n1\n```\n</ResponseExample>')).toContain('Response</p>')
  })

  it('is deprecated where its front matter says so, and keeps a picture that must not be enlarged', async () => {
    const page = await render('---\ntitle: Old\ndeprecated: true\n---\n\n<img src="/a.png" noZoom />')
    expect(page.artifact.deprecated).toBe(true)
    expect(page.summary.deprecated).toBe(true)
    expect(page.artifact.html).toContain('data-no-zoom')
  })

  it('has code blocks with titles, and diagrams', async () => {
    const page = await render('```js title="a.js"\nconst a = 1\n```\n\n```mermaid\ngraph TD; A-->B\n```\n')
    expect(page.artifact.html).toContain('<span>a.js</span></figcaption>')
    expect(page.artifact.features).toEqual(['code', 'extras', 'mermaid'])
  })
})

describe('snippets', () => {
  const files = {
    'snippets/word.mdx': 'My word is **{word}**, or {props.word}.',
    'snippets/outer.mdx': 'import Word from "./word.mdx"\n\nOuter: <Word word="inner" />',
    '_snippets/old.mdx': 'Old.',
    'snippets/data.mdx': 'export const list = ["a", "b"]\n\nexport const Bold = ({ children }) => <b>{children}</b>\n',
    'snippets/wrap.mdx': '<i>{children}</i>',
    'snippets/x.jsx': 'export const X = () => null',
    'snippets/a.mdx': 'import B from "./b.mdx"\n\n<B />',
    'snippets/b.mdx': 'import A from "./a.mdx"\n\n<A />',
    'snippets/broken.mdx': 'fine\n\n<Note>',
  }

  it('get their attributes as names and as `props`', async () => {
    expect(await html('import Word from "/snippets/word.mdx"\n\n<Word word="bananas" />', files)).toBe(
      '<p>My word is <strong>bananas</strong>, or bananas.</p>',
    )
  })

  it('may use snippets, and all count as dependencies', async () => {
    const page = await render('import Outer from "../snippets/outer.mdx"\n\n<Outer />', files)
    expect(page.artifact.html).toContain('My word is <strong>inner</strong>')
    expect(page.dependencies).toEqual([
      ['snippets/outer.mdx', 'oid of snippets/outer.mdx'],
      ['snippets/word.mdx', 'oid of snippets/word.mdx'],
    ])
  })

  it('are found by <Snippet file>', async () => {
    const page = await render('<Snippet file="old.mdx" />', files)
    expect(page.artifact.html).toBe('<p>Old.</p>')
    expect(page.dependencies).toEqual([
      ['_snippets/old.mdx', 'oid of _snippets/old.mdx'],
      ['snippets/old.mdx', null],
    ])
  })

  it('export values and components', async () => {
    expect(await html('import { list, Bold as B } from "/snippets/data.mdx"\n\n<B>{list.join("+")}</B>', files)).toBe(
      '<b>a+b</b>',
    )
  })

  it('get the children of their element', async () => {
    expect(await html('import Wrap from "/snippets/wrap.mdx"\n\n<Wrap>in</Wrap>', files)).toBe('<i>in</i>')
  })

  it('of packages are not there, with a warning', async () => {
    const source = 'import { X } from "/snippets/x.jsx"\nimport { y } from "lodash"\n\n<X />\n\n{y(1)}'
    const page = await render(source, files)
    expect(page.summary.warnings.map(({ line, message }) => `${line} ${message.slice(0, 28)}`)).toEqual([
      '2 The package `lodash` is not ',
      '6 This needs JavaScript that c',
    ])
    expect(page.dependencies).toEqual([['snippets/x.jsx', 'oid of snippets/x.jsx']])
  })

  it('that include each other in a circle are an error that names them', async () => {
    expect((await errors('import A from "/snippets/a.mdx"\n\n<A />', files))[0]).toContain(
      'snippets/a.mdx → snippets/b.mdx → snippets/a.mdx',
    )
  })

  it('that are broken are named with their own line', async () => {
    expect((await errors('import B from "/snippets/broken.mdx"\n\n<B />', files))[0]).toMatch(
      /^snippets\/broken\.mdx:3:\d+ /,
    )
  })

  it('that may not be included are errors, all at once, with places', async () => {
    const source =
      'import B from "../../up.mdx"\nimport C from "node:fs"\nimport D from "./x%2e.mdx"\n\n<Snippet file="../../gone.mdx" />'
    expect((await errors(source, files)).map((error) => error.replace(/`.*$/, ''))).toEqual([
      'guide/page.mdx:1:15 ',
      'guide/page.mdx:2:15 ',
      'guide/page.mdx:3:15 ',
      'guide/page.mdx:5:1 The snippet ',
    ])
  })
})

describe('components', () => {
  it('that are unknown show what is in them, with a warning at their place', async () => {
    const page = await render('text\n\n<Unknown a="1">inside</Unknown>')
    expect(page.artifact.html).toContain('inside')
    expect(page.summary.warnings[0]).toMatchObject({
      line: 3,
      column: 1,
      message: 'There is no component `<Unknown>`; only what is in it is shown.',
    })
  })

  it('of the registry get props and children', async () => {
    const written = await html('<Card title="T" href="./x.mdx">body</Card>')
    expect(written).toContain('href="/guide/x"')
    expect(written).toContain('body')
  })
})

describe('errors', () => {
  it.each([
    ['text\n\n<Card>\n\nmore', /^guide\/page\.mdx:3:1 Expected a closing tag for `<Card>`/],
    ['text\n\n{f(1 +}', /^guide\/page\.mdx:3:\d .*expression/i],
    ['a\n\n<!-- note', /^guide\/page\.mdx:3:2 HTML comments are not MDX: write `\{\/\* … \*\/\}`/],
    ['a\r\nb <b👩 c>', /^guide\/page\.mdx:2:\d+ .*`👩`/],
    ['<No', /^guide\/page\.mdx:1:4 The tag is not finished/],
    ['<Card title=>', /^guide\/page\.mdx:1:13 An attribute has no value behind its `=`/],
    ['<Card title="a', /^guide\/page\.mdx:1:15 The value of an attribute is not closed/],
    ['<Card 1>', /^guide\/page\.mdx:1:7 A tag cannot have `1` there/],
    ['---\ntitle: "a\n---\n', /^guide\/page\.mdx:3:\d+ The front matter is not valid YAML/],
    ['---\na: 1\n__proto__: 2\n---\n', /^guide\/page\.mdx:3:1 The key `__proto__`/],
    ['---js\nx\n---\n', /^guide\/page\.mdx:1:4 Front matter in `js`/],
    ['---\na: &x 1\nb: *x\n---\n', /^guide\/page\.mdx:3:4 Aliases/],
    ['export const a = ;\n\n{a}', /^guide\/page\.mdx:\d+:\d+ /],
  ])('of %j say where', async (source, pattern) => {
    expect((await errors(source))[0]).toMatch(pattern)
  })

  it('carry a code frame', async () => {
    const outcome = await outcomeOf('one\n\n<Card>\n\nfour')
    expect(outcome.ok ? '' : outcome.errors[0]?.frame).toBe(
      '  1 | one\n  2 |\n> 3 | <Card>\n    | ^\n  4 |\n  5 | four',
    )
  })
})

describe('front matter', () => {
  it('gives the fields of the page', async () => {
    const page = await render(
      '---\ntitle: "A\\nB"\nsidebarTitle: S\ndescription: D\ntag: NEW\nmode: wide\nhidden: true\nnoindex: true\nkeywords: [a, b]\nurl: https://x.example\n"og:title": x\n---\n',
    )
    expect(page.artifact).toMatchObject({
      title: 'A B',
      description: 'D',
      mode: 'wide',
      keywords: ['a', 'b'],
      noindex: true,
    })
    expect(page.summary).toMatchObject({
      title: 'A B',
      sidebarTitle: 'S',
      tag: 'NEW',
      hidden: true,
      noindex: true,
      url: 'https://x.example',
    })
  })

  it('gives tags of the head, of names that do nothing in a browser', async () => {
    const page = await render(
      '---\n"og:image": /a.png\ntwitter:card: summary\nauthor: Ada\nrefresh: "0; url=https://x.example"\nviewport: x\n"og:x\\"y": z\n"twitter:site": [a]\n---\n\nx',
    )
    expect(page.artifact.metatags).toEqual([
      ['og:image', '/a.png'],
      ['twitter:card', 'summary'],
      ['author', 'Ada'],
    ])
    expect(page.summary.warnings).toMatchObject([{ line: 8 }])
    expect((await render('---\nrobots: noindex, nofollow\n---\n\nx')).artifact).toMatchObject({ noindex: true })
    expect((await render('---\nrobots: noarchive\n---\n\nx')).artifact).toMatchObject({
      metatags: [['robots', 'noarchive']],
    })
  })

  it('of the wrong kind is ignored with a warning', async () => {
    const page = await render('---\ntitle: [a]\nmode: huge\n---\n\nx', {}, 'some-page.mdx')
    expect(page.artifact.title).toBe('Some page')
    expect(page.summary.warnings.map((warning) => warning.line)).toEqual([2, 3])
  })

  it('is read as if tags without effect were not there, and says where they are', async () => {
    const page = await render(
      '---\ntitle: !!js/function "A title"\ndescription: !!binary aGVsbG8=\ntag: !!str 1\nmore: !x [a]\n---\n\nx',
    )
    expect(page.artifact).toMatchObject({ title: 'A title', description: 'aGVsbG8=' })
    expect(page.summary.warnings.map(({ line }) => line)).toEqual([2, 3, 5])
    expect(page.summary.warnings[0]?.message).toContain('has no effect')
  })

  it('in TOML is refused and not dropped', async () => {
    expect(await errors('+++\ntitle = "x"\n+++\n\ntext')).toEqual([
      'guide/page.mdx:1:1 Front matter in TOML is not supported: write it as YAML between two lines of `---`.',
    ])
  })

  it.each([
    '---\ntitle: Open\n\n# Open\n',
    '---\ndescription: >\n  long\n\ntext\n',
    '---\nowner: docs\nreviewed: yes\n\ntext\n',
    '---\r\ntitle: Open\r\n----\r\n\r\ntext\r\n',
  ])('that has no end is told, with the line where it begins: %j', async (text) => {
    for (const path of ['page.mdx', 'page.md']) {
      const { warnings } = (await render(text, {}, path)).summary
      expect(warnings).toEqual([
        expect.objectContaining({ path, line: 1, column: 1, message: expect.stringContaining('has no end') }),
      ])
    }
  })

  it.each([
    '---\n\ntitle: a rule, and text below it\n',
    '---\nNote: a rule, and a text of one line\n',
    '---\n# Heading\n\ntext\n',
    '---\nhttps://example.com\n',
    '---\n',
    '---',
    '***\ntitle: x\n',
  ])('is not meant by a rule above a text: %j', async (text) => {
    expect((await render(text, {}, 'page.md')).summary.warnings).toEqual([])
  })

  it('may end as YAML documents end', async () => {
    expect((await render('---\ntitle: Dots\n...\ntext\n')).artifact).toMatchObject({
      title: 'Dots',
      html: '<p>text</p>',
    })
  })

  it('is not a rule between dashes', async () => {
    expect((await render('---\n\ntext\n')).artifact.html).toContain('<hr>')
  })
})
