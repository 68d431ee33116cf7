import { describe, expect, it } from 'vitest'
import { imported } from './support.ts'

describe('a space of GitBook', async () => {
  const site = await imported({
    '.gitbook.yaml': 'root: ./docs/\nredirects:\n  old/page: guide/tea.md\n',
    'docs/SUMMARY.md':
      '# Table of contents\n\n* [Welcome](README.md)\n\n## Brewing\n\n* [Tea](guide/tea.md)\n  * [Green tea](guide/green.md)\n* [Shop](https://shop.example.com)\n',
    'docs/README.md': '---\nicon: mug\n---\n\n# Kettle\n\nBoils\n',
    'docs/.gitbook/assets/pot.png': 'x',
    'docs/guide/green.md': '# Green\n',
    'docs/guide/tea.md': `# Tea

{% hint style="warning" %}
Hot {water}
{% endhint %}

{% tabs %}
{% tab title="One" %}
First
{% endtab %}

{% tab title="Two" %}
{% code title="a.js" lineNumbers="true" %}
\`\`\`js
a()
\`\`\`
{% endcode %}
{% endtab %}
{% endtabs %}

{% stepper %}
{% step %}
## Fill

It
{% endstep %}
{% endstepper %}

{% content-ref url="green.md" %}
[green.md](green.md)
{% endcontent-ref %}

<figure><img src="../.gitbook/assets/pot.png" alt=""><figcaption>Pot</figcaption></figure>
`,
  })

  it('has the order, groups and names of its summary', () => {
    expect(site.settings.navigation).toEqual({
      pages: [
        'index',
        {
          group: 'Brewing',
          expanded: true,
          pages: [{ group: 'Tea', root: 'guide/tea', pages: ['guide/green'] }, 'links/shop'],
        },
      ],
    })
    expect(site.settings.redirects).toEqual([{ source: '/old/page', destination: '/guide/tea' }])
    expect(site.text('guide/green.md')).toContain('sidebarTitle: Green tea')
  })

  it('has its blocks as components, and its pictures', () => {
    const tea = site.text('guide/tea.mdx')
    expect(tea).toContain('<Warning>\n\nHot \\{water}\n\n</Warning>')
    expect(tea).toContain('<Tab title="One">\n\nFirst\n\n</Tab>')
    expect(tea).toContain('```js title="a.js" lines\na()\n```')
    expect(tea).toContain('<Step title="Fill">\n\nIt\n\n</Step>')
    expect(tea).toContain('<Card title="Green" href="/guide/green" horizontal></Card>')
    expect(tea).toContain('<img src="/assets/pot.png" alt="" />')
  })
})

