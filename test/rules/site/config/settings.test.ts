import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#lib/json-reader.ts'
import { Problems } from '#site/config/problems.ts'
import type { Settings } from '#site/config/schema.ts'
import { shellSettings, type ShellSettings } from '#site/config/settings.ts'

function read(settings: Settings, files: readonly string[] = []): ShellSettings & { errors: Problems['errors'] } {
  const problems = new Problems()
  const shell = shellSettings(settings, {
    title: 'docs',
    problems,
    icon: () => undefined,
    hasFile: (path) => files.includes(path),
  })
  return { ...shell, errors: problems.errors }
}

describe('the banner', () => {
  it('keeps the links and strong words of its Markdown, and of the rest the words', () => {
    const { banner } = read({
      banner: { dismissible: true, content: '**New:** [v2](/v2) and [*notes*](https://x.example "t") `now`' },
    })
    expect(banner).toEqual({
      text: 'New: v2 and notes now',
      parts: [
        { text: 'New:', strong: true },
        { text: ' ' },
        { text: 'v2', href: '/v2' },
        { text: ' and ' },
        { text: 'notes', href: 'https://x.example' },
        { text: ' now' },
      ],
      dismissible: true,
    })
  })

  it('that links to a script is an error, as every other link is', () => {
    const { banner, errors } = read({ banner: { content: '[a](javascript:alert`1`)' } })
    expect(errors).toMatchObject([{ pointer: '/banner/content' }])
    expect(banner?.parts).toEqual([{ text: 'a' }])
  })

  it('may hold any text, in every language', () => {
    const hostile = ['[]('.repeat(666), `[](${' '.repeat(1990)}`, '[](a '.repeat(400)]
    for (const content of Array.from({ length: 20 }, () => hostile).flat())
      expect(read({ banner: { content } }).banner?.parts).toHaveLength(1)
  })
})

describe('the look', () => {
  const look = (settings: unknown, files: readonly string[] = []) => {
    const problems = new Problems()
    const context = { title: 'docs', problems, icon: () => undefined, hasFile: (path: string) => files.includes(path) }
    return { look: shellSettings(settings as Settings, context).look, warnings: problems.warnings }
  }

  it('is ours where docs.json says nothing of it', () => {
    expect(look({}).look).toBeUndefined()
    expect(look({ styling: { codeblocks: 'system', eyebrows: 'breadcrumbs' } }).look).toBeUndefined()
  })

  it('has a picture or a pattern behind pages', () => {
    expect(look({ background: { image: '/a.png', decoration: 'grid' } }, ['a.png']).look).toEqual({
      image: { light: '/a.png', dark: '/a.png' },
      decoration: 'grid',
    })
    expect(look({ background: { image: '/none.png' } }).warnings).toMatchObject([{ rule: 'file-missing' }])
  })

  it('has code in a theme by its name, one for both grounds or one for each', () => {
    const dracula = { light: 'dracula', dark: 'dracula' }
    expect(look({ styling: { codeblocks: 'dracula' } }).look?.code).toEqual(dracula)
    expect(look({ styling: { codeblocks: { theme: 'dracula' } } }).look?.code).toEqual(dracula)
    expect(look({ styling: { codeblocks: 'dark' } }).look?.code).toEqual({ light: 'github-dark', dark: 'github-dark' })
    const pair = { light: 'one-light', dark: 'nord' }
    expect(look({ styling: { codeblocks: { theme: pair } } }).look?.code).toEqual(pair)
    expect(look({ styling: { codeblocks: pair } }).look?.code).toEqual(pair)
  })

  it('may have code in colours that a style sheet of the site gives variables', () => {
    const { look: found, warnings } = look({ styling: { codeblocks: { theme: 'css-variables' } } })
    expect(found?.code).toEqual({ light: 'css-variables', dark: 'css-variables' })
    expect(warnings).toEqual([])
  })

  it('names the theme that was meant where there is none of that name', () => {
    const { look: found, warnings } = look({ styling: { codeblocks: 'draculla' } })
    expect(found).toBeUndefined()
    expect(warnings[0]?.message).toContain('Did you mean dracula?')
  })
})

