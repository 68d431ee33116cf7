import { describe, expect, it } from 'vitest'
import { imported } from './support.ts'

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
    expect(tea).toContain('![pot](/img/pot.png)\n')
    expect(tea).toContain(
      'Press <kbd>Ctrl</kbd>+<kbd>C</kbd> in the <abbr title="Hypertext">HTML</abbr> page, <mark>marked</mark>, with \\<kettle> and \\{braces}.',
    )
    expect(tea).toContain('[Go](/guide)')
    expect(tea).toContain('<dt>Term</dt>')
  })

  it('says what was made by plugins', () => {
    const said = site.left.map(({ kind, path, line, message }) => `${kind} ${path}:${line ?? ''} ${message}`).join('\n')
    expect(said).toMatch(/plugin docs\/guide\/tea.md:\d+ The reference of `kettle.boil`/)
    expect(said).toMatch(/plugin mkdocs.yml: The plugin brewery/)
    expect(said).toMatch(/theme docs\/overrides/)
  })
})
