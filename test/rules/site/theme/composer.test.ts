import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { NavItem, Shell } from '#site/shell.ts'
import { atOnce } from '#test/support/at-once.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const compose = (path: string, shell = sampleShell(), artifact = sampleArtifact()): string =>
  atOnce(createComposer(sampleOptions).open(bytes(shell))).page(bytes(artifact), path).html

const count = (text: string, part: string): number => text.split(part).length - 1

describe('the document of a page', () => {
  it('names the page and the site in the title and the address in the canonical link', () => {
    const html = compose('/quickstart')
    expect(html).toMatch(/^<!doctype html><html lang="en" dir="ltr"/)
    expect(html).toContain('<title>Quickstart - Quire</title>')
    expect(html).toContain('<link rel="canonical" href="https://docs.example.com/quickstart">')
    expect(html).toContain('<meta name="description" content="From a folder to a live site.">')
  })

  it('is described by its first words where it has no description, and leads to its Markdown', () => {
    const { description: _none, ...artifact } = sampleArtifact({
      html: `<h2>A</h2><p>Fish <em>&amp;</em> ${'chips '.repeat(40)}</p>`,
    })
    const html = compose('/a b', sampleShell(), artifact)
    const said = /<meta name="description" content="([^"]*)">/.exec(html)?.[1] ?? ''
    expect(said).toMatch(/^Fish &amp; chips .* chips…$/)
    expect(said.length).toBeLessThanOrEqual(164)
    expect(html).toContain('<link rel="alternate" type="text/markdown" href="/a%20b.md">')
  })

  it('has the tags of the site in place of the usual ones, with pictures where others find them', () => {
    const metatags = [
      ['og:type', 'website'],
      ['twitter:image', '/a.png'],
      ['author', '"><script>'],
    ] as const
    const html = compose('/quickstart', sampleShell({ metatags }))
    expect(html).toContain('<meta property="og:type" content="website">')
    expect(count(html, 'og:type')).toBe(1)
    expect(html).toContain('<meta name="twitter:image" content="https://docs.example.com/a.png">')
    expect(html).toContain('<meta name="author" content="&quot;&gt;&lt;script&gt;">')
  })

  it('has the tags of its own front matter before those of the site', () => {
    const shell = sampleShell({ metatags: [['og:image', '/site.png']] })
    const metatags = [
      ['og:title', 'For "sharing"'],
      ['og:image', '/page.png'],
      ['twitter:card', 'summary'],
    ] as const
    const html = compose('/quickstart', shell, sampleArtifact({ metatags }))
    expect(html).toContain('<meta property="og:title" content="For &quot;sharing&quot;">')
    expect(html).toContain('<meta property="og:image" content="https://docs.example.com/page.png">')
    expect(html).toContain('<meta name="twitter:card" content="summary">')
    for (const name of ['og:title', 'og:image', 'twitter:card']) expect(count(html, `="${name}"`)).toBe(1)
    expect(html).toContain('<title>Quickstart - Quire</title>')
  })

  it('tells whoever shows a link to it what it is, where, and in which language', () => {
    const html = compose('/quickstart')
    expect(html).toContain('<meta property="og:type" content="article">')
    expect(html).toContain('<meta property="og:title" content="Quickstart">')
    expect(html).toContain('<meta property="og:site_name" content="Quire">')
    expect(html).toContain('<meta property="og:url" content="https://docs.example.com/quickstart">')
    expect(html).toContain('<meta property="og:description" content="From a folder to a live site.">')
    expect(html).toContain('<meta property="og:locale" content="en_US">')
    expect(compose('/quickstart', sampleShell({ lang: 'pt-PT' }))).toContain('content="pt_PT"')
  })

  it('leads programs to the texts of the whole site', () => {
    const page = (shell = sampleShell()) =>
      atOnce(createComposer(sampleOptions).open(bytes(shell))).page(bytes(sampleArtifact()), '/quickstart')
    expect(page().describedBy).toEqual(['/llms.txt'])
    const { html, describedBy } = page(sampleShell({ full: true }))
    expect(describedBy).toEqual(['/llms.txt', '/llms-full.txt'])
    expect(html).toContain('<link rel="describedby" type="text/plain" href="/llms-full.txt">')
  })

  it('writes a path with spaces and signs as a URL', () => {
    expect(compose('/a b?#"')).toContain('href="https://docs.example.com/a%20b%3F%23%22"')
  })

  it('links the style sheet and one module script, and features only where the page names them', () => {
    const plain = compose('/quickstart')
    expect(plain).toContain('<link rel="stylesheet" href="/_quire/style.css">')
    expect(count(plain, '<script type="module"')).toBe(1)
    expect(compose('/quickstart', sampleShell(), sampleArtifact({ features: ['mermaid', 'tabs'] }))).toContain(
      '<script type="module" src="/_quire/mermaid.js" data-diagram="Zoom in|Zoom out|Reset view"></script>',
    )
  })

  it('keeps robots away from pages and sites that ask for it', () => {
    expect(compose('/quickstart')).not.toContain('noindex')
    expect(compose('/quickstart', sampleShell({ noindex: true }))).toContain('<meta name="robots" content="noindex">')
    expect(compose('/quickstart', sampleShell(), sampleArtifact({ noindex: true }))).toContain('noindex')
  })

  it('allows its own inline script and style by their hashes and nothing else inline', () => {
    const { html, csp } = atOnce(createComposer(sampleOptions).open(bytes(sampleShell()))).page(
      bytes(sampleArtifact()),
      '/quickstart',
    )
    const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const script = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? ''
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ''
    expect(csp).toContain(`script-src 'self' ${hash(script)};`)
    expect(csp).toContain(`style-src 'self' ${hash(style)};`)
    expect(csp).toContain("object-src 'none'")
    expect(csp).toContain("base-uri 'none'")
    expect(csp).toContain("frame-ancestors 'self' https://dashboard.example")
    expect(count(html, '<script>')).toBe(1)
    expect(count(html, '<style>')).toBe(1)
  })

  it('is empty beside the text in the editor: in the site’s look, with the theme of today, for the dashboard alone', () => {
    const opened = atOnce(createComposer(sampleOptions).open(bytes(sampleShell({ name: 'Acme <b>' })))).live()
    expect(opened.csp).toContain('frame-ancestors https://dashboard.example')
    expect(opened.html).toContain('<title>Acme &lt;b&gt;</title>')
    expect(opened.html).toContain('--q-site-accent-light:#0f766e')
    expect(opened.html).toContain('src="/_quire/live-new.js" data-dashboard="https://dashboard.example"')
    expect(opened.html).toContain('/_quire/style-new.css')
    expect(opened.html).not.toContain('q-sidebar')
    const plain = createComposer(sampleOptions).live()
    expect(plain.csp).toContain('frame-ancestors https://dashboard.example')
    expect(plain.html).toContain('<main id="q-main" tabindex="-1"></main>')
  })

  it('sets the colours of the site only from hex numbers', () => {
    expect(compose('/quickstart')).toContain('--q-site-accent-light:#0f766e')
    const html = compose(
      '/quickstart',
      sampleShell({ colors: { primary: 'red;}</style><script>alert(1)</script>', dark: 'url(x)' } }),
    )
    expect(html).not.toContain('<style>')
    expect(html).not.toContain('theme-color')
    expect(html).not.toContain('alert(1)')
  })

  it.each(['#16a34a', '#8f73df', '#ffe000', '#2563eb', '#777777'])(
    'text in %s can be read on a ground that has a tenth of it',
    (primary) => {
      const html = compose('/quickstart', sampleShell({ colors: { primary } }))
      const channels = (hex = ''): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
      const luminance = (color: readonly number[]): number => {
        const [r = 0, g = 0, b = 0] = color.map((channel) =>
          channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      for (const [scheme, ground] of [
        ['light', 255],
        ['dark', 16],
      ] as const) {
        const text = channels(new RegExp(`--q-site-text-${scheme}:(#[0-9a-f]{6})`).exec(html)?.[1])
        const soft = channels(primary).map((channel) => channel * 0.1 + ground * 0.9)
        const [low = 0, high = 0] = [luminance(text), luminance(soft)].toSorted((a, b) => a - b)
        expect((high + 0.05) / (low + 0.05)).toBeGreaterThan(4.4)
      }
    },
  )

  it('darkens a pale colour until text in it can be read', () => {
    const html = compose('/quickstart', sampleShell({ colors: { primary: '#ffe000' } }))
    const text = /--q-site-text-light:(#[0-9a-f]{6})/.exec(html)?.[1]
    expect(text).not.toBe('#ffe000')
    expect(html).toContain('--q-site-ink-light:#0a0c10')
  })

  it('says in which language it is, and in which direction that is read', () => {
    const [first] = sampleShell().sections
    const shell = sampleShell({
      sections: [
        { ...first!, switches: [{ kind: 'language', label: 'العربية' }], lang: 'ar' },
        { ...first!, switches: [{ kind: 'language', label: 'English' }], href: '/en' },
      ],
    })
    const html = compose('/quickstart', shell)
    expect(html).toMatch(/^<!doctype html><html lang="ar" dir="rtl"/)
    expect(html).toContain('العربية')
    expect(html).toContain('English')
  })

  it('is known as long where it is: of that, what is out of sight is not laid out', () => {
    const classOf = (html: string): string | undefined =>
      /class="(q-prose[^"]*)"/.exec(compose('/quickstart', sampleShell(), sampleArtifact({ html })))?.[1]
    expect([classOf('<p>a</p>'), classOf('<p>a</p>'.repeat(30_000))]).toEqual(['q-prose', 'q-prose q-long'])
  })

  it.each(['wide', 'custom', 'frame', 'center'] as const)('has no contents list in mode %s', (mode) => {
    const html = compose('/quickstart', sampleShell(), sampleArtifact({ mode }))
    expect(html).toContain(`<body class="q-mode-${mode} q-has-tabs">`)
    expect(html).not.toContain('data-contents')
  })

  it('lists the headings of levels two and three, with their ids as fragments', () => {
    const headings = [
      { id: 'größe', level: 2, text: 'Größe' },
      { id: 'b', level: 3, text: 'B' },
      { id: 'c', level: 4, text: 'C' },
    ]
    const html = compose('/quickstart', sampleShell(), sampleArtifact({ headings }))
    expect(html).toContain('<li class="q-l2"><a href="#gr%C3%B6%C3%9Fe">Größe</a></li>')
    expect(html).toContain('<li class="q-l3"><a href="#b">B</a></li>')
    expect(html).not.toContain('href="#c"')
  })
})

