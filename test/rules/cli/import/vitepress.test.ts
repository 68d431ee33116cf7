import { describe, expect, it } from 'vitest'
import { imported, said } from './support.ts'

const files = {
  'docs/.vitepress/config.mts': `
import { defineConfig } from 'vitepress'
import { version } from './meta.js'
import guide from './guide.json' with { type: 'json' }
const shared = { socialLinks: [{ icon: 'github', link: 'https://github.com/kettle/kettle' }] }
export default defineConfig({
  title: \`Kettle \${version}\`,
  description: 'Boils water',
  themeConfig: {
    ...shared,
    logo: '/logo.svg',
    nav: [{ text: 'Handbook', link: '/guide/' }, { text: 'Shop', link: 'https://shop.example.com' }, { text: 'More', items: [{ text: 'Chat', link: 'https://chat.example.com' }] }],
    sidebar: {
      '/guide/': guide,
      '/config/': [{ text: 'Options', items: [{ text: 'All', link: '/config/' }] }],
    },
    when: new Date(),
  },
})`,
  'docs/.vitepress/meta.js': `export const version = 'v' + [1, 2].join('.')`,
  'docs/.vitepress/guide.json': JSON.stringify([
    {
      text: 'Start',
      items: [
        { text: 'Why', link: '/guide/why' },
        { text: 'First cup', link: '/guide/' },
        { text: 'Options', link: '/config/' },
      ],
    },
  ]),
  'docs/.vitepress/theme/style.css': ':root { --vp-c-brand-1: #aa3311; }',
  'docs/public/logo.svg': '<svg/>',
  'docs/code/cup.ts': '// #region cup\nexport const cup = 1\n// #endregion cup\nconst rest = 2\n',
  'docs/parts/hint.md': 'A hint.\n',
  'docs/index.md': `---
layout: home
hero:
  name: Kettle
  text: Water, boiled
  tagline: In a minute
  actions:
    - { text: Begin, link: /guide/ }
features:
  - { title: Fast, details: Very. }
---
`,
  'docs/guide/index.md': `---
drink: tea
---
<script setup>
import Chart from './Chart.vue'
</script>

# First cup

A {brace}, a Map<string, T>, <br> and {{ $frontmatter.drink }}.

::: tip Warm it
Use the [options](../config/index.md#pot-lid).
:::

::: details More
Hidden
:::

::: code-group
\`\`\`sh [npm]
npm i kettle
\`\`\`
\`\`\`sh [yarn]
yarn add kettle
\`\`\`
:::

\`\`\`ts{2}:line-numbers [cup.ts]
const a = 1
const b = 2
\`\`\`

<<< ../code/cup.ts#cup{1}

<!--@include: ../parts/hint.md-->

<Badge type="warning" text="new" />

<Chart :data="x" />

    indented code
`,
  'docs/guide/why.md':
    '# Why\n\n> [!NOTE]\n> Plain Markdown stays as it is, {braces} and <br> too.\n\n<img src="/logo.svg" alt="Logo">\n',
  'docs/config/index.md': '# Options\n\n## pot.lid\n\nText\n',
}

describe('a site of VitePress', async () => {
  const site = await imported(files)

  it('makes tabs of its sidebars, with the names of the bar at the top', () => {
    expect(site.settings.navigation).toEqual({
      tabs: [
        { tab: 'Handbook', groups: [{ group: 'Start', pages: ['guide/why', 'guide', 'links/options'] }] },
        { tab: 'Config', groups: [{ group: 'Options', pages: ['config'] }] },
      ],
    })
    // The page has another sidebar, where it is called something else.
    expect(site.text('links/options.mdx')).toContain('url: "/config/"')
    expect(site.text('config.md')).toMatch(/title: Options\nsidebarTitle: All\n/)
  })

  it('reads settings without running them: imports, spreads, templates', () => {
    expect(site.settings).toMatchObject({
      name: 'Kettle v1.2',
      colors: { primary: '#aa3311' },
      logo: { light: '/logo.svg' },
      footer: {
        socials: { github: 'https://github.com/kettle/kettle' },
        links: [{ header: 'More', items: [{ label: 'Chat', href: 'https://chat.example.com' }] }],
      },
      navbar: { links: [{ label: 'Shop', href: 'https://shop.example.com' }] },
    })
    expect(site.left).toContainEqual(
      expect.objectContaining({
        kind: 'config',
        path: 'docs/.vitepress/config.mts',
        line: 17,
        message: expect.stringContaining('`when`'),
      }),
    )
  })

  it('keeps addresses with .html, which pages had', () => {
    expect(site.settings.redirects).toContainEqual({ source: '/guide/why.html', destination: '/guide/why' })
  })

  it('makes MDX of a page with containers: what is no MDX in it is escaped', () => {
    const page = site.text('guide/index.mdx')
    expect(page).toContain('A \\{brace}, a Map\\<string, T>, <br /> and tea.')
    expect(page).toContain('<Tip title="Warm it">\n\nUse the [options](/config#pot-lid).\n\n</Tip>')
    expect(page).toContain('<Accordion title="More">')
    expect(page).toContain('<CodeGroup>\n\n```sh title="npm"\nnpm i kettle\n```')
    expect(page).toContain('```ts title="cup.ts" {2} lines\n')
    expect(page).toContain('```ts {1}\nexport const cup = 1\n```')
    expect(page).toContain('\nA hint.\n')
    expect(page).toContain('<Badge color="yellow">new</Badge>')
    expect(page).toContain('{/* <Chart /> */}')
    expect(page).toContain('```\nindented code\n```')
    expect(page).not.toContain('script')
  })

  it('leaves a page of plain Markdown Markdown, and gives headings the ids that they had', () => {
    expect(site.text('guide/why.md')).toBe(
      '---\ntitle: Why\n---\n\n> [!NOTE]\n> Plain Markdown stays as it is, {braces} and <br> too.\n\n<img src="/logo.svg" alt="Logo">\n',
    )
    expect(site.text('config.md')).toContain('## pot.lid {#pot-lid}')
  })

  it('makes a page of the hero and its features', () => {
    const home = site.text('index.mdx')
    expect(home).toContain('title: Water, boiled')
    expect(home).toMatch(/<a class="[^"]*" href="\/guide">Begin<\/a>/)
    expect(home).toContain('<Card title="Fast">\n\nVery.\n\n</Card>')
  })
})

