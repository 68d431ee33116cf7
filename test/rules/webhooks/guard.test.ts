import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { admitUrl, Guard, publicLookup, systemLookup, specialPurpose } from '#webhooks/guard.ts'
import { startDns, type Zone } from '#test/support/dns-stub.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { hostile } from '#test/support/shared.ts'

interface SsrfCase {
  readonly id: string
  readonly url: string
  readonly verdict: 'allow' | 'block'
  readonly reason: string
  readonly dns?: readonly string[]
  readonly dnsSequence?: readonly (readonly string[])[]
  readonly response?: { readonly status?: number }
}

const publicAddress = '93.184.215.14'

async function openGuard(zone: Zone = () => [publicAddress], allowHosts: readonly string[] = []) {
  const dns = await startDns(zone)
  const policy = { allowHosts, ownHost: 'platform.example', previewDomain: 'preview.example' }
  return { dns, guard: new Guard({ ...policy, lookup: publicLookup(() => dns.resolver), systemLookup }) }
}

async function verdictOf(guard: Guard, url: string): Promise<'allow' | 'block'> {
  const admitted = admitUrl(guard, url)
  const failure = await admitted.then(
    () => null,
    () => refusalOf(admitted),
  )
  return failure === null ? 'allow' : 'block'
}

const { cases } = JSON.parse(readFileSync(join(hostile, 'ssrf-cases.json'), 'utf8')) as { cases: SsrfCase[] }

describe('the collection of hostile URLs', () => {
  const ofUrls = cases.filter(({ dnsSequence, response }) => dnsSequence === undefined && response === undefined)

  // What an answer or a second lookup does is shown on real sockets in hostile-cases.test.ts.
  it('has cases of sockets, which are others', () => {
    expect(cases.filter((one) => !ofUrls.includes(one)).map(({ id }) => id)).toEqual(['s81', 's109', 's110', 's112'])
    expect(ofUrls.length).toBeGreaterThan(60)
  })

  it.each(ofUrls)('$id $verdict: $reason', async ({ url, verdict, dns = [] }) => {
    const { guard } = await openGuard(() => dns)
    expect(await verdictOf(guard, url)).toBe(verdict)
  })
})

describe('a URL', () => {
  it.each([
    ['http://hooks.example/', 'webhook_url_not_https'],
    ['ftp://hooks.example/', 'webhook_url_not_https'],
    ['https://localhost/', 'webhook_url_private'],
    ['https://0.0.0.0/', 'webhook_url_private'],
    ['https://2130706433/', 'webhook_url_private'],
    ['https://[::1]/', 'webhook_url_private'],
    ['https://[::ffff:10.0.0.1]/', 'webhook_url_private'],
    ['https://platform.example/', 'webhook_url_private'],
    ['https://api.platform.example/', 'webhook_url_private'],
    ['https://a.preview.example/', 'webhook_url_private'],
    ['https://intranet/', 'webhook_url_private'],
    ['https://user@hooks.example/', 'webhook_url_invalid'],
    ['https://hooks.example:22/', 'webhook_url_invalid'],
    ['https://hooks.example/a b', 'webhook_url_invalid'],
    ['https:hooks.example', 'webhook_url_invalid'],
    [`https://hooks.example/${'a'.repeat(2048)}`, 'webhook_url_invalid'],
    ['hooks', 'webhook_url_invalid'],
  ])('%s is refused as %s, which names what is wrong', async (url, code) => {
    const { guard, dns } = await openGuard()
    const failure = await refusalOf(admitUrl(guard, url))
    expect(failure).toMatchObject({ code, errors: [{ pointer: '/url', message: failure.message }] })
    expect(dns.asked.size).toBe(0)
  })

  it.each(['https://hooks.example/', 'https://hooks.example:8443/x?y=1', 'https://1.1.1.1/'])(
    '%s is let in',
    async (url) => {
      const { guard } = await openGuard()
      expect((await admitUrl(guard, url)).href).toBe(url)
    },
  )
})

describe('a name', () => {
  it.each([
    [[publicAddress, '10.0.0.1']],
    [[publicAddress, '::1']],
    [['2606:4700:4700::1111', 'fd00::1']],
    [['::ffff:127.0.0.1']],
  ])('with the addresses %j is refused: all of them count', async (addresses) => {
    const { guard } = await openGuard(() => addresses)
    const failure = await refusalOf(admitUrl(guard, 'https://hooks.example/'))
    expect(failure).toMatchObject({ code: 'webhook_url_private', extra: { rule: 'private_address' } })
    expect(failure.message).toContain('hooks.example')
  })

  it('is looked up where the system looks at that moment', async () => {
    const zones = [['10.0.0.1'], [publicAddress]]
    const servers = await Promise.all(zones.map((addresses) => startDns(() => addresses)))
    const lookup = publicLookup(() => servers.shift()?.resolver ?? new Resolver())
    expect(await lookup('hooks.example')).toEqual(zones[0])
    expect(await lookup('hooks.example')).toEqual(zones[1])
  })

  it('without any address is refused', async () => {
    const { guard } = await openGuard(() => [])
    expect(await refusalOf(admitUrl(guard, 'https://hooks.example/'))).toMatchObject({
      code: 'webhook_url_invalid',
      extra: { rule: 'no_address' },
    })
  })

  it('that cannot be looked up is let in: the next delivery looks again', async () => {
    const { guard } = await openGuard(() => null)
    expect((await admitUrl(guard, 'https://hooks.example/')).host).toBe('hooks.example')
    await expect(guard.addresses(guard.parse('https://hooks.example/'))).rejects.toMatchObject({ code: 'lookup' })
  })
})

describe('a host that the operator allows', () => {
  it.each(['https://127.0.0.1:9000/', 'http://127.0.0.1:9000/', 'http://[::1]:7/', 'https://10.1.2.3/'])(
    '%s is let in',
    async (url) => {
      const { guard } = await openGuard(undefined, ['127.0.0.1:9000', '[::1]', '10.1.2.3'])
      expect((await admitUrl(guard, url)).href).toBe(url)
    },
  )

  it.each([
    ['http://10.1.2.3/', 'webhook_url_not_https'],
    ['https://127.0.0.1:9001/', 'webhook_url_invalid'],
    ['https://10.1.2.4/', 'webhook_url_private'],
    ['https://u:p@10.1.2.3/', 'webhook_url_invalid'],
  ])('does not let in %s (%s)', async (url, code) => {
    const { guard } = await openGuard(undefined, ['127.0.0.1:9000', '[::1]', '10.1.2.3'])
    expect((await refusalOf(admitUrl(guard, url))).code).toBe(code)
  })
})

describe('an address', () => {
  it.each([
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '223.255.255.255',
    '2606::1',
  ])('%s is public', (address) => expect(specialPurpose(address)).toBeNull())
  it.each([
    '10.0.0.0',
    '10.255.255.255',
    '100.127.255.255',
    '168.63.129.16',
    'fe80::1%eth0',
    '127.1',
    '127.255.255.254',
    '',
    '2002:7f00:1::',
  ])('%j is not', (address) => expect(specialPurpose(address)).not.toBeNull())
})
