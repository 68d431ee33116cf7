import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Redirect } from '#contract/release.ts'
import { redirectionOf } from '#hosting/serving/resolve.ts'
import { RedirectTable } from '#lib/redirect-table.ts'
import { atOnce } from '#test/support/at-once.ts'

const to = (from: string, target: string): Redirect => ({ from, to: target, status: 308 })
const find = (redirects: readonly Redirect[], path: string, query = ''): string | undefined =>
  redirectionOf(atOnce(RedirectTable.from(redirects)), { path, query })?.location

describe('redirects', () => {
  it.each([
    ['/a', '/b', '/a', '', '/b'],
    ['/a/', '/b', '/a', '', '/b'],
    ['/a', '/b#part', '/a', '?x=1', '/b?x=1#part'],
    ['/a', '/b?y=2', '/a', '?x=1', '/b?y=2&x=1'],
    ['/a', 'https://example.com:8443/b', '/a', '', 'https://example.com:8443/b'],
    ['/blog/:slug', '/posts/:slug', '/blog/one', '', '/posts/one'],
    ['/blog/:slug', '/posts/:slug', '/blog/ü b', '', '/posts/%C3%BC%20b'],
    ['/:year/:month', '/archive/:month-:year', '/2026/05', '', '/archive/05-2026'],
    ['/docs/:path*', '/:path*', '/docs/a/b', '', '/a/b'],
    ['/docs/:path*', '/new/:path*', '/docs', '', '/new/'],
    ['/docs/*', 'https://example.com/*', '/docs/a/b', '?q=1', 'https://example.com/a/b?q=1'],
    ['/caf%C3%A9', '/b', '/café', '', '/b'],
    ['/a', '/b c<"', '/a', '', '/b%20c%3C%22'],
    ['/a', '/b', '/a', '?x=<script>', '/b?x=%3Cscript%3E'],
  ])('%s to %s answers %s%s with %s', (from, target, path, query, expected) => {
    expect(find([to(from, target)], path, query)).toBe(expected)
  })

  it.each([
    ['/a', 'javascript:alert(1)', '/a'],
    ['/a', '//evil.example', '/a'],
    ['/a', '/\\evil.example', '/a'],
    ['/a', '\thttps://evil.example', '/a'],
    ['/a', 'data:text/html,x', '/a'],
    ['/a', 'https://user@evil.example', '/a'],
    ['/go/:host', 'https://:host/', '/go/evil.example'],
    ['/go/:host', 'https://example.:host/', '/go/evil'],
    ['/((a+)+)$', '/x', '/aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'],
    ['/_quire/theme.js', '/x', '/_quire/theme.js'],
    ['/*', '/x', '/_quire/theme.js'],
    ['/.well-known/acme-challenge/:t', 'https://evil.example/:t', '/.well-known/acme-challenge/t'],
    ['/blog/:slug', '/posts/:slug', '/blog/a/b'],
    ['/blog/:slug', '/posts/:slug', '/blog/'],
  ])('%s to %s leaves %s alone', (from, target, path) => {
    expect(find([to(from, target)], path)).toBeUndefined()
  })

  it('never leads to itself', () => {
    expect(find([to('/g', '/g')], '/g')).toBeUndefined()
    expect(find([to('/*', '/x')], '/x')).toBeUndefined()
    expect(find([to('/*', '/x')], '/y')).toBe('/x')
  })

  it('takes the first pattern that matches, and exact paths before all patterns', () => {
    const table = [to('/a/:x', '/1'), to('/a/*', '/2'), to('/a/b', '/3')]
    expect([find(table, '/a/b'), find(table, '/a/c'), find(table, '/a/c/d')]).toEqual(['/3', '/1', '/2'])
  })

  it('never gives a Location that leaves the site unasked or breaks the header, whatever the path', () => {
    const paths = fc.array(
      fc.oneof(
        fc.constantFrom('', '..', 'evil.example', '\\', 'a b', '%0d%0a', ':x', '*'),
        fc.string({ unit: 'grapheme' }),
      ),
      { maxLength: 5 },
    )
    const safe = (parts: readonly string[]): boolean =>
      ['/:path*', '/x/:path*', '/:path*?q=:path*'].every((target) => {
        const location = find([to('/:path*', target)], '/' + parts.join('/'), '?z=1')
        return location === undefined || /^\/(?![/\\])[\x21-\x7e]*$/.test(location)
      })
    expect(fc.check(fc.property(paths, safe)).counterexample).toBeNull()
  })
})
