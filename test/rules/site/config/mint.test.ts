import { describe, expect, it } from 'vitest'
import { readConfig } from '#site/config/config.ts'
import { sourceOf } from '#test/rules/site/support/config.ts'

const read = (value: unknown, files: Readonly<Record<string, string>> = {}) =>
  readConfig(sourceOf({ 'mint.json': JSON.stringify(value, null, 2), ...files }))

describe('a mint.json', () => {
  it('has a navigation of bounded size, though each version has all groups that name none', async () => {
    const versions = Array.from({ length: 1000 }, (_, at) => `v${at}`)
    const navigation = Array.from({ length: 20_000 }, () => ({}))
    const { errors } = await read({ versions, navigation })
    expect(errors).toMatchObject([{ path: 'mint.json', rule: 'settings-limit', pointer: '/navigation' }])
  })

  it('is read under the names that docs.json has for the same settings', async () => {
    const { document, settings, warnings, errors } = await read({
      name: 'Acme',
      colors: { primary: '#112233', background: { dark: '#000000' }, anchors: { from: '#112233', to: '#445566' } },
      topbarLinks: [{ name: 'Support', url: 'https://a.example', type: 'link' }],
      topbarCtaButton: { name: 'Start', url: 'https://b.example' },
      footerSocials: [{ type: 'github', url: 'https://github.com/acme' }],
      footer: { links: [{ title: 'More', links: [{ label: 'Blog', url: 'https://c.example' }] }] },
      modeToggle: { default: 'dark', isHidden: true },
      backgroundImage: '/ground.png',
      seo: { indexHiddenPages: true },
      metadata: { 'og:image': '/card.png' },
      integrations: { intercom: 'abcdef' },
      analytics: { ga4: { measurementId: 'G-ABC' } },
      api: { baseUrl: 'https://api.example', playground: { mode: 'show' } },
      navigation: [{ group: 'Start', pages: ['index'] }],
    })
    expect(errors).toEqual([])
    expect(document).toMatchObject({
      name: 'Acme',
      colors: { primary: '#112233' },
      background: { color: { dark: '#000000' }, image: '/ground.png' },
      navbar: {
        links: [{ label: 'Support', href: 'https://a.example' }],
        primary: { type: 'button', label: 'Start', href: 'https://b.example' },
      },
      footer: {
        socials: { github: 'https://github.com/acme' },
        links: [{ header: 'More', items: [{ label: 'Blog', href: 'https://c.example' }] }],
      },
      appearance: { default: 'dark', strict: true },
      seo: { indexing: 'all', metatags: { 'og:image': '/card.png' } },
      integrations: { intercom: { appId: 'abcdef' }, ga4: { measurementId: 'G-ABC' } },
      api: { mdx: { server: 'https://api.example' }, playground: { display: 'interactive' } },
      navigation: { groups: [{ group: 'Start', pages: ['index'] }] },
    })
    expect(settings).toMatchObject({ appearance: { default: 'dark' } })
    expect(warnings.filter(({ rule }) => rule === 'settings-old')).toHaveLength(1)
    expect(warnings.filter(({ rule }) => rule === 'setting-unknown')).toEqual([])
  })

  it('deals its groups to tabs and anchors by the folder of their first page', async () => {
    const { document } = await read({
      topAnchor: { name: 'Docs' },
      tabs: [
        { name: 'API', url: 'api' },
        { name: 'Blog', url: 'https://blog.example' },
      ],
      anchors: [
        { name: 'SDKs', icon: 'code', url: 'sdks' },
        { name: 'Community', url: 'https://chat.example' },
      ],
      navigation: [
        { group: 'Start', pages: ['index', { group: 'Deep', pages: ['api/not-first'] }] },
        { group: 'Endpoints', pages: [{ group: 'Users', pages: ['api/users'] }] },
        { group: 'Python', pages: ['sdks/python'] },
        { group: 'Apis of others', pages: ['apis/theirs'] },
      ],
    })
    expect(document?.['navigation']).toMatchObject({
      global: { anchors: [{ anchor: 'Community', href: 'https://chat.example' }] },
      tabs: [
        {
          tab: 'Documentation',
          anchors: [
            { anchor: 'Docs', groups: [{ group: 'Start' }, { group: 'Apis of others' }] },
            { anchor: 'SDKs', icon: 'code', groups: [{ group: 'Python' }] },
          ],
        },
        { tab: 'API', groups: [{ group: 'Endpoints' }] },
        { tab: 'Blog', href: 'https://blog.example' },
      ],
    })
  })

  it('gives each version the groups of its own and those of all', async () => {
    const { document } = await read({
      versions: ['v2', { name: 'v1', default: true }],
      navigation: [
        { group: 'New', version: 'v2', pages: ['v2/index'] },
        { group: 'Old', version: 'v1', pages: ['v1/index'] },
        { group: 'Both', pages: ['help'] },
      ],
    })
    expect(document?.['navigation']).toEqual({
      versions: [
        {
          version: 'v2',
          groups: [
            { group: 'New', pages: ['v2/index'] },
            { group: 'Both', pages: ['help'] },
          ],
        },
        {
          version: 'v1',
          default: true,
          groups: [
            { group: 'Old', pages: ['v1/index'] },
            { group: 'Both', pages: ['help'] },
          ],
        },
      ],
    })
  })

  it('is told of where it stands in mint.json', async () => {
    const { warnings, errors } = await read({ name: 'A', topbarCtaButton: { name: 'x', url: 7 }, layout: 'topnav' })
    expect(errors).toMatchObject([{ path: 'mint.json', pointer: '/topbarCtaButton/href', line: 3 }])
    expect(warnings).toMatchObject([
      { rule: 'settings-old', path: 'mint.json', line: 1 },
      { rule: 'setting-ignored', line: 7 },
    ])
  })

  it('is not looked at where there is a docs.json', async () => {
    const { document, files } = await read({ name: 'Old' }, { 'docs.json': '{ "name": "New" }' })
    expect(document).toMatchObject({ name: 'New' })
    expect([...files.keys()]).toEqual(['docs.json'])
  })
})