describe('features of pages of VitePress', async () => {
  const site = await imported({
    '.vitepress/config.js': `export default {
      title: 'Kettle', cleanUrls: true, markdown: { lineNumbers: true, math: true },
      head: [['script', { src: 'https://www.googletagmanager.com/gtag/js?id=G-TEA1234' }], ['script', { src: 'https://example.com/x.js' }]],
      transformPageData() {},
      themeConfig: { footer: { message: 'Hot' } },
    }`,
    'index.md': `---
layout: home
hero: { name: Kettle, image: { light: /day.svg, dark: /night.svg, alt: Pot } }
features: [{ title: Quick, icon: 🚀, details: Very }, { title: Safe, icon: { src: /safe.svg }, details: Off }]
---
`,
    'public/day.svg': '<svg/>',
    'public/night.svg': '<svg/>',
    'public/safe.svg': '<svg/>',
    'parts.md': '# Parts\n\n## Usage\n\nUse it.\n\n### More\n\nText\n\n## Other\n\nNo\n',
    'page.md': `# Page

[[toc]]

::: details Why {open}
Because
:::

::: v-pre
Written {{ so }}
:::

<!--@include: ./parts.md#usage-->

[Link](/pure.html){target="_self"} and ![Pot](/day.svg){width=40} and :tada:

\`\`\`ts-vue{1}
a
\`\`\`

\`\`\`ts:no-line-numbers twoslash
// @errors: 2322
const a = 1
// ---cut---
const b = a
//    ^?
\`\`\`
`,
  })
  const page = site.text('page.mdx')

  it('opens details that were open, and takes braces of v-pre as braces', () => {
    expect(page).toContain('<Accordion title="Why" defaultOpen>')
    expect(page).toContain('Written &#123;&#123; so &#125;&#125;')
  })

  it('includes the part of a file below a heading', () => {
    expect(page).toContain('## Usage\n\nUse it.\n\n### More\n\nText')
    expect(page).not.toContain('Other')
  })

  it('leaves attributes out, and keeps the size of pictures', () => {
    expect(page).toContain('[Link](/pure.html) and <img src="/day.svg" alt="Pot" width="40" /> and 🎉')
  })

  it('numbers lines where the site does, and takes out what twoslash alone reads', () => {
    expect(page).toContain('```ts {1} lines\na\n```')
    expect(page).toContain('\nconst b = a\n```')
    expect(page).not.toMatch(/@errors|\^\?|const a = 1/)
  })

  it('makes a first page with its pictures in both themes and the icons of its features', () => {
    const home = site.text('index.mdx')
    expect(home).toContain('<img class="block dark:hidden" src="/day.svg" alt="Pot" width="320" />')
    expect(home).toContain('<Card title="🚀 Quick">')
    expect(home).toContain('<Card title="Safe" icon="/safe.svg">')
  })

  it('carries analytics, and says which script, code and words it left out', () => {
    expect(site.settings).toMatchObject({ integrations: { ga4: { measurementId: 'G-TEA1234' } } })
    expect(said(site)).toMatch(/A script of the head is not loaded: https:\/\/example\.com\/x\.js/)
    expect(said(site)).toMatch(/Code that runs when pages are built was left out: transformPageData/)
    expect(said(site)).toMatch(/The words at the foot of pages were left out/)
    expect(said(site)).toMatch(/markup page\.md:3 Lists of contents/)
    expect(said(site)).not.toContain('`markdown` changes')
  })

  it('ends where parts of pages include each other, and reads no file beside the folder', async () => {
    const again = '<!--@include: ./again.md-->\n'
    const circle = await imported({
      ...files,
      'docs/guide/circle.md': `# Circle\n\n${again}${again}\n<!--@include: ../../../../../../etc/hostname-->\n\nEnd.\n`,
      'docs/guide/again.md': `Tea.\n\n${again}${again}`,
    })
    expect(circle.text('guide/circle.md')).toContain('Tea.')
    expect(circle.text('guide/circle.md')).toContain('End.')
    expect(said(circle)).toMatch(/include docs\/guide\/circle\.md:.* more than 8 deep/)
    expect(said(circle)).toMatch(/etc\/hostname, which is not there/)
  })
})
