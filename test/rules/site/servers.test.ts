import { describe, expect, it } from 'vitest'
import { isLoopback, serverFamily, serverOrigin } from '#site/servers.ts'
import { atOnce } from '#test/support/at-once.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

describe('the servers that a page may ask', () => {
  it('are those with TLS, and those of the reader’s own machine', () => {
    expect(serverOrigin('https://api.example.com/v1?x=1')).toBe('https://api.example.com')
    expect(serverOrigin('https://API.example.com:8443/')).toBe('https://api.example.com:8443')
    expect(serverOrigin('http://localhost:3000/v1')).toBe('http://localhost:3000')
    expect(serverOrigin('http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000')
    // Policies have no form for addresses of version 6.
    expect(serverOrigin('http://[::1]:3000')).toBeUndefined()
    expect(serverOrigin('http://api.example.com')).toBeUndefined()
  })

  it.each([
    ['*'],
    ['https://*'],
    ['https://*.example.com'],
    ['https://{tenant}.example.com'],
    ["https://a.example; script-src 'unsafe-inline'"],
    ["https://a.example;script-src'unsafe-inline'/"],
    ['https://a.example, https://b.example'],
    ['https://a.example\r\nSet-Cookie: a=b'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['/v1'],
    ['https://'],
    [`https://${'a.'.repeat(200)}example`],
  ])('are none that a policy could read as more than one origin: %s', (address) => {
    const origin = serverOrigin(address)
    expect(origin === undefined || /^https:\/\/[a-z0-9.-]+$/.test(origin)).toBe(true)
  })

  it('are all below a domain where readers write what stands before it, and never below a name that nobody has', () => {
    expect(serverFamily('https://{tenant}.example.com/v1')).toBe('https://*.example.com')
    expect(serverFamily('https://{a}.eu-{b}.shops.example.co.uk:8443')).toBe('https://*.shops.example.co.uk:8443')
    for (const address of ['https://{x}.com', 'https://{a}.{b}', 'https://{x}.co.uk', 'https://{x}.com.au/v1'])
      expect(serverFamily(address), address).toBeUndefined()
  })

  it('stand in the policy of that page alone, those of the own machine only where a site is written', () => {
    const policyOf = (servers: readonly string[] | undefined, isLocal = false): string => {
      const composer = createComposer({ ...sampleOptions, isLocal })
      const artifact = sampleArtifact(servers === undefined ? {} : { servers: [...servers] })
      return atOnce(composer.open(bytes(sampleShell()))).page(bytes(artifact), '/quickstart').csp
    }
    const servers = ['https://api.example.com', 'http://localhost:3000']
    expect(policyOf(undefined)).not.toContain('connect-src')
    expect(policyOf(servers)).toContain("connect-src 'self' https://api.example.com;")
    expect(policyOf(servers, true)).toContain("connect-src 'self' https://api.example.com http://localhost:3000;")
    expect(isLoopback('https://localhost.example.com')).toBe(false)
  })
})