describe('the settings of a site', () => {
  it('cost a site that has none of them no byte', () => {
    const html = compose('/quickstart')
    expect(html.match(/<style>(.*?)<\/style>/)?.[1]).toMatch(/^:root\{(?:--q-site-[\w-]+:#[\da-f]{6};?)+\}$/)
  })

  it('are in the one style that the policy allows by its hash', () => {
    const look = { image: { light: '/a".png', dark: '/b.png' }, code: { light: 'dracula', dark: 'dracula' } }
    const document = atOnce(createComposer(sampleOptions).open(bytes(sampleShell({ look })))).page(
      bytes(sampleArtifact()),
      '/quickstart',
    )
    const style = /<style>(.*?)<\/style>/.exec(document.html)?.[1] ?? ''
    expect(document.csp).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    expect(style).toContain('url("/a%22.png")')
    expect(style).toContain('--q-bg-code:#282a36')
  })

  it('take colours of code from variables of the site, where it asks for that', () => {
    const html = compose(
      '/quickstart',
      sampleShell({ look: { code: { light: 'css-variables', dark: 'css-variables' } } }),
    )
    expect(html).toContain('--q-bg-code:var(--mint-color-background,')
    expect(html).toContain('.q-code .q-s{color:var(--mint-token-string,')
  })

  it('have the name of an example in colours of the code that it stands on', () => {
    const html = compose('/quickstart', sampleShell({ look: { code: { light: 'dracula', dark: 'github-dark' } } }))
    const rules = [
      ...html.matchAll(/([^{}]*):is\(\.q-code,\.q-aside \.q-example-title:has\(\+\.q-code\)\)\{([^}]*)\}/g),
    ]
    expect(rules.map(([, pages = '', colours = '']) => [pages, /--q-text:(#\w+)/.exec(colours)?.[1]])).toEqual([
      ['', '#f8f8f2'],
      ['[data-theme=dark] ', '#e1e4e8'],
    ])
  })

  it('let nothing that an author writes end the style', () => {
    const look = { image: { light: '/</style><script>', dark: 'javascript:alert(1)' } }
    const html = compose('/quickstart', sampleShell({ look }))
    expect(html).not.toContain('<script>x')
    expect(count(html, '</style>')).toBe(1)
    expect(html).not.toContain('javascript:')
  })

  it('show the group of a page alone over its title', () => {
    const eyebrow = /class="q-eyebrow">(.*?)<\/p>/
    expect(eyebrow.exec(compose('/writing/snippets'))?.[1]).toContain('Writing')
    const html = compose('/writing/snippets', sampleShell({ look: { eyebrow: 'section' } }))
    expect(eyebrow.exec(html)?.[1]).toBe('<span>Advanced</span>')
  })

  it('say what the search field says, and what a lost reader is told', () => {
    expect(compose('/quickstart', sampleShell({ search: true, prompt: 'Find tea' }))).toContain('<span>Find tea</span>')
    const lost = { title: 'Cold', parts: [{ text: 'Go ' }, { text: 'home', href: '/' }] }
    const { html } = atOnce(createComposer(sampleOptions).open(bytes(sampleShell({ lost })))).notFound('/x')
    expect(html).toContain('<h1 class="q-title">Cold</h1>')
    expect(html).toContain('Go <a href="/">home</a>')
  })

  it('give a banner a colour on which its words can be read', () => {
    const banner = { text: 'Stop', color: { light: '#ffee00' } }
    const html = compose('/quickstart', sampleShell({ banner }))
    const name = /class="q-banner (q-banner-[^"]+)"/.exec(html)?.[1] ?? ''
    expect(html).toContain(`.${name}{background:#ffee00;color:#0a0c10}`)
  })

  it('give the document no name that style sheets of sites have for the banner itself', () => {
    const html = compose('/quickstart', sampleShell({ banner: { text: 'Stop', dismissible: true } }))
    expect(/<html[^>]*>/.exec(html)?.[0]).toMatch(/ data-q-banner="/)
    expect(html).not.toContain(' data-banner')
  })

  it('give a language a banner and a footer of its own', () => {
    const shell = sampleShell({
      lang: 'de',
      languages: { de: { banner: { text: 'Neu' }, footer: { socials: [], columns: [] } } },
    })
    const html = compose('/quickstart', shell)
    expect(html).toContain('Neu')
    expect(html).not.toContain('status.example.com')
  })

  it('name another address for search engines, and who publishes the site', () => {
    const shell = sampleShell({ canonical: 'https://example.com/docs', organization: { legalName: 'Us Inc.' } })
    const html = compose('/quickstart', shell)
    expect(html).toContain('<link rel="canonical" href="https://example.com/docs/quickstart">')
    expect(html).toContain('"publisher":{"@type":"Organization","name":"Quire","legalName":"Us Inc."}')
  })
})

describe('a site below a path of its host', () => {
  it('has that path before all of its own: links, files, what is loaded first, and what programs are told', () => {
    const shell = sampleShell({ url: 'https://example.com/docs', base: '/docs' })
    const document = atOnce(createComposer(sampleOptions).open(bytes(shell))).page(
      bytes(sampleArtifact({ html: '<p><a href="/writing/pages">x</a> <img src="/a.png" alt="a"></p>' })),
      '/quickstart',
    )
    const hrefs = Array.from(document.html.matchAll(/\s(?:href|src)="(\/[^"]*)"/g), ([, href]) => href)
    expect(hrefs.length).toBeGreaterThan(10)
    expect(hrefs.filter((href) => href !== '/docs' && href?.startsWith('/docs/') !== true)).toEqual([])
    expect(document.html).toContain('<link rel="canonical" href="https://example.com/docs/quickstart">')
    expect(document.html).toContain('data-base="/docs"')
    expect(
      [...(document.preload ?? []), ...(document.describedBy ?? [])].every((path) => path.startsWith('/docs/')),
    ).toBe(true)
  })
})

describe('finding the way', () => {
  it('marks the current page once in the sidebar', () => {
    const html = compose('/quickstart')
    expect(count(html, 'aria-current="page"')).toBe(1)
    expect(html).toMatch(/<a aria-current="page"[^>]*href="\/quickstart"/)
  })

  it('opens the nested group of the current page and leaves others as they are set', () => {
    expect(compose('/writing/snippets')).toMatch(/<details open><summary[^>]*><span>Advanced/)
    const elsewhere = compose('/quickstart')
    expect(elsewhere).toMatch(/<details><summary[^>]*><span>Advanced/)
    expect(elsewhere).toMatch(/<details open><summary[^>]*><span>Reference/)
  })

  it('shows the groups over the title and the way on below', () => {
    const html = compose('/quickstart')
    expect(html).toMatch(/q-eyebrow"><span>Get started<\/span>/)
    const trail = [{ title: 'Writing', href: '/writing/pages' }, 'Advanced']
    const deep = compose('/writing/snippets', sampleShell({ places: { '/writing/snippets': { section: 0, trail } } }))
    expect(deep).toMatch(/q-eyebrow"><a href="\/writing\/pages">Writing<\/a><svg.*?<\/svg><span>Advanced<\/span>/)
    expect(html).toMatch(/rel="prev"[^>]*>|href="\/"[^>]*rel="prev"/)
    expect(html).toContain('<small>Previous</small>Welcome')
    expect(html).toContain('<small>Next</small>Pages')
    expect(compose('/writing/snippets')).not.toContain('q-pager"')
  })

  it('gives a page outside navigation the first sidebar, with nothing marked', () => {
    const html = compose('/somewhere')
    expect(html).toContain('href="/quickstart"')
    expect(html).not.toContain('aria-current="page"')
  })

  it('marks the tab of the page, and offers the others', () => {
    const html = compose('/api/deploy')
    expect(html).toMatch(/<a class="q-tabbar-link" aria-current="true" href="\/api\/deploy"/)
    expect(html).toMatch(/<a class="q-tabbar-link" href="\/"/)
    expect(html).not.toContain('href="/writing/pages"')
  })

  it('keeps the tab when the version changes', () => {
    const section = (version: string, tab: string, href: string) => ({
      switches: [
        { kind: 'version' as const, label: version },
        { kind: 'tab' as const, label: tab },
      ],
      href,
      items: [],
    })
    const shell = sampleShell({
      sections: [
        section('v2', 'Guide', '/v2/guide'),
        section('v2', 'API', '/v2/api'),
        section('v1', 'Guide', '/v1/guide'),
        section('v1', 'API', '/v1/api'),
      ],
      places: { '/v2/api': { section: 1, trail: [] } },
    })
    const html = compose('/v2/api', shell)
    expect(html).toMatch(/<a class="q-menu-link" href="\/v1\/api"/)
    expect(html).not.toContain('href="/v1/guide"')
    expect(html).toMatch(/<a class="q-tabbar-link" href="\/v2\/guide"/)
  })
})

describe('the changelog', () => {
  const opened = atOnce(createComposer(sampleOptions).open(bytes(sampleShell())))
  const url = 'https://app.example.com/dashboard/docs/changelog'

  it('is linked from the foot of every page when there is one', () => {
    for (const { html } of [
      opened.page(bytes(sampleArtifact()), '/quickstart', { changelog: url }),
      opened.notFound('/nowhere', { changelog: url }),
    ])
      expect(html).toContain(`href="${url}" rel="noopener">Changelog</a>`)
  })

  it('leaves no trace where there is none', () => {
    const { html } = opened.page(bytes(sampleArtifact()), '/quickstart')
    expect(html).not.toContain('Changelog</a>')
    expect(opened.page(bytes(sampleArtifact()), '/quickstart', {}).html).toBe(html)
  })
})

describe('a page that is not there', () => {
  it('is a document with ways home and without an address of its own', () => {
    const { html } = atOnce(createComposer(sampleOptions).open(bytes(sampleShell()))).notFound('/no/<b>such</b>')
    expect(html).toContain('<title>Page not found - Quire</title>')
    expect(html).toContain('/no/&lt;b&gt;such')
    expect(html).toContain('Back to Quire')
    expect(html).toContain('<a href="/api/deploy">API</a>')
    expect(html).toContain('noindex')
    expect(html).not.toContain('canonical')
  })
})

describe('groups that fold', () => {
  const items: NavItem[] = [
    {
      kind: 'group',
      title: 'Outer',
      items: [{ kind: 'group', title: 'Inner', items: [{ kind: 'page', title: 'First', href: '/inner/first' }] }],
    },
  ]
  const site = (changes: Partial<Shell>): string =>
    compose('/', sampleShell({ sections: [{ switches: [], href: '/', items }], places: {}, ...changes }))

  it('lead to their first page, too, where the site wants that', () => {
    expect(site({})).toMatch(/<summary class="q-nav-link"><span>Inner/)
    expect(site({ drilldown: true })).toMatch(/<summary class="q-nav-link"><a href="\/inner\/first"><span>Inner/)
  })
})

describe('a site of five thousand pages', () => {
  const groups: NavItem[] = Array.from({ length: 50 }, (_, g) => ({
    kind: 'group',
    title: `Group ${g}`,
    items: Array.from({ length: 100 }, (_page, p) => ({ kind: 'page', title: `Page ${g}-${p}`, href: `/g${g}/p${p}` })),
  }))
  const site = (items: NavItem[], path: string): string =>
    compose(path, sampleShell({ sections: [{ switches: [], href: '/g0/p0', items }], places: {} }))

  it('shows the open group and a link into each of the others', () => {
    const html = site(groups, '/g7/p50')
    expect(html).toMatch(/<a aria-current="page"[^>]*href="\/g7\/p50"/)
    expect(html).toContain('href="/g7/p99"')
    expect(html).toContain('href="/g8/p0"')
    expect(html).not.toContain('href="/g8/p1"')
    expect(count(html, 'q-nav-link')).toBeLessThan(300)
  })

  it('shows a window of a list that is long by itself', () => {
    const flat = groups.flatMap((group) => (group.kind === 'group' ? group.items : []))
    const html = site(flat, '/g25/p0')
    expect(html).toMatch(/<a aria-current="page"[^>]*href="\/g25\/p0"/)
    expect(count(html, 'q-nav-link')).toBeLessThan(150)
    expect(html).toContain('aria-label="Earlier entries"')
    expect(html).toContain('aria-label="Later entries"')
  })
})
