import { describe, expect, it } from 'vitest'
import { imported, said } from './support.ts'

describe('features of pages of Docusaurus', async () => {
  const page = `---
title: Features
tags: [tea]
---

import Tabs from '@theme/Tabs'
import TabItem from '@theme/TabItem'
import CodeBlock from '@theme/CodeBlock'
import ThemedImage from '@theme/ThemedImage'
import TOCInline from '@theme/TOCInline'
import useBaseUrl from '@docusaurus/useBaseUrl'
import Source from '!!raw-loader!./boil.js'

<TOCInline toc={toc} />

<Tabs defaultValue="linux" groupId="os">
<TabItem value="mac" label="macOS">

<Tabs><TabItem value="arm">ARM</TabItem></Tabs>

</TabItem>
<TabItem value="linux" label="Linux">Text</TabItem>
</Tabs>

\`\`\`bash npm2yarn
npm install kettle
\`\`\`

\`\`\`ts
// file: types.ts noEmit
export type Water = unknown
// file: pot.ts
import type { Water } from './types'
\`\`\`

<CodeBlock language="js" title="boil.js" showLineNumbers>{Source}</CodeBlock>

<ThemedImage alt="Pot" sources={{ light: useBaseUrl('/img/day.png'), dark: useBaseUrl('/img/night.png') }} />

![Pot](/img/night.png#gh-dark-mode-only)

Ready :rocket: at 10:20:30, says {frontMatter.title}, in \`:rocket:\`.
`
  const site = await imported({
    'docusaurus.config.js': `export default {
      title: 'Kettle',
      markdown: { format: 'detect' },
      presets: [['classic', { docs: { sidebarPath: './sidebars.js' }, blog: false, gtag: { trackingID: 'G-TEA1234' } }]],
      plugins: [['@docusaurus/plugin-client-redirects', { fromExtensions: ['html'], createRedirects() { return [] } }]],
      themeConfig: {
        image: 'img/card.png',
        navbar: { items: [
          { to: '/docs/features', label: 'Features' },
          { to: '/shop', label: 'Shop' },
          { label: 'Community', items: [{ label: 'Chat', href: 'https://chat.example.com' }] },
        ] },
        footer: { copyright: '© Kettle' },
      },
    }`,
    'sidebars.js': `module.exports = { docs: ['features', { type: 'category', label: 'Tea', link: { type: 'doc', id: 'tea/index' }, items: ['tea/green'] }] }`,
    'static/img/day.png': 'x',
    'static/img/night.png': 'x',
    'docs/features.mdx': page,
    'docs/boil.js': 'boil()\n',
    'docs/plain.md': '---\nhide_title: true\n---\n\n# Plain\n\nBraces {are} braces.\n',
    'docs/tea/index.mdx': `---\ntitle: Tea\n---\n\nimport DocCardList from '@theme/DocCardList'\n\n<DocCardList />\n`,
    'docs/tea/green.md': '---\ntitle: Green\ndescription: At 80 degrees\n---\n\nText\n',
  })
  const features = site.text('docs/features.mdx')

  it('shows the tab first that was first, and knows the tabs of a group from those within them', () => {
    expect(features).toContain('<Tabs defaultTabIndex={1}>\n<Tab title="macOS">')
    expect(features).toContain('<Tabs><Tab title="arm">ARM</Tab></Tabs>')
  })

  it('gives commands of npm in every package manager', () => {
    expect(features).toContain('```bash title="npm"\nnpm install kettle\n```')
    expect(features).toContain('```bash title="pnpm"\npnpm add kettle\n```')
    expect(features).toContain('</CodeGroup>')
  })

  it('leaves files out of code that are there for the types of the others', () => {
    expect(features).toContain(`\`\`\`ts title="pot.ts"\nimport type { Water } from './types'\n\`\`\``)
    expect(features).not.toContain('unknown')
  })

  it('puts code in that a page imports as text', () => {
    expect(features).toContain('```js title="boil.js" lines\nboil()\n```')
  })

  it('shows a picture for each theme', () => {
    expect(features).toContain('<img className="block dark:hidden" src="/img/day.png" alt="Pot" />')
    expect(features).toContain('<img className="hidden dark:block" src="/img/night.png" alt="Pot" />')
    expect(features).toContain('<img class="hidden dark:block" src="/img/night.png" alt="Pot" />')
  })

  it('writes emoji for their names, and values of front matter, but not in code', () => {
    expect(features).toContain('Ready 🚀 at 10:20:30, says Features, in `:rocket:`.')
  })

  it('lists the pages of a category as cards', () => {
    expect(site.text('docs/tea/index.mdx')).toContain(
      '<CardGroup cols={2}>\n\n<Card title="Green" href="/docs/tea/green" description="At 80 degrees" />\n\n</CardGroup>',
    )
  })

  it('leaves braces alone where a site says that its .md files are Markdown', () => {
    expect(site.text('docs/plain.md')).toBe('---\ntitle: Plain\n---\n\nBraces {are} braces.\n')
  })

  it('carries analytics, the card, links and menus of the bar, and redirects by ending', () => {
    expect(site.settings).toMatchObject({
      integrations: { ga4: { measurementId: 'G-TEA1234' } },
      seo: { metatags: { 'og:image': '/img/card.png' } },
      navbar: { links: [{ label: 'Features', href: '/docs/features' }] },
      footer: { links: [{ header: 'Community', items: [{ label: 'Chat', href: 'https://chat.example.com' }] }] },
    })
    expect(site.settings.redirects).toContainEqual({ source: '/docs/features.html', destination: '/docs/features' })
  })

  it('says what it left out, with file and line', () => {
    expect(said(site)).toMatch(/component docs\/features\.mdx:14 `<TOCInline>` was left out/)
    expect(said(site)).toMatch(/markup docs\/features\.mdx:1 `tags` of front matter/)
    expect(said(site)).not.toContain('hide_title')
    expect(said(site)).toMatch(/navigation docusaurus\.config\.js: The bar at the top leads to \/shop \(Shop\)/)
    expect(said(site)).toMatch(/redirect docusaurus\.config\.js: Redirects that `createRedirects` makes/)
    expect(said(site)).toMatch(/theme docusaurus\.config\.js: The copyright/)
  })
})
