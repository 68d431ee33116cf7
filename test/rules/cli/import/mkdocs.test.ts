import { describe, expect, it } from 'vitest'
import { imported, said } from './support.ts'

const files = {
  'mkdocs.yml': `
site_name: Kettle
theme:
  name: material
  palette: { primary: teal }
  features: [navigation.tabs, navigation.indexes]
  custom_dir: docs/overrides
plugins:
  - search
  - redirects:
      redirect_maps: { 'old/tea.md': 'guide/tea.md' }
  - brewery
markdown_extensions:
  - pymdownx.superfences:
      custom_fences:
        - { name: mermaid, class: mermaid, format: !!python/name:pymdownx.superfences.fence_code_format }
  - pymdownx.snippets: { base_path: parts }
extra:
  version: 1.2
  social: [{ icon: fontawesome/brands/github, link: https://github.com/kettle }]
nav:
  - Home: index.md
  - '':
      - guide/index.md
      - Green tea: guide/tea.md
      - Shop: https://shop.example.com
`,
  'docs/overrides/main.html': '<html>',
  'docs/index.md': '# Kettle\n\nVersion {{ version }}, see [tea](guide/tea.md#how-hot). {== not math ==}\n',
  'docs/guide/index.md': '# The guide\n\nText\n',
  'docs/img/pot.png': 'x',
  'parts/hint.txt': 'From a part.\n',
  'src/cup.py': 'import water\n\n\ndef boil():\n    water.heat()\n',
  'docs/guide/tea.md': `# Tea

!!! warning "Very *hot*"
    Mind

    - your hands

??? question
    Closed

/// details | More
    type: tip

Text
///

=== "macOS"

    \`\`\`python title="a.py" hl_lines="1 3" linenums="1"
    a = 1
    b = 2
    c = 3
    \`\`\`

=== "Linux"

    Other

--8<-- "hint.txt"

{* src/cup.py ln[4:5] hl[5] *}

## How hot? { #how-hot .big }

![pot](../img/pot.png){ loading=lazy width=100 }

Press ++ctrl+c++ in the HTML page, ==marked==, with <kettle> and {braces}. :material-tea: [Go](index.md){ .md-button }

Term
:   What it *means*

*[HTML]: Hypertext

::: kettle.boil
`,
}

describe('a site of MkDocs', async () => {
  const site = await imported(files)

  it('makes tabs of its sections, an index being the first page of its section', () => {
    expect(site.settings.navigation).toEqual({
      tabs: [
        { tab: 'Home', pages: ['index'] },
        { tab: 'The guide', pages: ['guide', 'guide/tea', 'links/shop'] },
      ],
    })
    expect(site.settings).toMatchObject({
      name: 'Kettle',
      colors: { primary: '#009485' },
      redirects: [{ source: '/old/tea', destination: '/guide/tea' }],
    })
    expect(site.paths).not.toContain('overrides/main.html')
  })

  it('fills in values, and leaves Markdown Markdown', () => {
    expect(site.text('index.md')).toContain('Version 1.2, see [tea](/guide/tea#how-hot).')
  })

  it('writes indented blocks, tabs, snippets and code from files in our words', () => {
    const tea = site.text('guide/tea.mdx')
    expect(tea).toContain('<Warning title="Very hot">\n\nMind\n\n- your hands\n\n</Warning>')
    expect(tea).toContain('<Accordion title="Question">\n\nClosed\n\n</Accordion>')
    expect(tea).toContain('<Accordion title="More">\n\nText\n\n</Accordion>')
    expect(tea).toContain('<Tab title="macOS">\n\n```python title="a.py" {1,3} lines\na = 1')
    expect(tea).toContain('<Tab title="Linux">\n\nOther\n\n</Tab>\n\n</Tabs>')
    expect(tea).toContain('\nFrom a part.\n')
    expect(tea).toContain('```python {2}\ndef boil():\n    water.heat()\n```')
  })

  it('writes what stands in lines so that MDX shows the same', () => {
    const tea = site.text('guide/tea.mdx')
    expect(tea).toContain('## How hot? {#how-hot}')
    expect(tea).toContain('<img src="/img/pot.png" alt="pot" width="100" />\n')
    expect(tea).toContain(
      'Press <kbd>Ctrl</kbd>+<kbd>C</kbd> in the <abbr title="Hypertext">HTML</abbr> page, <mark>marked</mark>, with \\<kettle> and \\{braces}.',
    )
    expect(tea).toMatch(/<a class="[^"]*" href="\/guide">Go<\/a>/)
    expect(tea).toContain('<dt>Term</dt>')
  })

  it('says what was made by plugins', () => {
    expect(said(site)).toMatch(/plugin docs\/guide\/tea.md:\d+ The reference of `kettle.boil`/)
    expect(said(site)).toMatch(/plugin mkdocs.yml: The plugin brewery/)
    expect(said(site)).toMatch(/theme docs\/overrides/)
  })
})

