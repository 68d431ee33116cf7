import { describe, expect, test } from 'vitest'
import { TestProject } from '../support/project.ts'

const config = (value: object) => JSON.stringify({ name: 'Docs', ...value })

describe('llms-full.txt', () => {
  const files = {
    'docs.json': config({ description: 'About', navigation: { pages: ['index', 'a b', 'hidden', 'noindex'] } }),
    'index.md': '---\ntitle: Home [x]\ndescription: First\n---\n',
    'a b.md': '---\ntitle: Second & more\n---\n',
    'hidden.md': '---\nhidden: true\n---\n',
    'noindex.md': '---\nnoindex: true\n---\n',
    'outside.md': '# Outside navigation',
  }

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
