import { describe, expect, it } from 'vitest'
import type { DocumentContext } from '#contract/release.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { atOnce } from '#test/support/at-once.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { sampleOptions } from '#test/support/site/theme/sample.ts'

/** The page `/guide` of a site with these settings. */
async function page(settings: object = {}, context: DocumentContext = {}) {
  const project = new TestProject()
  const { errors, warnings } = await project.build({
    'guide/index.mdx': '# Guide',
    'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['guide/index'] }, ...settings }),
  })
  const shell = project.blobs.get(project.last?.shell ?? '')
  const route = project.last?.routes['/guide']
  const artifact = project.blobs.get(route?.blob ?? '')
  const html =
    shell === undefined || artifact === undefined
      ? ''
      : atOnce(createComposer(sampleOptions).open(shell)).page(artifact, '/guide', context).html
  return { html, route, messages: [...errors, ...warnings].map(({ message }) => message) }
}

const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a class="q-menu-link" href="([^"]*)"/g)].map(([, href = '']) => decodeURIComponent(href))

describe('the menu of a page', () => {
  it('copies the page, shows its Markdown and takes it to a model, where docs.json says nothing', async () => {
    const { html } = await page()
    expect(html).toContain('data-copy-page="/guide.md"')
    const [view, claude, chatgpt, ...others] = linksOf(html)
    expect(view).toBe('/guide.md')
    expect(claude).toMatch(/^https:\/\/claude\.ai\/new\?q=.*https:\/\/acme\.example\/guide\.md/)
    expect(chatgpt).toMatch(/^https:\/\/chatgpt\.com\/.*https:\/\/acme\.example\/guide\.md/)
    expect(others).toEqual([])
  })

  it('has the options of docs.json in their order, and links of the site’s own', async () => {
    const { html, messages } = await page({
      contextual: {
        options: [
          'vscode',
          'devin',
          { title: 'Ask <us>', description: 'On the forum', href: 'https://forum.example/new?page=$path' },
          { title: 'Find', href: { base: 'https://find.example', query: [{ key: 'q', value: 'about $page' }] } },
          'view',
        ],
      },
    })
    expect(html).not.toContain('data-copy-page')
    expect(linksOf(html)).toEqual([
      'https://vscode.dev/redirect/mcp/install?name=Site&amp;config={"type":"http","url":"https://acme.example/mcp"}',
      'https://forum.example/new?page=/guide',
      'https://find.example?q=about https://acme.example/guide.md',
      '/guide.md',
    ])
    expect(html).toContain('Ask &lt;us&gt;<small>On the forum</small>')
    expect(messages).toEqual([expect.stringContaining('"devin" is not in the page menu here; it would open the page')])
  })

  it('is not there where docs.json wants none, and leads no model to a preview', async () => {
    expect((await page({ contextual: { options: [] } })).html).not.toContain('q-actions')
    expect(linksOf((await page({}, { preview: 'r1' })).html)).toEqual(['/guide.md'])
  })

  it('refuses links that run scripts', async () => {
    const { messages } = await page({ contextual: { options: [{ title: 'X', href: 'javascript:alert(1)' }] } })
    expect(messages).toEqual([expect.stringContaining('is refused')])
  })
})

describe('the foot of a page', () => {
  const source = 'guide/index.mdx'

  it.each([
    ['https://github.com/acme/docs', 'https://github.com/acme/docs/edit/main/guide/index.mdx'],
    [
      { url: 'https://gitlab.com/acme/docs.git', branch: 'v2/next', directory: '/site/' },
      'https://gitlab.com/acme/docs/-/edit/v2/next/site/guide/index.mdx',
    ],
    [
      { url: 'https://git.example.com/docs', edit: 'https://git.example.com/e?f={path}' },
      'https://git.example.com/e?f=guide/index.mdx',
    ],
  ])('leads to where the repository %j edits the file', async (repository, href) => {
    expect((await page({ repository }, { source })).html).toContain(`href="${href}"`)
  })

  it('leads from a preview to the editor of its branch', async () => {
    const context = { source, preview: 'r1', editor: 'https://app.example/edit/' }
    const { html } = await page({ repository: 'https://github.com/acme/docs' }, context)
    expect(html).toContain('href="https://app.example/edit/guide/index.mdx"')
    expect(html).not.toContain('docs/edit/main')
  })

  it('leads to a new issue with the name and the address of the page', async () => {
    const { html } = await page({ repository: 'https://github.com/acme/docs' }, { source })
    expect(html).toContain(
      'href="https://github.com/acme/docs/issues/new?title=Guide&amp;body=https%3A%2F%2Facme.example%2Fguide"',
    )
  })

  it('says of a host that it does not know, and of what is no address, what to do', async () => {
    expect((await page({ repository: 'https://git.example.com/docs' })).messages).toEqual([
      expect.stringContaining('Add "edit"'),
    ])
    expect((await page({ repository: 'git@github.com:acme/docs' })).messages).toEqual([
      expect.stringContaining('must be the https address'),
    ])
  })

  it('names the day of the last change in the language of the page, and the time for machines', async () => {
    const updated = Date.UTC(2026, 2, 9, 23, 30) / 1000
    const { html } = await page({ language: 'de' }, { updated })
    expect(html).toContain('Zuletzt geändert: <time datetime="2026-03-09T23:30:00.000Z">9. März 2026</time>')
    expect(html).toContain('<meta property="article:modified_time" content="2026-03-09T23:30:00.000Z">')
    expect((await page()).html).not.toContain('<time')
  })
})

it('a route tells how its source is named where its path does not', async () => {
  expect((await page()).route).toMatchObject({ ending: '/index.mdx' })
})