describe('a site of several spaces of GitBook', async () => {
  const site = await imported({
    'docs.yaml':
      'site:\n  title: Kettle docs\n  structure:\n    - { type: section, title: Guide, path: guide, default: true, children: [{ type: space, title: English, default: true, content: { directory: ./manual, language: en } }, { type: space, title: Deutsch, path: de, content: { directory: null, language: de } }] }\n    - { type: section, title: Developers, path: dev, children: [{ type: space, title: API, content: { directory: ./dev } }] }\n',
    '.gitbook.yaml': '',
    'AGENTS.md': '# Not a page\n',
    'manual/SUMMARY.md':
      '# Table of contents\n\n* [Welcome](README.md)\n* [Tea](tea.md)\n  * [Hot water](tea.md#1.-hot-water)\n',
    'manual/.gitbook/vars.yaml': 'version: v3\n',
    'manual/.gitbook/assets/pot.png': 'x',
    'manual/.gitbook/assets/dark.png': 'x',
    'manual/README.md': `---
cover: .gitbook/assets/pot.png
layout:
  outline:
    visible: false
---

# Kettle

<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="image"></th></tr></thead><tbody><tr><td><h4><i class="fa-mug">:mug:</i></h4></td><td><strong>Make &#x26; drink</strong></td><td><a href="tea.md">tea.md</a></td><td><a href=".gitbook/assets/pot.png">pot.png</a></td></tr></tbody></table>

<table data-view="cards"><thead><tr><th></th><th></th><th></th></tr></thead><tbody><tr><td>Ways</td><td><a href="tea.md">Tea</a></td><td><a href="tea.md">Pot</a></td></tr></tbody></table>

<table><thead><tr><th>Kind</th><th data-type="select">State<select><option value="a1" label="Fresh" color="blue"></option></select></th><th data-hidden>Secret</th></tr></thead><tbody><tr><td>Green</td><td><span data-option="a1">Fresh</span></td><td>hidden words</td></tr></tbody></table>
`,
    'manual/draft.md': '# Draft\n',
    'manual/tea.md': `# Tea

## 1. Hot water <a href="#water" id="water"></a>

Version <code class="expression">space.vars.version</code>, see [README.md](README.md "mention") and [API](https://app.gitbook.com/s/AbC123/send/mail) or [gone](/broken/pages/x1).

<picture><source srcset=".gitbook/assets/dark.png" media="(prefers-color-scheme: dark)"><img src=".gitbook/assets/pot.png" alt="Pot"></picture>

<pre class="language-js" data-title="a.js"><code class="lang-js">one()
<strong>two(&#x3C;T>)
</strong></code></pre>

<a href="README.md" class="button primary">Start</a> <button type="button" class="button" data-action="ask">Ask</button>

{% updates %}
{% update date="2026-03-02" tags="new-releases,fixes" %}
Boils.
{% endupdate %}
{% endupdates %}

{% columns %}
{% column %}
Left
{% endcolumn %}
{% endcolumns %}

{% prompt description="Ask for tea" %}
\`\`\`markdown
Make tea.
\`\`\`
{% endprompt %}

{% @mermaid/diagram content="a --> b" %}

{% embed url="https://youtu.be/abcdefghijk" %}
`,
    'dev/SUMMARY.md':
      '# Table of contents\n\n* [Developers](README.md)\n* [Operations](operations.md)\n  * ```yaml\n    type: builtin:openapi\n    dependencies:\n      spec:\n        ref: { kind: openapi, spec: kettle }\n    ```\n* [Mail](send/mail.md)\n',
    'dev/README.md': '# For developers\n',
    'dev/operations.md': '# Operations\n',
    'dev/send/mail.md':
      '# Mail\n\n{% openapi-operation spec="kettle" path="/mail" method="post" %}\n[OpenAPI kettle](https://kettle.example.com/openapi.yaml)\n{% endopenapi-operation %}\n',
  })

  it('has a tab for each section, at the address that it had', () => {
    expect(site.settings.navigation).toEqual({
      tabs: [
        { tab: 'Guide', pages: ['index', { group: 'Tea', root: 'tea', pages: ['links/hot-water'] }] },
        {
          tab: 'Developers',
          pages: [
            'dev',
            {
              group: 'Operations',
              root: 'dev/operations',
              pages: [{ group: 'Operations', openapi: 'https://kettle.example.com/openapi.yaml' }],
            },
            'dev/send/mail',
          ],
        },
      ],
    })
    expect(site.settings['name']).toBe('Kettle docs')
    expect(site.paths.filter((path) => /AGENTS|draft/.test(path))).toEqual([])
    expect(site.left).toContainEqual(expect.objectContaining({ path: 'manual/draft.md' }))
    expect(site.left).toContainEqual(expect.objectContaining({ message: expect.stringContaining('Deutsch') }))
  })

  it('has cards, and tables without what was hidden', () => {
    const home = site.text('index.mdx')
    expect(home).toContain('mode: wide')
    expect(home).toContain('<img src="/assets/pot.png" alt="" />')
    expect(home).toContain('<Card title="Make & drink" icon="mug" href="/tea" img="/assets/pot.png"></Card>')
    expect(home).toContain('<td><Badge color="blue">Fresh</Badge></td>')
    expect(home).toContain('<Card title="Ways">\n\n<p><a href="/tea">Tea</a></p>\n\n<p><a href="/tea">Pot</a></p>')
    expect(home).not.toContain('hidden words')
  })

  it('has what only its pages can write', () => {
    const tea = site.text('tea.mdx')
    expect(tea).toContain('## 1. Hot water {#water}')
    expect(tea).toContain('Version v3, see [Kettle](/) and [API](/dev/send/mail) or gone.')
    expect(tea).toContain('<span class="dark:hidden"><img src="/assets/pot.png" alt="Pot" /></span>')
    expect(tea).toContain('<span class="hidden dark:inline"><img src="/assets/dark.png" alt="Pot" /></span>')
    expect(tea).toContain('```js title="a.js" {2}\none()\ntwo(<T>)\n```')
    expect(tea).toContain('<a href="/" class="px-4 rounded-full bg-primary">Start</a>')
    expect(tea).toContain('<Update label="March 2, 2026" tags={["New releases","Fixes"]}>')
    expect(tea).toContain('<Column>\n\nLeft\n\n</Column>')
    expect(tea).toContain('<Prompt description="Ask for tea">\n\nMake tea.\n\n</Prompt>')
    expect(tea).toContain('```mermaid\na --> b\n```')
    expect(tea).toContain('<iframe src="https://www.youtube-nocookie.com/embed/abcdefghijk"')
    expect(site.left.map(({ message }) => message).join('\n')).toMatch(
      /lost itself, “gone”[^]*GitBook’s `ask`|GitBook’s `ask`[^]*lost itself, “gone”/,
    )
  })

  it('shows the operation that a page is about', () => {
    expect(site.text('dev/send/mail.md')).toContain('openapi: https://kettle.example.com/openapi.yaml POST /mail')
  })
})

