import { describe, expect, test } from 'vitest'
import { Problems } from '#site/config/problems.ts'
import { readRedirects } from '#site/config/redirects.ts'
import { atOnce } from '#test/support/at-once.ts'

function read(entries: readonly (readonly [string, string])[], existing: readonly string[] = []) {
  const problems = new Problems()
  const pages = new Set(['/x', '/new', ...existing])
  const written = entries.map(([source, destination]) => ({ source, destination }))
  const redirects = atOnce(readRedirects(written, { exists: (path) => pages.has(path), implied: [], problems }))
  return { redirects, errors: problems.errors, warnings: problems.warnings }
}

describe('redirects', () => {
  test('that lead to another one are told where readers come out', () => {
    const { warnings, errors } = read([
      ['/a', '/b#part'],
      ['/b', '/c'],
      ['/c', '/new'],
      ['/d', 'https://example.com'],
      ['/e', '/x'],
      ['/latest/:page*', '/new'],
      ['/f', '/latest/start'],
    ])
    expect(errors).toEqual([])
    expect(warnings.map(({ message }) => message)).toEqual([
      'The destination "/b#part" is itself redirected. Lead straight to /new#part.',
      'The destination "/c" is itself redirected. Lead straight to /new.',
    ])
  })

  test('lead wherever the site answers, and to parts that a page has', () => {
    const problems = new Problems()
    const lead = (destination: string, index: number) => ({ source: `/from-${index}`, destination })
    const to = ['/new', '/new/index', '/llms.txt', '/new#part', '/new/index#part', '/old-folder', '/new#no', '/lost']
    atOnce(
      readRedirects(to.map(lead), {
        exists: (path) => path === '/new',
        answers: (path) => path === '/new/index' || path === '/llms.txt',
        hasAnchor: (_path, fragment) => fragment !== 'no',
        implied: [{ from: '/old-folder', to: '/new', status: 307 }],
        problems,
      }),
    )
    expect(problems.warnings.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      'anchor-broken: The destination "/new#no" is a page that has no anchor #no.',
      'redirect-broken: The destination "/lost" is no page or file of the site.',
    ])
  })

  test('are permanent unless they say otherwise', () => {
    const context = { exists: () => true, implied: [], problems: new Problems() }
    const entries = [{ source: 'old/', destination: '/new' }]
    expect(atOnce(readRedirects(entries, { ...context, exists: (path) => path === '/new' }))).toEqual([
      { from: '/old', to: '/new', status: 308 },
    ])
    expect(
      atOnce(
        readRedirects([{ source: '/o', destination: 'new', permanent: false }], { ...context, exists: () => false }),
      ),
    ).toEqual([{ from: '/o', to: '/new', status: 307 }])
  })

  test.each([
    ['/a', '/new#part'],
    ['/a', 'https://example.com/x'],
    ['/a/:name', '/b/:name/c'],
    ['/a/:rest*', '/b/:rest*'],
    ['/a/:rest*', '/b/:rest'],
    ['/a/*', '/b/*'],
    ['/:rest*', 'https://docs.example/:rest*'],
    ['/a%20b', '/new'],
  ])('%s → %s is fine', (source, destination) => {
    const { redirects, errors } = read([[source, destination]])
    expect(errors).toEqual([])
    expect(redirects).toHaveLength(1)
  })

  test.each([
    'javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    '/%0d%0aSet-Cookie:%20x=y',
    '/a\nb',
    'data:text/html,x',
    '\thttps://evil.example',
    'mailto:a@b.example',
    'https://:host/x',
  ])('the destination %j is an error', (destination) => {
    const { redirects, errors } = read([['/a', destination]])
    expect(redirects).toEqual([])
    expect(errors).toMatchObject([{ pointer: '/redirects/0/destination' }])
  })

  test.each([
    '/_quire/app.js',
    '/_platform/api/login',
    '/.well-known/acme-challenge/:t',
    '/%2ewell-known/x',
    '/_QUIRE',
    'https://example.com/a',
    '//a',
  ])('the source %s is an error', (source) => {
    expect(read([[source, '/x']]).errors).toMatchObject([{ pointer: '/redirects/0/source' }])
  })

  test.each(['/((a+)+)$', '/a-:slug*', '/:a*/b', '/*/b', '/a?b=c', '/a#b', '/a//b', '/a/../b', '/%zz'])(
    'the source %s is left out with a warning',
    (source) => {
      const { redirects, errors, warnings } = read([[source, '/x']])
      expect([redirects, errors]).toEqual([[], []])
      expect(warnings).toHaveLength(1)
    },
  )

  test('an unknown parameter in the destination is left out with a warning', () => {
    expect(read([['/a/:b', '/c/:d']])).toMatchObject({
      redirects: [],
      warnings: [{ pointer: '/redirects/0/destination' }],
    })
  })

  test('a page wins over a redirect, an earlier redirect over a later', () => {
    const { redirects, warnings } = read([
      ['/x', '/new'],
      ['/a', '/x'],
      ['/a/', '/new'],
    ])
    expect(redirects).toEqual([{ from: '/a', to: '/x', status: 308 }])
    expect(warnings.map(({ pointer }) => pointer)).toEqual(['/redirects/0', '/redirects/2'])
  })

  test('a destination that is nothing is a warning', () => {
    expect(read([['/a', '/nothing']])).toMatchObject({
      redirects: [{ to: '/nothing' }],
      warnings: [{ pointer: '/redirects/0/destination' }],
    })
  })

  test.each([
    [[['/g', '/g']]],
    [[['/g', '/g#part']]],
    [
      [
        ['/h', '/i'],
        ['/i', '/h'],
      ],
    ],
    [[['/a/:rest*', '/a/b/:rest*']]],
    [
      [
        ['/a/:rest*', '/b/:rest*'],
        ['/b/*', '/a/*'],
      ],
    ],
    [[['/*', '/nothing']]],
  ] as const)('the loop %j is an error', (entries) => {
    expect(read(entries).errors[0]?.message).toMatch(/never arrives/)
  })

  test('what only looks like a loop is none', () => {
    expect(read([['/*', '/x']]).errors).toEqual([])
    expect(read([['/f/:path*', '/:path*']]).errors).toEqual([])
    expect(
      read([
        ['/a', '/b'],
        ['/b', '/x'],
      ]).errors,
    ).toEqual([])
  })
})
