import { describe, expect, it } from 'vitest'
import type { DocumentContext } from '#contract/release.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { atOnce } from '#test/support/at-once.ts'
import { inProcessPool } from '#test/support/site/support/fake-pool.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { sampleOptions } from '#test/support/site/theme/sample.ts'

const textOf = (bytes: Uint8Array = Buffer.alloc(0)): string => Buffer.from(bytes).toString()

/** A site of three pages, the one in the middle with this front matter; its document, and what else there is of it. */
async function page(fields: string, settings: object = {}, context: DocumentContext = {}) {
  const project = new TestProject(inProcessPool())
  const { errors } = await project.build({
    'index.mdx': '# Start',
    'guide.mdx': `---\ntitle: Guide\n${fields}\n---\n\nAbout quinces.`,
    'end.mdx': '# End',
    'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['index', 'guide', 'end'] }, ...settings }),
  })
  expect(errors).toEqual([])
  const { shell = '', routes = {} } = project.last ?? {}
  const route = routes['/guide']
  const opened = atOnce(createComposer(sampleOptions).open(project.blobs.get(shell) ?? Buffer.alloc(0)))
  const bytes = project.blobs.get(route?.kind === 'page' ? route.blob : '') ?? Buffer.alloc(0)
  const parts = Object.entries(routes).filter(
    ([path, file]) =>
      path.startsWith('/_quire/search') &&
      file.kind === 'file' &&
      textOf(project.blobs.get(file.blob)).includes('quince'),
  )
  const sitemap = routes['/sitemap.xml']
  return {
    html: opened.page(bytes, '/guide', { source: 'guide.mdx', ...context }).html,
    updated: route?.kind === 'page' ? route.updated : undefined,
    isSearched: parts.length > 0,
    sitemap: sitemap?.kind === 'file' ? textOf(project.blobs.get(sitemap.blob)) : '',
  }
}

const isDated = (html: string): boolean => html.includes('<time datetime=')
const changed = { updated: Date.UTC(2026, 0, 2) / 1000 }

describe('a page with front matter', () => {
  it('names the address that search engines are to keep', async () => {
    const elsewhere = await page('canonical: https://docs.example/latest/guide')
    expect(elsewhere.html).toContain('<link rel="canonical" href="https://docs.example/latest/guide">')
    const here = await page('canonical: /v2/guide', { seo: { metatags: { canonical: 'https://a.example' } } })
    expect(here.html).toContain('<link rel="canonical" href="https://a.example/v2/guide">')
  })

  it('says when it was changed, or does not, whatever the site does', async () => {
    const silent = { metadata: { timestamp: false } }
    expect(isDated((await page('', {}, changed)).html)).toBe(true)
    expect(isDated((await page('timestamp: false', {}, changed)).html)).toBe(false)
    expect(isDated((await page('', silent, changed)).html)).toBe(false)
    expect(isDated((await page('timestamp: true', silent, changed)).html)).toBe(true)
  })

  it('was changed on the day that its author names', async () => {
    const { updated, sitemap } = await page('lastUpdatedDate: "2026-08-13"')
    expect(updated).toBe(Date.UTC(2026, 7, 13) / 1000)
    expect(sitemap).toContain('<lastmod>2026-08-13</lastmod>')
    expect((await page('lastUpdatedDate: 2026-08-13T10:00:00Z')).updated).toBe(Date.UTC(2026, 7, 13, 10) / 1000)
  })

  it('leaves out the ways to its neighbours', async () => {
    expect((await page('')).html).toContain('q-pager')
    expect((await page('hideFooterPagination: true')).html).not.toContain('q-pager')
  })

  it('is not searched, and stays in navigation and sitemap', async () => {
    expect((await page('')).isSearched).toBe(true)
    const { html, isSearched, sitemap } = await page('searchable: false')
    expect(isSearched).toBe(false)
    expect(html).toContain('href="/guide"')
    expect(sitemap).toContain('/guide</loc>')
  })

  it('has a menu of its own, or none', async () => {
    const { html } = await page('contextual:\n  options: [download-pdf, add-mcp]')
    expect(html).toContain('data-print')
    expect(html).toContain('data-copy-text="npx add-mcp https://acme.example/mcp"')
    expect(html).not.toContain('data-copy-page')
    expect((await page('contextual:\n  options: []')).html).not.toContain('q-actions')
  })

  it('of an operation stands in the sidebar without its method', async () => {
    const api = 'openapi: "GET /quinces"'
    expect((await page(api)).html).toContain('q-method')
    expect((await page(`${api}\nhideApiMarker: true`)).html.split('<main')[0]).not.toContain('q-method')
  })
})

it('tells first of pages that are restricted elsewhere and not here, however much else there is to tell', async () => {
  const project = new TestProject(inProcessPool())
  const pictures = Array.from({ length: 90 }, (_, index) => `![](/${index}.png)`).join('\n\n')
  const pages = Array.from({ length: 12 }, (_, index) => [`a${index}.mdx`, pictures])
  const { warnings } = await project.build({
    ...(Object.fromEntries(pages) as Record<string, string>),
    'z.mdx': '---\ngroups: [staff]\n---\n\nSalaries',
  })
  expect(warnings.length).toBeGreaterThan(1000)
  expect(warnings[0]).toMatchObject({ rule: 'page-unrestricted', path: 'z.mdx', line: 2 })
})
