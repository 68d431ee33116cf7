import { describe, expect, it } from 'vitest'
import { hostDecider, originForm, type HostDecision, type HostSettings, originProblem } from '#http/sites/hosts.ts'

const production: HostSettings = { publicUrl: 'https://dashboard.example', previewDomain: 'preview.example' }
const local: HostSettings = { publicUrl: 'http://localhost:4000', previewDomain: 'localhost:4000' }

interface Asked {
  readonly hosts: readonly string[]
  readonly url?: string
  readonly httpVersion?: string
  readonly more?: readonly string[]
}

function ask(settings: HostSettings, { hosts, url = '/', httpVersion = '1.1', more = [] }: Asked): HostDecision {
  const rawHeaders = [...more, ...hosts.flatMap((host) => ['Host', host])]
  return hostDecider(settings)({ rawHeaders, url, httpVersion, localPort: 4000 })
}

const short = (decision: HostDecision): string | number =>
  decision.kind === 'site' ? `site ${decision.label}` : decision.kind === 'service' ? 'service' : decision.status

describe('the host of a request', () => {
  it.each([
    ['dashboard.example', 'service'],
    ['DASHBOARD.example.', 'service'],
    ['dashboard.example:443', 'service'],
    ['dashboard.example:8080', 421],
    ['tenant-a.preview.example', 'site tenant-a'],
    ['TENANT-A.preview.example.', 'site tenant-a'],
    ['tenant-a.preview.example.:443', 'site tenant-a'],
    ['tenant-a--branch.preview.example', 'site tenant-a--branch'],
    ['tenant-a.preview.example..', 400],
    ['tenant-a.preview.example:4000', 421],
    ['tenant-a.preview.example:80@evil.example', 400],
    ['user@tenant-a.preview.example', 400],
    ['a.b.preview.example', 404],
    ['preview.example', 404],
    ['-a.preview.example', 400],
    ['_quire.preview.example', 404],
    [`${'a'.repeat(64)}.preview.example`, 404],
    ['.preview.example', 400],
    ['evilpreview.example', 421],
    ['evil.example', 421],
    ['preview.example.evil.example', 421],
    ['127.0.0.1:4000', 'service'],
    ['[::1]:4000', 'service'],
    ['127.0.0.1', 421],
    ['10.0.0.1:4000', 421],
    ['', 400],
    ['a b.preview.example', 400],
    ['a/b.preview.example', 400],
    ['tenant\u00e9.preview.example', 400],
    ['tenant-a.preview.example:', 400],
    ['tenant-a.preview.example:99999', 400],
    [`${'a.'.repeat(200)}preview.example`, 400],
  ])('%s is %s in production', (host, expected) => {
    expect(short(ask(production, { hosts: [host] }))).toBe(expected)
  })

  it.each([
    ['localhost:4000', 'service'],
    ['localhost', 'service'],
    ['127.0.0.1:4000', 'service'],
    ['docs.localhost:4000', 'site docs'],
    ['docs.localhost', 'site docs'],
    ['docs.localhost:5000', 421],
    ['a.b.localhost:4000', 404],
  ])('%s is %s on a developer’s machine', (host, expected) => {
    expect(short(ask(local, { hosts: [host] }))).toBe(expected)
  })

  it.each([
    ['docs.example.com', 'docs.example.com'],
    ['DOCS.example.com.:443', 'docs.example.com'],
    ['docs.example.com:8080', undefined],
    ['dashboard.example:8080', undefined],
    ['tenant-a.preview.example:4000', undefined],
    ['evilpreview.example', 'evilpreview.example'],
    ['10.0.0.1', '10.0.0.1'],
  ])('%s can be the domain %s of a project', (host, domain) => {
    const decision = ask(production, { hosts: [host] })
    expect(decision).toMatchObject({ kind: 'unknown', status: 421 })
    expect(decision.kind === 'unknown' ? decision.domain : null).toBe(domain)
  })

  it.each([
    'dashboard.example',
    'tenant-a.preview.example',
    'preview.example',
    'a.b.preview.example',
    '127.0.0.1:4000',
  ])('%s is never the domain of a project', (host) => {
    expect(ask(production, { hosts: [host] }).kind).not.toBe('unknown')
  })

  it('is one', () => {
    expect(short(ask(production, { hosts: ['a.preview.example', 'a.preview.example'] }))).toBe(400)
    expect(short(ask(production, { hosts: [] }))).toBe(400)
    expect(short(ask(production, { hosts: [], httpVersion: '1.0' }))).toBe(421)
  })

  it('is never taken from X-Forwarded-Host or Forwarded', () => {
    const more = [
      'X-Forwarded-Host',
      'b.preview.example',
      'Forwarded',
      'host=b.preview.example',
      'X-Host',
      'b.preview.example',
    ]
    expect(short(ask(production, { hosts: ['a.preview.example'], more }))).toBe('site a')
  })

  it('agrees with the authority of a target in absolute-form', () => {
    const hosts = ['a.preview.example']
    expect(short(ask(production, { hosts, url: 'http://a.preview.example/x' }))).toBe('site a')
    expect(short(ask(production, { hosts, url: 'http://A.preview.example/x' }))).toBe('site a')
    expect(short(ask(production, { hosts, url: 'http://b.preview.example/' }))).toBe(400)
    expect(short(ask(production, { hosts, url: 'ftp://a.preview.example/' }))).toBe(400)
    expect(short(ask(production, { hosts, url: 'a.preview.example:443' }))).toBe(400)
    expect(originForm('http://a.preview.example')).toBe('/')
    expect(originForm('http://a.preview.example?x')).toBe('/?x')
    expect(originForm('HTTP://a.preview.example//evil')).toBe('//evil')
  })

  it('is decided the same after very many others', () => {
    const decide = hostDecider(production)
    const of = (host: string): HostDecision => decide({ rawHeaders: ['host', host], url: '/', httpVersion: '1.1' })
    for (let i = 0; i < 3000; i++) expect(of(`t${i}.preview.example`)).toEqual({ kind: 'site', label: `t${i}` })
    expect(of('t1.preview.example')).toEqual({ kind: 'site', label: 't1' })
  })

  it('cannot be decided by settings that are no hosts', () => {
    expect(() => hostDecider({ ...production, previewDomain: 'https://x' })).toThrow(/PREVIEW_DOMAIN/)
  })
})

describe('the origins of dashboard and sites', () => {
  it.each([
    ['https://dashboard.example', 'preview.example', true],
    ['https://app.quire.com', 'quire.site', true],
    ['https://app.quire.com', 'sites.quire.com', false],
    ['https://quire.com', 'quire.com', false],
    ['https://app.quire.co.uk', 'quire-sites.co.uk', true],
    ['https://app.quire.co.uk', 'x.quire.co.uk:8443', false],
    ['https://app.sites.quire.com', 'sites.quire.com', false],
    ['https://quire.github.io', 'quire-sites.github.io', true],
    ['https://10.0.0.5', '10.0.0.5', false],
    ['http://localhost:4000', 'localhost:4000', true],
    ['http://127.0.0.1:4000', 'localhost:4000', true],
  ])('%s with sites under %s may start: %s', (publicUrl, previewDomain, may) => {
    expect(originProblem({ publicUrl, previewDomain }) === null).toBe(may)
  })

  it('are explained when they may not', () => {
    expect(originProblem({ publicUrl: 'https://app.quire.com', previewDomain: 'sites.quire.com' })).toMatch(
      /PREVIEW_DOMAIN .* share the domain quire\.com/,
    )
  })
})
