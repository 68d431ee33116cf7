import { describe, expect, test } from 'vitest'
import { TestProject } from '#test/support/site/support/project.ts'

const config = (value: object) => JSON.stringify({ name: 'Docs', ...value })

const files = {
  'docs.json': config({ description: 'About', navigation: { pages: ['index', 'a b', 'hidden', 'noindex'] } }),
  'index.md': '---\ntitle: Home [x]\ndescription: First\n---\n',
  'a b.md': '---\ntitle: Second & more\n---\n',
  'hidden.md': '---\nhidden: true\n---\n',
  'noindex.md': '---\nnoindex: true\n---\n',
  'outside.md': '# Outside navigation',
}

describe('what machines read', () => {
  test('llms.txt and the sitemap name the pages of navigation that are not hidden', async () => {
    const project = new TestProject()
    await project.build(files)
    expect(project.text('/llms.txt')).toBe(
      '# Docs\n\n> About\n\nAll of these pages in one text: https://acme.example/llms-full.txt. Agents search and read them at https://acme.example/mcp (Model Context Protocol, Streamable HTTP).\n\n## Docs\n\n- [Home \\[x\\]](https://acme.example/index.md): First\n- [Second & more](https://acme.example/a%20b.md)\n',
    )
    expect(project.text('/sitemap.xml')?.match(/<loc>.*?<\/loc>/g)).toEqual([
      '<loc>https://acme.example/</loc>',
      '<loc>https://acme.example/a%20b</loc>',
    ])
    expect(project.text('/robots.txt')).toContain('Sitemap: https://acme.example/sitemap.xml')
  })

  test('seo.indexing all adds the pages outside navigation', async () => {
    const project = new TestProject()
    await project.build({
      ...files,
      'docs.json': config({ seo: { indexing: 'all' }, navigation: { pages: ['index'] } }),
    })
    expect(project.text('/sitemap.xml')).toContain('/outside<')
    expect(project.text('/sitemap.xml')).not.toContain('hidden')
  })

  test('a site that forbids indexing says so', async () => {
    const project = new TestProject()
    await project.build({ ...files, 'docs.json': config({ seo: { metatags: { robots: 'noindex, nofollow' } } }) })
    expect(project.text('/robots.txt')).toBe('User-agent: *\nDisallow: /\n')
    expect(project.text('/sitemap.xml')).not.toContain('<loc>')
    expect(project.shell().noindex).toBe(true)
  })

  test('files of the project win', async () => {
    const project = new TestProject()
    await project.build({ ...files, 'llms.txt': 'mine', 'llms-full.txt': 'all mine', 'robots.txt': 'mine too' })
    expect(project.text('/llms.txt')).toBe('mine')
    expect(project.text('/llms-full.txt')).toBe('all mine')
    expect(project.text('/robots.txt')).toBe('mine too')
  })
})

describe('llms-full.txt', () => {
  test('llms-full.txt has the same pages, and is made anew only when others are listed', async () => {
    const project = new TestProject()
    await project.build(files)
    const joined = () => project.last?.routes['/llms-full.txt']
    const before = joined()
    expect(JSON.parse(project.text('/llms-full.txt') ?? '')).toEqual({
      head: '# Docs\n\n> About\n\nThe pages in one text, in the order of the navigation. https://acme.example/llms.txt names all of them.\n',
      origin: 'https://acme.example',
      pages: ['/', '/a b'],
    })
    expect(project.shell().full).toBe(true)
    await project.build({ ...files, 'index.md': `${files['index.md']}More.` })
    expect(joined()).toEqual(before)
    await project.build({ ...files, 'noindex.md': '# Indexed' })
    expect(joined()).not.toEqual(before)
  })

  test('each version and language has a text of its own, the default ones at the root', async () => {
    const project = new TestProject()
    const of = (folder: string) => [`${folder}/one`, `${folder}/two`]
    const paths = ['v2/en', 'v2/fr', 'v1'].flatMap(of)
    await project.build({
      'docs.json': config({
        navigation: {
          versions: [
            { version: 'v1', pages: of('v1') },
            {
              version: 'v2',
              default: true,
              languages: [
                { language: 'en', pages: of('v2/en') },
                { language: 'fr', pages: of('v2/fr') },
              ],
            },
          ],
        },
      }),
      ...Object.fromEntries(paths.map((page) => [`${page}.md`, `# ${page}`])),
    })
    const joined = Object.entries(project.last?.routes ?? {}).flatMap(([url, { kind }]) =>
      kind === 'joined'
        ? [[url, JSON.parse(project.text(url) ?? '') as { head: string; pages: string[] }] as const]
        : [],
    )
    expect(Object.fromEntries(joined.map(([url, { pages }]) => [url, pages]))).toEqual({
      '/llms-full.txt': ['/v2/en/one', '/v2/en/two'],
      '/v1/llms-full.txt': ['/v1/one', '/v1/two'],
      '/v2/fr/llms-full.txt': ['/v2/fr/one', '/v2/fr/two'],
    })
    const [, main] = joined.find(([url]) => url === '/llms-full.txt') ?? []
    expect(main?.head).toContain('The pages of v2, English in one text')
    expect(main?.head).toContain('v1 at https://acme.example/v1/llms-full.txt')
    expect(project.text('/llms.txt')).toContain('https://acme.example/v2/fr/llms-full.txt (v2, Français)')
  })
})