describe('a site of Nextra', async () => {
  const site = await imported({
    'next.config.mjs': 'export default {}',
    'content/_meta.tsx': `export default { index: 'Welcome', guide: 'Brewing', '---': { type: 'separator' }, _1: { title: <Out>Shop&thinsp;<Arrow /></Out>, href: 'https://shop.example.com' }, secret: { display: 'hidden' } }`,
    'content/guide/_meta.js': `export default { search: { items: { more: <b>More</b> } }, _: { type: 'separator', title: 'Hot' }, tea: 'Tea, hot' }`,
    'content/index.mdx': '# Kettle\n',
    'content/secret.mdx': '# Secret\n',
    'content/guide/search/index.mdx': '# Search\n',
    'content/guide/search/more.mdx': '# More\n',
    'content/guide/cold.mdx': '# Cold\n',
    'content/guide/tea.mdx': `# Tea

import { Callout, Tabs, Steps } from 'nextra/components'

<Callout type="error">Hot</Callout>

<Tabs items={['npm', 'yarn']}>
  <Tabs.Tab>one</Tabs.Tab>
  <Tabs.Tab>two</Tabs.Tab>
</Tabs>

<Steps>
### Fill
It
### Boil
It
</Steps>

<Pots>
  <FileTree.File name="pot.md" />
</Pots>
`,
  })

  it('has the order and names of its meta files', () => {
    expect(site.settings.navigation).toEqual({
      pages: [
        'index',
        {
          group: 'Brewing',
          pages: [
            { group: 'Search', root: 'guide/search', pages: ['guide/search/more'] },
            { group: 'Hot', expanded: true, pages: ['guide/tea', 'guide/cold'] },
          ],
        },
        'links/shop',
      ],
    })
    expect(site.text('guide/tea.mdx')).toContain('sidebarTitle: Tea, hot')
  })

  it('has its components as ours', () => {
    const tea = site.text('guide/tea.mdx')
    expect(tea).toContain('<Danger>Hot</Danger>')
    expect(tea).toContain('<Tab title="npm">one</Tab>')
    expect(tea).toContain('<Tab title="yarn">two</Tab>')
    expect(tea).toContain('<Step title="Fill">')
  })

  it('puts a tree around entries whose own component stayed behind', () => {
    expect(site.text('guide/tea.mdx')).toContain('{/* <Pots> */}\n<Tree>\n  <Tree.File name="pot.md" />\n</Tree>')
  })
})

it('makes a site of a folder of Markdown, by its folders', async () => {
  const site = await imported({
    'README.md': '# Kettle\n\nSee [tea](guide/tea.md) and ![pot](pot.png)\n',
    'LICENSE.md': 'MIT\n',
    'pot.png': 'x',
    'guide/README.md': '# The guide\n',
    'guide/tea.md': '# Tea\n',
  })
  expect([site.framework, site.settings['name']]).toEqual(['plain', 'Kettle'])
  expect(site.settings.navigation).toEqual({
    pages: ['index', { group: 'The guide', root: 'guide', pages: ['guide/tea'] }],
  })
  expect(site.text('index.md')).toContain('See [tea](/guide/tea) and ![pot](/pot.png)')
})

it('knows mdBook by its settings, and pastes what pages include', async () => {
  const site = await imported({
    'book.toml': '[book]\ntitle = "Kettle book"\n\n[output.html.redirect]\n"/old.html" = "tea.html"\n',
    'src/SUMMARY.md':
      '# Summary\n\n[Preface](preface.md)\n\n# Brewing\n\n- [Tea](tea.md)\n  - [Green](tea/green.md)\n- [To be written]()\n',
    'src/preface.md': '# Preface\n',
    'src/tea.md': '# Tea\n\n```rust\n{{#include code.rs:pour}}\n```\n\n{{#include gone.md}}\n',
    'src/tea/green.md': '# Green\n',
    'src/draft.md': '# Draft\n',
    'src/code.rs': 'fn a() {}\n// ANCHOR: pour\nfn pour() {}\n// ANCHOR_END: pour\n',
  })
  expect(site.framework).toBe('mdbook')
  expect(site.settings['name']).toBe('Kettle book')
  expect(site.settings.navigation).toEqual({
    pages: [
      'index',
      { group: 'Brewing', expanded: true, pages: [{ group: 'Tea', root: 'tea', pages: ['tea/green'] }] },
    ],
  })
  expect(site.text('tea/index.md')).toContain('```rust\nfn pour() {}\n```')
  expect(site.settings.redirects).toEqual([{ source: '/old', destination: '/tea' }])
  expect(site.left).toContainEqual(expect.objectContaining({ message: 'It includes gone.md, which is not there.' }))
})
