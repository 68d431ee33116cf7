import { describe, expect, test } from 'vitest'
import { classify, planUrls, markdownPathOf } from '#site/build/plan.ts'
import { atOnce } from '#test/support/at-once.ts'

const configured = { configured: true, configFiles: new Set(['docs.json']), navigated: new Set<string>() }
const plain = { configured: false, configFiles: new Set<string>(), navigated: new Set<string>() }

const sort = (...input: Parameters<typeof classify>) => atOnce(classify(...input))

function urls(paths: readonly string[], conventions: Parameters<typeof classify>[1] = configured) {
  return sort(paths, conventions).pages.map(({ url }) => url)
}

describe('pages', () => {
  test('live at clean URLs', () => {
    expect(urls(['index.mdx', 'guide/start.mdx', 'guide/index.md', 'a/b/c.MD', 'größe.md'])).toEqual([
      '/',
      '/guide/start',
      '/guide',
      '/a/b/c',
      '/größe',
    ])
  })

  test('snippets, hidden folders and packages are none', () => {
    expect(
      urls([
        'snippets/a.mdx',
        '_snippets/b.mdx',
        'guide/_snippets/c.md',
        '.github/x.md',
        'a/.hidden/x.md',
        'node_modules/p/readme.md',
      ]),
    ).toEqual([])
  })

  test('with docs.json, files for the repository’s people are pages only where navigation names them', () => {
    const paths = ['README.md', 'CONTRIBUTING.md', 'LICENSE.md', 'AGENTS.md', 'CHANGELOG.mdx', 'guide/README.md']
    expect(urls(paths)).toEqual(['/guide/README'])
    expect(urls(paths, { ...configured, navigated: new Set(['CHANGELOG']) })).toEqual(['/CHANGELOG', '/guide/README'])
  })

  test('without docs.json, README is the index of its folder unless there is one', () => {
    expect(urls(['README.md', 'a/readme.md', 'b/README.md', 'b/index.md', 'CHANGELOG.md'], plain)).toEqual([
      '/',
      '/a',
      '/b/README',
      '/b',
      '/CHANGELOG',
    ])
  })
})

describe('assets', () => {
  test('are published by ending, with their content type', () => {
    const { assets } = sort(
      ['a.PNG', 'b.svg', 'fonts/c.woff2', 'openapi.json', 'feed.xml', '.well-known/security.txt'],
      configured,
    )
    expect(assets.map(({ url, type }) => [url, type])).toEqual([
      ['/a.PNG', 'image/png'],
      ['/b.svg', 'image/svg+xml'],
      ['/fonts/c.woff2', 'font/woff2'],
      ['/openapi.json', 'application/json; charset=utf-8'],
      ['/feed.xml', 'text/plain; charset=utf-8'],
      ['/.well-known/security.txt', 'text/plain; charset=utf-8'],
    ])
  })

  test('what could run on the site’s origin is not published, but for scripts of the site', () => {
    const { assets, own, unpublished } = sort(
      ['evil.html', 'a.js', 'evil.mjs', 'evil.xhtml', 'style.css', 'noending'],
      configured,
    )
    expect(assets).toEqual([])
    expect(own).toEqual(['a.js', 'style.css'])
    expect(unpublished).toEqual(['evil.html', 'evil.mjs', 'evil.xhtml', 'noending'])
  })

  test('configuration, tooling, licences and what proves control of a host are kept back in silence', () => {
    const paths = [
      'docs.json',
      'package.json',
      'LICENSE',
      '.gitignore',
      '.env',
      '.well-known/acme-challenge/x.txt',
      '.well-known/pki-validation/x.txt',
      '_quire/main.css',
      '_quire/x.png',
    ]
    expect(sort(paths, configured)).toEqual({ pages: [], assets: [], own: [], unpublished: [] })
  })
})

describe('URLs', () => {
  test('two sources for one path are an error that names both', () => {
    const { errors } = atOnce(planUrls(sort(['a.mdx', 'a/index.mdx', 'b.md', 'b.mdx'], configured)))
    expect(errors.map(({ message }) => message)).toEqual([
      'a/index.mdx and a.mdx would both be at /a: rename or remove one of them.',
      'b.mdx and b.md would both be at /b: rename or remove one of them.',
    ])
  })

  test('a page cannot take the path of a file or of a Markdown twin', () => {
    expect(atOnce(planUrls(sort(['x.txt', 'x.txt.mdx', 'y.mdx', 'y.md.mdx'], configured))).errors).toHaveLength(2)
  })

  test('the Markdown of a page has its URL and .md', () => {
    expect([markdownPathOf('/'), markdownPathOf('/guide'), markdownPathOf('/a/b')]).toEqual([
      '/index.md',
      '/guide.md',
      '/a/b.md',
    ])
  })
})
