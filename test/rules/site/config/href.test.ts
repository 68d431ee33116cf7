import { describe, expect, test } from 'vitest'
import { decodePath, encodePath } from '#lib/url-path.ts'
import { checkHref } from '#site/config/href.ts'

describe('checkHref', () => {
  test.each([
    ['/guide', '/guide'],
    ['guide/start', '/guide/start'],
    ['./guide', '/guide'],
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['HTTP://example.com', 'HTTP://example.com'],
    ['mailto:docs@example.com', 'mailto:docs@example.com'],
    ['tel:+491234', 'tel:+491234'],
    ['/a:b', '/a:b'],
  ])('allows %s', (value, href) => {
    expect(checkHref(value)).toMatchObject({ href })
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'java\tscript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\thttps://evil.example',
    'https:evil.example',
    'https://',
    'https://user:secret@example.com',
    '/a\r\nSet-Cookie: x=y',
    '/a\u2028b',
    '',
    '   ',
    `/${'a'.repeat(3000)}`,
  ])('refuses %j', (value) => {
    expect(checkHref(value)).toHaveProperty('refused')
  })
})

test('a path is encoded for an href and comes back the same', () => {
  for (const path of ['/guide/start', '/a b/c?d#e', '/100%', '/größe', '/a%20b', '/x(y)'])
    expect(decodePath(encodePath(path))).toBe(path)
})
