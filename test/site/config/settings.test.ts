import { describe, expect, it } from 'vitest'
import { Problems } from '../../../src/site/config/problems.ts'
import type { Settings } from '../../../src/site/config/schema.ts'
import { shellSettings, type ShellSettings } from '../../../src/site/config/settings.ts'

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
