import { beforeEach, describe, expect, it } from 'vitest'
import { createComposer } from '#site/theme/composer.tsx'
import type { OpenShell } from '#contract/release.ts'
import { atOnce } from '#test/support/at-once.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { sampleOptions } from '#test/support/site/theme/sample.ts'

/** A site of pages at these paths, as readers see it. */
class ReaderOf {
  readonly #project: TestProject
  readonly #shell: OpenShell

  private constructor(project: TestProject, shell: OpenShell) {
    this.#project = project
    this.#shell = shell
  }

  static async of(navigation: unknown, paths: readonly string[], settings: object = {}): Promise<ReaderOf> {
    const project = new TestProject()
    const files = Object.fromEntries(paths.map((path) => [`${path}.mdx`, `# ${path}`]))
    const { errors } = await project.build({
      ...files,
      'docs.json': JSON.stringify({ name: 'Site', contextual: { options: [] }, ...settings, navigation }),
    })
    if (errors.length > 0) throw new Error(JSON.stringify(errors))
    const shell = project.blobs.get(project.last?.shell ?? '') ?? new Uint8Array()
    return new ReaderOf(project, atOnce(createComposer(sampleOptions).open(shell)))
  }

  page(url: string): string {
    const route = this.#project.last?.routes[url]
    return this.#shell.page(this.#project.blobs.get(route?.blob ?? '') ?? new Uint8Array(), url).html
  }

  notFound(url: string): string {
    return this.#shell.notFound(url).html
  }

  /** A generated file. */
  text(url: string): string {
    return this.#project.text(url) ?? ''
  }

  /** Where the switches of a page lead, by label. */
  switches(url: string): Record<string, string> {
    const links = this.page(url).matchAll(/<a class="q-menu-link"[^>]* href="([^"]*)"[^>]*><span>([^<]*)</g)
    return Object.fromEntries([...links].map(([, href = '', label = '']) => [label, href]))
  }
}

describe('a switch of versions', () => {
  let site: ReaderOf
  beforeEach(async () => {
    site = await ReaderOf.of(
      {
        versions: [
          { version: 'v2', pages: ['v2/start', 'v2/guide/install', 'v2/guide/new'] },
          { version: 'v1', pages: ['v1/guide/first', 'v1/guide/install', 'v1/guide'] },
        ],
      },
      ['v2/start', 'v2/guide/install', 'v2/guide/new', 'v1/guide/first', 'v1/guide/install', 'v1/guide'],
    )
  })

  it('leads to the same page of the other version', () => {
    expect(site.switches('/v2/guide/install')).toEqual({ v2: '/v2/guide/install', v1: '/v1/guide/install' })
    expect(site.switches('/v1/guide/install')).toEqual({ v2: '/v2/guide/install', v1: '/v1/guide/install' })
  })

  it('has the tag of a version behind its name, and what a product says of itself below it', async () => {
    const tagged = await ReaderOf.of(
      {
        versions: [
          { version: 'v2', tag: '<Latest>', pages: ['a'] },
          {
            version: 'v1',
            products: [
              { product: 'Kettle', description: 'It boils.', pages: ['b'] },
              { product: 'Pot', pages: ['c'] },
            ],
          },
        ],
      },
      ['a', 'b', 'c'],
    )
    const html = tagged.page('/b')
    expect(html).toContain('<span>v2 <span class="q-nav-tag">&lt;Latest&gt;</span></span>')
    expect(html).toContain('<span>Kettle<small>It boils.</small></span>')
    expect(html).toContain('<span>Pot</span>')
  })

  it('leads to the first page where the other version has no such page, and from a page that is not there', () => {
    expect(site.switches('/v2/guide/new')).toEqual({ v2: '/v2/guide/new', v1: '/v1/guide/first' })
    expect(site.notFound('/v2/guide/gone')).toContain('href="/v1/guide/first"')
  })
})

describe('a switch of languages', () => {
  it('knows the default language beside the folders of the others', async () => {
    const site = await ReaderOf.of(
      {
        languages: [
          { language: 'en', pages: ['guide/start', 'guide/more'] },
          { language: 'fr', pages: ['fr/guide/start', 'fr/guide/more'] },
          { language: 'cn', pages: ['zh/guide/start'] },
        ],
      },
      ['guide/start', 'guide/more', 'fr/guide/start', 'fr/guide/more', 'zh/guide/start'],
    )
    expect(site.switches('/guide/start')).toEqual({
      English: '/guide/start',
      Français: '/fr/guide/start',
      简体中文: '/zh/guide/start',
    })
    expect(site.switches('/fr/guide/more')).toEqual({
      English: '/guide/more',
      Français: '/fr/guide/more',
      简体中文: '/zh/guide/start',
    })
    expect(site.page('/zh/guide/start')).toContain('<html lang="zh-Hans" dir="ltr"')
  })

  it('finds translated addresses by their place where both sidebars are arranged alike', async () => {
    const tabs = (...pages: string[]) => pages.map((page) => ({ tab: page, pages: [page, `${page}-2`] }))
    const names = ['en/guide', 'en/api', 'de/anleitung', 'de/schnittstelle']
    const site = await ReaderOf.of(
      {
        languages: [
          { language: 'en', tabs: tabs('en/guide', 'en/api') },
          { language: 'de', tabs: tabs('de/anleitung', 'de/schnittstelle') },
        ],
      },
      names.flatMap((name) => [name, `${name}-2`]),
    )
    expect(site.switches('/en/api-2')).toMatchObject({ Deutsch: '/de/schnittstelle-2' })
    expect(site.switches('/de/anleitung')).toMatchObject({ English: '/en/guide' })
  })

  it('keeps version and page', async () => {
    const versions = (language: string) => [
      { version: 'v2', pages: [`${language}/v2/a`, `${language}/v2/b`] },
      { version: 'v1', pages: [`${language}/v1/a`, `${language}/v1/b`] },
    ]
    const site = await ReaderOf.of(
      {
        languages: [
          { language: 'en', versions: versions('en') },
          { language: 'ar', versions: versions('ar') },
        ],
      },
      ['en', 'ar'].flatMap((language) => ['v2', 'v1'].flatMap((v) => [`${language}/${v}/a`, `${language}/${v}/b`])),
    )
    expect(site.switches('/en/v1/b')).toEqual({
      English: '/en/v1/b',
      العربية: '/ar/v1/b',
      v1: '/en/v1/b',
      v2: '/en/v2/b',
    })
    expect(site.page('/ar/v1/b')).toContain('<html lang="ar" dir="rtl"')
  })
})