describe('languages', () => {
  it('have a banner, a navbar and a footer of their own, by tag', () => {
    const problems = new Problems()
    const document = {
      navigation: {
        languages: [
          { language: 'en' },
          {
            language: 'cn',
            banner: { content: '新' },
            footer: { links: [{ header: '更多', items: [{ label: '博客', href: '/blog' }] }] },
          },
          { language: 'de', banner: { content: 7 } },
        ],
      },
    }
    const context = { title: 'docs', problems, icon: () => undefined, hasFile: () => false, document }
    expect(shellSettings({}, context).languages).toEqual({
      'zh-Hans': {
        banner: { text: '新', parts: [{ text: '新' }] },
        footer: { socials: [], columns: [{ header: '更多', links: [{ label: '博客', href: '/blog' }] }] },
      },
    })
    expect(problems.errors).toMatchObject([{ pointer: '/navigation/languages/2/banner/content' }])
  })

  it('have them wherever they stand in the navigation; what is not shown is told', () => {
    const problems = new Problems()
    const navbar = { primary: { type: 'button', label: 'Essayer', href: 'https://fr.example' } }
    const other = { primary: { type: 'button', label: 'Ancien', href: 'https://fr.example' } }
    const footer = { socials: { github: 'https://github.com/acme' } }
    const document = {
      navigation: {
        versions: [
          { version: 'v3', languages: [{ language: 'en' }, { language: 'fr', navbar }] },
          { version: 'v2', languages: [{ language: 'fr', navbar }] },
          { version: 'v1', footer, languages: [{ language: 'fr', navbar: other }] },
        ],
      },
    }
    const context = { title: 'docs', problems, icon: () => undefined, hasFile: () => false, document }
    expect(shellSettings({}, context).languages).toEqual({
      fr: { navbar: { links: [], primary: { label: 'Essayer', href: 'https://fr.example' } } },
    })
    expect(problems.warnings.map(({ pointer, message }) => `${pointer}: ${message}`)).toEqual([
      '/navigation/versions/2/footer: This footer is not shown: only languages have one of their own.',
      '/navigation/versions/2/languages/0/navbar: This navbar is not shown: the language has one at another place.',
    ])
  })

  it('are looked for in time of the length of the navigation, however it is nested', () => {
    const problems = new Problems()
    let navigation: object = { languages: [{ language: 'fr', banner: { content: 'Trop loin' } }] }
    for (let depth = 0; depth < 3000; depth += 1) navigation = { tabs: [navigation, {}] }
    const document = { navigation } as unknown as JsonObject
    const context = { title: 'docs', problems, icon: () => undefined, hasFile: () => false, document }
    expect(shellSettings({}, context).languages).toBeUndefined()
  })
})

describe('tags of the head', () => {
  it('are those that say something of the site; others are named in a warning', () => {
    const problems = new Problems()
    const metatags = {
      'og:image': '/card.png',
      'google-site-verification': 'x',
      refresh: '0;url=//x',
      'og:title': 'T',
      author: [],
    }
    const context = { title: 'docs', problems, icon: () => undefined, hasFile: () => false }
    const shell = shellSettings({ seo: { metatags } }, context)
    expect(shell.metatags).toEqual([
      ['og:image', '/card.png'],
      ['google-site-verification', 'x'],
    ])
    expect(problems.warnings.map(({ pointer }) => pointer)).toEqual([
      '/seo/metatags/refresh',
      '/seo/metatags/og:title',
      '/seo/metatags/author',
    ])
  })
})

describe('search engines', () => {
  it('are told of another address of the site, and who publishes it', () => {
    const shell = read({
      seo: {
        metatags: { canonical: 'https://example.com/docs/' },
        organization: { id: 'https://example.com/#us', legalName: 'Us Inc.', sameAs: ['https://x.example/us'] },
      },
    })
    expect(shell.canonical).toBe('https://example.com/docs')
    expect(shell.organization).toEqual({
      '@id': 'https://example.com/#us',
      legalName: 'Us Inc.',
      sameAs: ['https://x.example/us'],
    })
    expect(shell.metatags).toBeUndefined()
  })

  it('are not led to what is no address', () => {
    expect(read({ seo: { metatags: { canonical: '/docs' } } }).canonical).toBeUndefined()
  })
})

describe('answers to readers', () => {
  it('are off until they are switched on', () => {
    expect(read({}).ask).toBeUndefined()
    expect(read({ ask: { enabled: false, dailyLimit: 5 } }).ask).toBeUndefined()
  })

  it('have a limit by day, and rest on the pages that search engines may see', () => {
    expect(read({ ask: { enabled: true } }).ask).toEqual({ dailyLimit: 100, pages: 'navigable' })
    expect(read({ ask: { enabled: true, dailyLimit: 7 }, seo: { indexing: 'all' } }).ask).toEqual({
      dailyLimit: 7,
      pages: 'all',
    })
  })
})

describe('the favicon', () => {
  it('is where it usually is when nothing says where', () => {
    expect(read({}, ['favicon.ico']).favicon).toEqual({ light: '/favicon.ico', dark: '/favicon.ico' })
    expect(read({}, ['favicon.ico', 'a.svg']).favicon?.light).toBe('/favicon.ico')
    expect(read({ favicon: '/a.svg' }, ['favicon.ico', 'a.svg']).favicon?.light).toBe('/a.svg')
    expect(read({}).favicon).toBeUndefined()
  })
})
