import { expect, it, describe } from 'vitest'
import { imported } from './support.ts'

const files = {
  'astro.config.mjs': `
import { defineConfig } from 'astro/config'
import starlight from '@astrojs/starlight'
export default defineConfig({
  redirects: { '/begin': '/start/' },
  integrations: [starlight({
    title: 'Kettle',
    locales: { root: { label: 'English', lang: 'en' }, de: { label: 'Deutsch', lang: 'de' } },
    sidebar: [
      { label: 'Guide', translations: { de: 'Anleitung' }, items: ['start', { label: 'Shop', link: 'https://shop.example.com' }] },
      { label: 'Reference', collapsed: true, items: [{ autogenerate: { directory: 'reference' } }] },
    ],
  })],
})`,
  'src/content/docs/index.mdx': '---\ntitle: Kettle\ntemplate: splash\nhero:\n  tagline: Boils\n---\n',
  'src/content/docs/start.mdx': `---
title: Start
---
import { Steps, FileTree, Aside, Card, CardGrid, LinkCard, Tabs, TabItem } from '@astrojs/starlight/components'
import Preview from '~/components/preview.astro'

<Steps>

1. Fill the \`kettle\`:

   \`\`\`sh ins={2} "water"
   open lid
   pour water
   \`\`\`

2. Boil it.

</Steps>

- In a list:

  <FileTree>

  - src/
    - **pot.ts** the pot
  - README.md

  </FileTree>

<Aside type="caution" title="Hot">Mind your [hands](/reference/lid/).</Aside>

<CardGrid><Card title="Tea" icon="open-book">Green</Card></CardGrid>

<LinkCard title="Lid" href="/reference/lid/" description="What closes it" />

<Preview><Tabs><TabItem label="One">1</TabItem></Tabs></Preview>

![pot](../../assets/pot.png)
`,
  'src/content/docs/reference/lid.md': '---\ntitle: Lid\nsidebar:\n  order: 2\n---\n\n:::note\nText\n:::\n',
  'src/content/docs/reference/pot.md': '---\ntitle: The pot\nsidebar:\n  order: 1\n  label: Pot\n  badge: New\n---\n',
  'src/content/docs/de/start.mdx': '---\ntitle: Anfang\n---\n',
  'src/assets/pot.png': 'x',
}

describe('a site of Starlight', async () => {
  const site = await imported(files)

  it('has its sidebar in each language, folders in their order', () => {
    expect(site.settings.navigation).toEqual({
      languages: [
        {
          language: 'en',
          default: true,
          groups: [
            { group: 'Guide', expanded: true, pages: ['start', 'links/shop'] },
            { group: 'Reference', pages: ['reference/pot', 'reference/lid'] },
          ],
        },
        {
          language: 'de',
          groups: [
            { group: 'Anleitung', expanded: true, pages: ['de/start', 'links/shop'] },
            { group: 'Reference', pages: ['reference/pot', 'reference/lid'] },
          ],
        },
      ],
    })
    expect(site.text('reference/pot.md')).toMatch(/title: The pot\nsidebarTitle: Pot\ntag: New\n/)
  })

  it('leads from addresses of pages that were never translated', () => {
    expect(site.settings.redirects).toContainEqual({ source: '/de/reference/lid', destination: '/reference/lid' })
    expect(site.settings.redirects).toContainEqual({ source: '/begin', destination: '/start' })
  })

  it('turns its components into ours, within lists, too', () => {
    const page = site.text('start.mdx')
    expect(page).toContain('<Step title="Fill the kettle">\n\n```sh\nopen lid\npour water # [!code ++]\n```\n\n</Step>')
    expect(page).toContain(
      '  <Tree>\n    <Tree.Folder name="src" defaultOpen>\n      <Tree.File name="pot.ts" comment="the pot" />',
    )
    expect(page).toContain('<Warning title="Hot">Mind your [hands](/reference/lid).</Warning>')
    expect(page).toContain('<CardGroup cols={2}><Card title="Tea" icon="book-open">Green</Card></CardGroup>')
    expect(page).toContain('<Card title="Lid" href="/reference/lid">What closes it</Card>')
    expect(page).toContain('<Tabs><Tab title="One">1</Tab></Tabs>')
    expect(page).toContain('![pot](/assets/src/assets/pot.png)')
    expect(site.text('reference/lid.mdx')).toContain('<Note>')
    expect(site.left.map(({ message }) => message).join('\n')).toMatch(/<Preview>.*what stands in it stays/)
  })
})

