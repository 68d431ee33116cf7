import { describe, expect, it } from 'vitest'
import { asciiName, domainName } from '#domains/name.ts'

const own = { serviceHost: 'app.quire.dev', previewDomain: 'quire-sites.net' }

describe('the name of a domain', () => {
  it.each([
    ['docs.example.com', 'docs.example.com'],
    [' Docs.Example.COM. ', 'docs.example.com'],
    ['example.com', 'example.com'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['docs.例え.jp', 'docs.xn--r8jz45g.jp'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['ｄｏｃｓ。example。com', 'docs.example.com'],
    ['docs.acme.co.uk', 'docs.acme.co.uk'],
    ['mine.github.io', 'mine.github.io'],
    ['a.b.c.d.example.com', 'a.b.c.d.example.com'],
    ['1.example.com', '1.example.com'],
    ['quire-sites.net.example.com', 'quire-sites.net.example.com'],
    ['notquire-sites.net', 'notquire-sites.net'],
  ])('%j is %s', (text, name) => {
    expect(domainName(text, own)).toBe(name)
  })

  it.each([
    ['', 'is empty'],
    ['https://docs.example.com/', 'is an address'],
    ['docs.example.com/guide', 'has a path'],
    ['docs.example.com:8443', 'has a port'],
    ['*.example.com', 'has a wildcard'],
    ['192.0.2.1', 'is an IP address'],
    ['0x7f.1', 'is an IP address'],
    ['2130706433', 'is an IP address'],
    ['[2001:db8::1]', 'is an IP address'],
    ['2001:db8::1', 'is an IP address'],
    ['docs_example.com', 'is not a host name'],
    ['-docs.example.com', 'is not a host name'],
    ['docs..example.com', 'is not a host name'],
    ['docs example.com', 'is not a host name'],
    ['user@example.com', 'is not a host name'],
    ['%64ocs.example.com', 'is not a host name'],
    ['docs.example.com\u0000', 'is not a host name'],
    ['docs\u2024example.com\\', 'is not a host name'],
    [`${'a'.repeat(64)}.example.com`, 'is not a host name'],
    [`${'a.'.repeat(130)}com`, 'is longer than'],
    ['com', 'is a public suffix'],
    ['co.uk', 'is a public suffix'],
    ['github.io', 'is a public suffix'],
    ['localhost', 'does not end in what the public DNS knows'],
    ['docs.internal', 'does not end in what the public DNS knows'],
    ['docs.local', 'does not end in what the public DNS knows'],
    ['intranet', 'does not end in what the public DNS knows'],
    ['quire-sites.net', 'is below the domain of all sites'],
    ['docs.quire-sites.net', 'is below the domain of all sites'],
    ['app.quire.dev', 'is the service’s own'],
    ['docs.app.quire.dev', 'is the service’s own'],
    ['quire.dev', 'is the service’s own'],
    ['docs.quire.dev', 'is the service’s own'],
  ])('%j is refused: it %s', (text, why) => {
    expect(() => domainName(text, own)).toThrow(expect.objectContaining({ code: 'invalid_domain' }) as Error)
    expect(() => domainName(text, own)).toThrow(why)
  })

  it('is refused with no more of it than a line holds', () => {
    try {
      domainName('x'.repeat(100_000), own)
      expect.unreachable()
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(400)
    }
  })

  it('is looked up however it is written', () => {
    expect([asciiName('DOCS.example.com.'), asciiName('BÜCHER.de'), asciiName('a b'), asciiName('')]).toEqual([
      'docs.example.com',
      'xn--bcher-kva.de',
      null,
      null,
    ])
  })
})
