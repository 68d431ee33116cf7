import { describe, expect, test } from 'vitest'
import type { Json } from '#lib/json-reader.ts'
import { readNavigation } from '#site/config/navigation.ts'
import { indexPages, type SitePage } from '#site/config/pages.ts'
import { placePages } from '#site/places.ts'
import { Problems } from '#site/config/problems.ts'
import { page } from '#test/rules/site/support/config.ts'
import { atOnce } from '#test/support/at-once.ts'

function read(navigation: Json, pages: readonly (string | SitePage)[] = ['a.mdx', 'b.mdx', 'c.mdx', 'x/index.mdx']) {
  const problems = new Problems()
  const index = atOnce(indexPages(pages.map((entry) => (typeof entry === 'string' ? page(entry) : entry))))
  const icon = (name: string, set?: string) => {
    const kind = set === undefined ? '' : ` class="${set}"`
    return name === 'book' ? `<svg${kind}></svg>` : undefined
  }
  return { ...atOnce(readNavigation(navigation, { problems, pages: index, icon })), problems }
}

describe('sections', () => {
  test('groups and pages at the top are one sidebar', () => {
    const { sections, home } = read({
      groups: [{ group: 'G', icon: 'book', tag: 'NEW', expanded: true, pages: ['a', 'b.mdx', '/c'] }],
    })
    expect(sections).toEqual([
      {
        switches: [],
        href: '/a',
        items: [
          {
            kind: 'group',
            title: 'G',
            icon: '<svg></svg>',
            tag: 'NEW',
            expanded: true,
            items: [
              { kind: 'page', title: 'a', href: '/a' },
              { kind: 'page', title: 'b', href: '/b' },
              { kind: 'page', title: 'c', href: '/c' },
            ],
          },
        ],
      },
    ])
    expect(home).toBe('/a')
  })

  test('tabs, versions and dropdowns nest in any order', () => {
    const { sections } = read({
      tabs: [
        {
          tab: 'One',
          versions: [
            { version: 'v1', pages: ['a'] },
            { version: 'v2', dropdowns: [{ dropdown: 'D', groups: [{ group: 'G', pages: ['b'] }] }] },
          ],
        },
        { tab: 'Two', pages: ['c'] },
      ],
    })
    expect(
      sections.map(({ switches, href }) => [switches.map(({ kind, label }) => `${kind} ${label}`).join(' > '), href]),
    ).toEqual([
      ['tab One > version v1', '/a'],
      ['tab One > version v2 > dropdown D', '/b'],
      ['tab Two', '/c'],
    ])
  })

  test('the default version is where the site begins', () => {
    expect(
      read({
        versions: [
          { version: 'v1', pages: ['a'] },
          { version: 'v2', default: true, pages: ['b'] },
        ],
      }).home,
    ).toBe('/b')
  })

  test('a tab with only an href is a section without pages; an anchor is a link over every sidebar', () => {
    const { sections, anchors } = read({
      global: { anchors: [{ anchor: 'Chat', href: 'https://chat.example' }] },
      tabs: [
        { tab: 'Docs', pages: ['a'] },
        { tab: 'Blog', href: 'https://blog.example' },
      ],
      anchors: [{ anchor: 'Code', href: 'https://code.example', icon: 'book' }],
    })
    expect(sections[1]).toEqual({ switches: [{ kind: 'tab', label: 'Blog' }], href: 'https://blog.example', items: [] })
    expect(anchors.map(({ label }) => label)).toEqual(['Chat', 'Code'])
  })

  test('a page of several versions stands in the one that docs.json names as the default, else in the first', () => {
    const versions = (isDefault: boolean) => [
      { version: 'v1', tabs: [{ tab: 'Guide', pages: ['a', 'b'] }] },
      { version: 'v2', ...(isDefault ? { default: true } : {}), tabs: [{ tab: 'Guide', pages: ['a', 'c'] }] },
    ]
    const placesOf = (navigation: Parameters<typeof read>[0]) => atOnce(placePages(read(navigation).sections))
    const named = placesOf({ versions: versions(true) })
    expect([named['/a']?.section, named['/b']?.section, named['/c']?.section]).toEqual([1, 0, 1])
    expect([named['/a']?.next?.href, named['/b']?.previous?.href]).toEqual(['/c', '/a'])
    expect(placesOf({ versions: versions(false) })['/a']?.section).toBe(0)
  })

  test('anchors of a language, a version or a tab stand over the sidebars below it alone', () => {
    const anchor = (name: string) => ({ anchors: [{ anchor: name, href: `https://${name.toLowerCase()}.example` }] })
    const { sections, anchors } = read({
      global: anchor('Blog'),
      languages: [
        { language: 'en', global: anchor('Community'), tabs: [{ tab: 'Docs', pages: ['a'] }] },
        {
          language: 'fr',
          global: anchor('Communauté'),
          versions: [
            { version: 'v2', pages: ['b'], ...anchor('Outils') },
            { version: 'v1', pages: ['c'] },
          ],
        },
      ],
    })
    expect(anchors.map(({ label }) => label)).toEqual(['Blog'])
    expect(sections.map((section) => section.anchors?.map(({ label }) => label))).toEqual([
      ['Community'],
      ['Communauté', 'Outils'],
      ['Communauté'],
    ])
  })

  test('versions have a tag, products some words, and all an icon in the style that they name', () => {
    const { sections } = read({
      versions: [
        { version: 'v2', tag: 'Latest', icon: 'book', iconType: 'regular', pages: ['a'] },
        { version: 'v1', tag: 7, products: [{ product: 'Kettle', description: 'It boils.', pages: ['b'] }] },
      ],
    })
    expect(sections.map(({ switches }) => switches)).toEqual([
      [{ kind: 'version', label: 'v2', tag: 'Latest', icon: '<svg class="regular"></svg>' }],
      [
        { kind: 'version', label: 'v1' },
        { kind: 'product', label: 'Kettle', description: 'It boils.' },
      ],
    ])
  })

  test('languages carry their own name', () => {
    const { sections } = read({
      languages: [
        { language: 'fr', pages: ['a'] },
        { language: '<b>', pages: ['b'] },
      ],
    })
    expect(sections.map(({ switches }) => switches[0]?.label)).toEqual(['Français', '<b>'])
  })

  test('hidden groups and pages are left out, a url in the front matter leads elsewhere', () => {
    const { sections } = read(
      {
        groups: [
          { group: 'G', hidden: true, pages: ['a'] },
          { group: 'H', pages: ['b', 'c'] },
        ],
      },
      [
        page('a.mdx'),
        page('b.mdx', { hidden: true }),
        page('c.mdx', { url: 'https://elsewhere.example', sidebarTitle: 'Short' }),
        page('d.mdx'),
      ],
    )
    expect(sections).toEqual([])
    const shown = read({ pages: ['d', 'c'] }, [
      page('d.mdx'),
      page('c.mdx', { url: 'https://elsewhere.example', sidebarTitle: 'Short' }),
    ])
    expect(shown.sections[0]?.items[1]).toEqual({ kind: 'page', title: 'Short', href: 'https://elsewhere.example' })
  })

  test('a front matter url into a page is a link, and no place of its own', () => {
    const { sections } = read({ pages: ['b', 'a'] }, [page('b.mdx', { url: '/a#part' }), page('a.mdx')])
    expect(sections[0]?.href).toBe('/a')
    expect(Object.keys(atOnce(placePages(sections)))).toEqual(['/a'])
  })

  test('a front matter url with a bad scheme is not used', () => {
    const { sections } = read({ pages: ['a'] }, [page('a.mdx', { url: 'javascript:alert(1)' })])
    expect(sections[0]?.href).toBe('/a')
  })
})

