import { describe, expect, test } from 'vitest'
import { withFolders } from '#site/config/alternatives.ts'
import { readNavigation } from '#site/config/navigation.ts'
import { indexPages } from '#site/config/pages.ts'
import { placePages } from '#site/places.ts'
import { Problems } from '#site/config/problems.ts'
import { Counterparts } from '#site/counterparts.ts'
import { wholly } from '#lib/slices.ts'

type Tree = Parameters<typeof readNavigation>[0]

/** Where the switches of a page lead, by the label of the choice: to the same page, or `→` another one. */
function switchesOf(navigation: Tree, paths: readonly string[]): (url: string) => Readonly<Record<string, string>> {
  const pages = paths.map((path) => ({
    path: `${path}.mdx`,
    url: `/${path}`,
    summary: { title: path, anchors: [], links: [], warnings: [] },
  }))
  const context = { problems: new Problems(), pages: wholly(indexPages(pages)), icon: () => undefined }
  const { sections } = wholly(readNavigation(navigation, context))
  const places = wholly(placePages(sections))
  const shell = { sections: wholly(withFolders(sections, places)), places }
  const counterparts = new Counterparts(shell)
  return (url) => {
    const section = shell.sections[places[url]?.section ?? -1]
    if (section === undefined) throw new Error(`${url} stands nowhere`)
    return Object.fromEntries(
      section.switches.flatMap((_, level) =>
        counterparts
          .choices(section, level)
          .filter(({ isCurrent, kind }) => !isCurrent && kind !== 'tab')
          .map((choice) => [choice.label, counterparts.find(url, section, level, choice) ?? `→ ${choice.href}`]),
      ),
    )
  }
}

const all = (folder: string): string[] => ['start', 'guide/one', 'guide/two'].map((page) => `${folder}${page}`)

describe('a switch leads to the same page', () => {
  test('of versions within languages', () => {
    const folders = { en: ['', 'v1/'], fr: ['fr/', 'fr/v1/'] }
    const at = switchesOf(
      {
        languages: Object.entries(folders).map(([language, [now = '', before = '']]) => ({
          language,
          versions: [
            { version: 'v2', pages: all(now) },
            { version: 'v1', pages: all(before) },
          ],
        })),
      },
      Object.values(folders).flat().flatMap(all),
    )
    expect(at('/guide/one')).toEqual({ Français: '/fr/guide/one', v1: '/v1/guide/one' })
    expect(at('/v1/guide/one')).toEqual({ Français: '/fr/v1/guide/one', v2: '/guide/one' })
    expect(at('/fr/guide/one')).toEqual({ English: '/guide/one', v1: '/fr/v1/guide/one' })
    expect(at('/fr/v1/start')).toEqual({ English: '/v1/start', v2: '/fr/start' })
  })

  test('of languages within versions', () => {
    const folders = { v2: ['', 'fr/'], v1: ['v1/', 'v1/fr/'] }
    const at = switchesOf(
      {
        versions: Object.entries(folders).map(([version, [en = '', fr = '']]) => ({
          version,
          languages: [
            { language: 'en', pages: all(en) },
            { language: 'fr', pages: all(fr) },
          ],
        })),
      },
      Object.values(folders).flat().flatMap(all),
    )
    expect(at('/guide/one')).toEqual({ v1: '/v1/guide/one', Français: '/fr/guide/one' })
    expect(at('/v1/fr/guide/one')).toEqual({ v2: '/fr/guide/one', English: '/v1/guide/one' })
  })

  test('where the folder of the language is below another, or in each part of the site', () => {
    const within = switchesOf(
      { languages: ['en', 'fr', 'pt-BR'].map((language) => ({ language, pages: all(`docs/${language}/`) })) },
      ['en', 'fr', 'pt-BR'].flatMap((code) => all(`docs/${code}/`)),
    )
    expect(within('/docs/en/guide/one')).toMatchObject({ Français: '/docs/fr/guide/one' })
    const parts = (code: string): string[] => [`guide/${code}/one`, `guide/${code}/two`, `api/${code}/one`]
    const apart = switchesOf(
      {
        languages: [
          {
            language: 'en',
            groups: [
              { group: 'Guide', pages: parts('en').slice(0, 2) },
              { group: 'API', pages: parts('en').slice(2) },
            ],
          },
          // Arranged in another way.
          { language: 'pt-BR', pages: parts('pt-BR').toReversed() },
        ],
      },
      ['en', 'pt-BR'].flatMap(parts),
    )
    expect(apart('/guide/en/two')).toEqual({ 'Português (Brasil)': '/guide/pt-BR/two' })
    expect(apart('/api/pt-BR/one')).toEqual({ English: '/api/en/one' })
  })

  test('where the default language has no folder in the parts of the site', () => {
    const of = (code: string): string[] => [`guide/${code}one`, `api/${code}two`]
    const at = switchesOf(
      {
        languages: [
          { language: 'en', groups: [{ group: 'All', pages: of('') }] },
          { language: 'fr', pages: of('fr/') },
        ],
      },
      [...of(''), ...of('fr/')],
    )
    expect(at('/guide/one')).toEqual({ Français: '/guide/fr/one' })
    expect(at('/api/fr/two')).toEqual({ English: '/api/two' })
  })

  test('of versions with tabs, where one has a tab that the other lacks', () => {
    const at = switchesOf(
      {
        versions: [
          {
            version: 'v2',
            tabs: [
              { tab: 'Guide', pages: ['v2/guide/a', 'v2/guide/b'] },
              { tab: 'API', pages: ['v2/api/c'] },
            ],
          },
          { version: 'v1', tabs: [{ tab: 'Guide', pages: ['v1/guide/a'] }] },
        ],
      },
      ['v2/guide/a', 'v2/guide/b', 'v2/api/c', 'v1/guide/a'],
    )
    expect(at('/v2/guide/a')).toEqual({ v1: '/v1/guide/a' })
    expect(at('/v2/guide/b')).toEqual({ v1: '→ /v1/guide/a' })
    expect(at('/v2/api/c')).toEqual({ v1: '→ /v1/guide/a' })
    expect(at('/v1/guide/a')).toEqual({ v2: '/v2/guide/a' })
  })

  test('where a page moved to another tab', () => {
    const at = switchesOf(
      {
        versions: [
          {
            version: 'v2',
            tabs: [
              { tab: 'Guide', pages: ['v2/a'] },
              { tab: 'API', pages: ['v2/c'] },
            ],
          },
          { version: 'v1', tabs: [{ tab: 'Guide', pages: ['v1/a', 'v1/c'] }] },
        ],
      },
      ['v2/a', 'v2/c', 'v1/a', 'v1/c'],
    )
    expect(at('/v1/c')).toEqual({ v2: '/v2/c' })
    expect(at('/v2/c')).toEqual({ v1: '/v1/c' })
  })

  test('of products and dropdowns', () => {
    for (const [list, name] of [
      ['products', 'product'],
      ['dropdowns', 'dropdown'],
    ] as const) {
      const at = switchesOf(
        {
          [list]: [
            { [name]: 'Cloud', pages: ['cloud/start', 'cloud/limits'] },
            { [name]: 'Server', pages: ['server/start', 'server/install'] },
          ],
        },
        ['cloud/start', 'cloud/limits', 'server/start', 'server/install'],
      )
      expect(at('/cloud/start')).toEqual({ Server: '/server/start' })
      expect(at('/cloud/limits')).toEqual({ Server: '→ /server/start' })
    }
  })
})
