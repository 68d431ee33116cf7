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
    expect(tea).toContain('[green](/guide/green)')
    expect(tea).toContain('<img src="/assets/pot.png" alt="" />')
  })
})

describe('a site of Nextra', async () => {
  const site = await imported({
    'next.config.mjs': 'export default {}',
    'content/_meta.tsx': `export default { index: 'Welcome', guide: 'Brewing', '---': { type: 'separator' }, _1: { title: <Out>Shop&thinsp;<Arrow /></Out>, href: 'https://shop.example.com' }, secret: { display: 'hidden' } }`,
    'content/guide/_meta.js': `export default { tea: 'Tea, hot' }`,
    'content/index.mdx': '# Kettle\n',
    'content/secret.mdx': '# Secret\n',
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
`,
  })

  it('has the order and names of its meta files', () => {
    expect(site.settings.navigation).toEqual({
      pages: ['index', { group: 'Brewing', pages: ['guide/tea', 'guide/cold'] }, 'links/shop'],
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