describe('mistakes', () => {
  test('a page that does not exist is left out with a warning', () => {
    const { sections, problems } = read({ groups: [{ group: 'G', pages: ['a', 'nowhere'] }] })
    expect(sections[0]?.items).toMatchObject([{ items: [{ href: '/a' }] }])
    expect(problems.errors).toEqual([])
    expect(problems.warnings).toMatchObject([
      { pointer: '/navigation/groups/0/pages/1', message: expect.stringContaining('nowhere.mdx') as string },
    ])
  })

  test.each(['../../other-tenant/index', 'a/../../b', 'index\u0000.mdx', 'a\\b'])('the page %j is an error', (name) => {
    expect(read({ pages: [name] }).problems.errors).toMatchObject([{ pointer: '/navigation/pages/0' }])
  })

  test.each(['javascript:alert(1)', 'data:text/html,x'])('the link %s among pages is an error', (name) => {
    expect(read({ pages: [name] }).problems.errors).toHaveLength(1)
  })

  test('an https link among pages stays a link', () => {
    expect(read({ pages: ['a', 'https://example.com/x'] }).sections[0]?.items[1]).toEqual({
      kind: 'page',
      title: 'example.com/x',
      href: 'https://example.com/x',
    })
  })

  test('wrong types say what they should be', () => {
    const { problems } = read({ tabs: 3, groups: [7, { pages: ['a'] }], pages: [true] })
    expect(problems.errors.map(({ pointer }) => pointer)).toEqual([
      '/navigation/pages/0',
      '/navigation/groups/0',
      '/navigation/groups/1',
      '/navigation/tabs',
    ])
    expect(read([]).problems.errors).toMatchObject([{ pointer: '/navigation' }])
  })

  test('keys that do something elsewhere say what, and how to have it', () => {
    const { problems } = read({ groups: [{ group: 'G', searchable: false, boost: 2, pages: ['a'] }] })
    expect(problems.warnings.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/navigation/groups/0/searchable', expect.stringContaining('Write searchable: false in the front matter')],
      ['/navigation/groups/0/boost', expect.stringContaining('Write boost in the front matter')],
    ])
  })

  test('settings of other services that make or list pages say what is missing', () => {
    const { problems } = read({
      directory: 'none',
      tabs: [
        { tab: 'T', directory: 'card', groups: [{ group: 'G', root: 'x/index', pages: ['a'] }] },
        { tab: 'U', graphql: 'schema.graphql', sdk: { format: 'typedoc', source: 'x.json' }, pages: ['b'] },
      ],
      global: { anchors: [{ anchor: 'A', href: 'https://a.example', color: { light: '#fff' } }] },
    })
    expect(problems.warnings.map(({ pointer, message }) => [pointer, message.split('. ')[0]])).toEqual([
      [
        '/navigation/global/anchors/0/color',
        'color does nothing in navigation; it would give the icon of an anchor a colour',
      ],
      [
        '/navigation/tabs/0/directory',
        'directory does nothing in navigation; it would list what is in a group below the words of its root page',
      ],
      ['/navigation/tabs/1/graphql', 'graphql does nothing in navigation; it would make pages of a GraphQL schema'],
      ['/navigation/tabs/1/sdk', expect.stringContaining('it would make pages of what TypeDoc')],
    ])
  })

  test('unknown keys and icons are warnings', () => {
    const { problems } = read({ groups: [{ group: 'G', icon: '<svg onload=alert(1)>', foo: 1, pages: ['a'] }] })
    expect(problems.warnings.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/navigation/groups/0/foo', 'There is no foo in navigation; it is ignored.'],
      ['/navigation/groups/0/icon', 'There is no icon "<svg onload=alert(1)>"; it is left out.'],
    ])
  })
})

describe('places', () => {
  test('know section, trail and neighbours in reading order; links elsewhere are no stops', () => {
    const { sections } = read({
      tabs: [
        {
          tab: 'T',
          groups: [{ group: 'G', root: 'x/index', pages: ['a', 'https://e.example', { group: 'H', pages: ['b'] }] }],
        },
        { tab: 'U', pages: ['c', 'a'] },
      ],
    })
    const places = atOnce(placePages(sections))
    expect(places['/x']).toEqual({ section: 0, trail: [], next: { title: 'a', href: '/a' } })
    expect(places['/a']).toEqual({
      section: 0,
      trail: [{ title: 'G', href: '/x' }],
      previous: { title: 'G', href: '/x' },
      next: { title: 'b', href: '/b' },
    })
    expect(places['/b']).toEqual({
      section: 0,
      trail: [{ title: 'G', href: '/x' }, 'H'],
      previous: { title: 'a', href: '/a' },
    })
    expect(places['/c']?.section).toBe(1)
  })
})