describe('a page of an old version', () => {
  const versions = (more: object) => ({
    versions: [
      { version: 'v2', pages: ['v2/start', 'v2/both'] },
      { version: 'v1', pages: ['v1/both', 'v1/only'], ...more },
    ],
  })
  const paths = ['v2/start', 'v2/both', 'v1/both', 'v1/only']

  it('says so, leads to the same page of the default one, and leaves that to search engines', async () => {
    const site = await ReaderOf.of(versions({}), paths)
    const page = site.page('/v1/both')
    expect(page).toContain('documentation of <strong>v1</strong>. The current version is <a href="/v2/both">v2</a>.')
    expect(page).toContain('<link rel="canonical" href="https://acme.example/v2/both">')
    expect(site.page('/v2/both')).not.toContain('q-notice')
  })

  it('leads to the first page where the default version has no such page, and stays its own', async () => {
    const page = (await ReaderOf.of(versions({}), paths)).page('/v1/only')
    expect(page).toContain('The current version is <a href="/v2/start">v2</a>.')
    expect(page).toContain('<link rel="canonical" href="https://acme.example/v1/only">')
  })

  it('says nothing where docs.json does not want it, or the names are of editions', async () => {
    expect((await ReaderOf.of(versions({ notice: false }), paths)).page('/v1/both')).not.toContain('q-notice')
    const editions = {
      versions: [
        { version: 'Cloud', pages: ['v2/start', 'v2/both'] },
        { version: 'Self-hosted', pages: ['v1/both', 'v1/only'] },
      ],
    }
    expect((await ReaderOf.of(editions, paths)).page('/v1/both')).not.toContain('q-notice')
  })

  it('is not in the sitemap where the default version has it', async () => {
    const sitemap = (await ReaderOf.of(versions({}), paths)).text('/sitemap.xml')
    expect([...sitemap.matchAll(/<loc>https:\/\/acme.example([^<]*)</g)].map(([, path]) => path)).toEqual([
      '/v2/start',
      '/v2/both',
      '/v1/only',
    ])
  })
})

describe('a page in several languages', () => {
  const navigation = {
    languages: [
      { language: 'fr', pages: ['fr/a', 'fr/b'] },
      { language: 'en', default: true, pages: ['a', 'b', 'c'] },
    ],
  }
  const alternates = (text: string): string[] =>
    [...text.matchAll(/hreflang="([^"]*)" href="https:\/\/acme.example([^"]*)"/g)].map(
      ([, lang = '', href = '']) => `${lang} ${href}`,
    )
  let site: ReaderOf
  beforeEach(async () => {
    site = await ReaderOf.of(navigation, ['fr/a', 'fr/b', 'a', 'b', 'c'])
  })

  it('names all of them to search engines, in its head and in the sitemap', () => {
    expect(alternates(site.page('/fr/b'))).toEqual(['en /b', 'fr /fr/b', 'x-default /b'])
    expect(alternates(site.page('/c'))).toEqual([])
    const sitemap = site.text('/sitemap.xml')
    const entry = /<url><loc>[^<]*\/fr\/b<.*?<\/url>/.exec(sitemap)?.[0] ?? ''
    expect(alternates(entry)).toEqual(['en /b', 'fr /fr/b', 'x-default /b'])
    expect(/<url><loc>[^<]*\/c<.*?<\/url>/.exec(sitemap)?.[0]).not.toContain('hreflang')
  })

  it('stands in the navigation of a language that lacks it, marked, and stays a page of its own language', async () => {
    const languages = [
      { language: 'fr', pages: ['fr/a', 'fr/b'] },
      { language: 'en', default: true, pages: ['a', 'b'] },
    ]
    const partly = await ReaderOf.of({ languages }, ['fr/a', 'a', 'b'])
    expect(partly.page('/fr/a')).toMatch(
      /<a class="q-nav-link" hreflang="en" href="\/b"><span>b<\/span><span class="q-nav-tag">EN</,
    )
    expect(partly.page('/fr/a')).not.toContain('q-pager-next')
    expect(partly.page('/b')).toContain('<html lang="en"')
    expect(alternates(partly.page('/b'))).toEqual([])
  })

  it('that stands outside of navigation is in the language of its folder', async () => {
    const beside = await ReaderOf.of(navigation, ['fr/a', 'fr/b', 'a', 'b', 'c', 'fr/beside', 'beside'])
    expect(beside.page('/fr/beside')).toContain('<html lang="fr"')
    expect(beside.page('/beside')).toContain('<html lang="en"')
  })

  it('is offered in the default language where it is not translated', () => {
    const page = site.notFound('/fr/c')
    expect(page).toContain('<html lang="fr"')
    expect(page).toContain('Cette page n’est pas encore disponible en Français.')
    expect(page).toContain('<a href="/c" hreflang="en">')
    expect(site.notFound('/fr/gone')).not.toContain('q-notice')
  })
})