describe('features of pages of Starlight', async () => {
  const site = await imported({
    'astro.config.mjs': `import starlight from '@astrojs/starlight'
export default { integrations: [starlight({ title: 'Kettle', head: [{ tag: 'script', attrs: { src: 'https://plausible.io/js/script.js', 'data-domain': 'kettle.example' } }] })] }`,
    'src/assets/pot.png': 'x',
    'src/content/docs/index.mdx': `---
title: Kettle
banner: { content: 'We <a href="/page/">moved</a>' }
hero: { tagline: Hot, image: { file: ../../assets/pot.png } }
---

Text
`,
    'src/content/docs/page.mdx': `---
title: Page
---

import { Code, LinkButton } from '@astrojs/starlight/components'
import { Image } from 'astro:assets'
import { PackageManagers } from 'starlight-package-managers'
import { YouTube } from 'astro-embed'
import pot from '../../assets/pot.png'
import source from './boil.js?raw'

<Image src={pot} alt="A pot" width={200} />

<Code code={source} lang="js" />

<PackageManagers pkg="kettle" dev />

<YouTube id="abcdefghijk" />

<LinkButton href="/page/">Go</LinkButton>

:::tip[Hot]{icon="heart"}
Text
:::

\`\`\`js ins={4} {3}
// src/boil.js

boil()
pour()
\`\`\`

\`\`\`diff lang="js"
+ hot
- cold
\`\`\`

> In a quote
>
> \`\`\`js title="a.js"
> a
> \`\`\`

- In a list

  \`\`\`diff lang="ts"
    boil({
  +   hot: true,
  +
    })
  \`\`\`

\`\`\`js {"1":2}
one
two
\`\`\`
`,
    'src/content/docs/boil.js': 'boil()\n',
  })
  const page = site.text('page.mdx')

  it('shows pictures and videos of components, and code that is imported', () => {
    expect(page).toContain('<img src="/assets/src/assets/pot.png" alt="A pot" width={200} />')
    expect(page).toContain('src="https://www.youtube-nocookie.com/embed/abcdefghijk"')
    expect(page).toContain('```js\nboil()\n```')
    expect(page).toContain('<Tip title="Hot" icon="heart">')
    expect(page).toMatch(/<a className="[^"]+" href="\/page">Go<\/a>/)
  })

  it('gives the commands of package managers', () => {
    expect(page).toContain('```bash title="yarn"\nyarn add --dev kettle\n```')
  })

  it('takes the name of a file from its first comment, and marks lines that changed', () => {
    expect(page).toContain('```js title="src/boil.js" {1}\nboil()\npour() // [!code ++]\n```')
    expect(page).toContain('hot // [!code ++]')
    expect(page).toContain('cold // [!code --]')
    expect(page).toContain('> ```js title="a.js"\n> a\n> ```\n\n- In')
    expect(page).toContain('  ```ts\n  boil({\n    hot: true, // [!code ++]\n\n  })\n  ```')
    expect(page).toContain('```js {2}\none\ntwo\n```')
  })

  it('keeps the banner and the picture of a first page', () => {
    expect(site.text('index.mdx')).toContain('> [!NOTE]\n> We <a href="/page">moved</a>')
    expect(site.text('index.mdx')).toContain('<img src="/assets/src/assets/pot.png" alt="" width="320" />')
    expect(site.settings).toMatchObject({ integrations: { plausible: { domain: 'kettle.example' } } })
  })
})