describe('features of pages of MkDocs', async () => {
  const site = await imported({
    'mkdocs.yml': `site_name: Kettle
copyright: Kettle
extra: { analytics: { provider: google, property: G-TEA1234 } }
markdown_extensions: [pymdownx.critic, pymdownx.caret, pymdownx.tilde, pymdownx.inlinehilite, pymdownx.emoji, { pymdownx.arithmatex: { generic: true } }]
`,
    'docs/pot.png': 'x',
    'docs/index.md': `---
status: new
tags: [tea]
---

# Home

<div class="grid cards" markdown>

-   :material-clock-fast:{ .lg .middle } __In a minute__

    ---

    Boils \`water\`

    [:octicons-arrow-right-24: Begin](page.md)

-   [**Safe**](page.md)

</div>

<div class="grid" markdown>

!!! tip
    Left

Right

</div>

[Begin](page.md){ .md-button .md-button--primary }

=== ":material-apple: macOS"

    Text

<img src="pot.png#only-light" alt="Pot">
`,
    'docs/page.md': `# Page

\`Term\`

:   One

    More

:   Two

H~2~O, x^2^, {--old--} {++new++} and \`#!python boil()\` at \\(a^2 + b^2\\) :smile:

\\[
x = 1
\\]

![Pot](pot.png#only-dark){ width="40" align=left }

![Pot](pot.png)
/// caption
A pot
///

\`\`\`py
boil() # (1)!
\`\`\`

1.  Hot
`,
  })
  const home = site.text('index.mdx')
  const page = site.text('page.mdx')

  it('makes cards of grids, with their icons and links', () => {
    expect(home).toContain('<Card title="In a minute" icon="timer">\n\nBoils `water`\n\n[')
    expect(home).toContain('<Card title="Safe" href="/page"></Card>')
    expect(home).toContain('<Columns cols="2">\n\n<Tip>')
    expect(home).toMatch(/<p><a class="[^"]+" href="\/page">Begin<\/a><\/p>/)
    expect(home).toContain('<img class="block dark:hidden" src="/pot.png" alt="Pot" />')
  })

  it('leaves icons out of titles, where they would be no text', () => {
    expect(home).toContain('<Tab title="macOS">\n\nText\n\n</Tab>')
  })

  it('reads definitions behind a blank line, as most are written', () => {
    expect(page).toContain('<dt>`Term`</dt>\n<dd>\n\nOne\n\nMore\n\n</dd>\n<dd>\n\nTwo\n\n</dd>\n</dl>')
  })

  it('writes marks of the extensions that the site has', () => {
    expect(page).toContain(
      'H<sub>2</sub>O, x<sup>2</sup>, <del>old</del> <ins>new</ins> and `boil()` at $a^2 + b^2$ 😄',
    )
    expect(page).toContain('$$\nx = 1\n$$')
  })

  it('keeps sizes, sides and themes of pictures, and captions', () => {
    expect(page).toMatch(
      /<img class="hidden dark:block" src="\/pot\.png" alt="Pot" width="40" style="float:left;[^"]*" \/>/,
    )
    expect(page).toMatch(/<div class="[^"]+">\n\nA pot\n\n<\/div>/)
  })

  it('keeps the number of a note in code', () => {
    expect(page).toContain('boil() # (1)\n')
  })

  it('carries analytics and the mark of a new page, and says what it left out', () => {
    expect(home).toContain('tag: New')
    expect(site.settings).toMatchObject({ integrations: { ga4: { measurementId: 'G-TEA1234' } } })
    expect(said(site)).toMatch(/markup docs\/index\.md:1 `tags` of front matter/)
    expect(said(site)).toMatch(/theme mkdocs\.yml: The copyright/)
  })
})
