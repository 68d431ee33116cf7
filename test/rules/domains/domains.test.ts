import { describe, expect, test } from 'vitest'
import { refusalOf } from '#test/support/refusal.ts'
import { name, openWith, verified } from '#test/support/domains/support.ts'

const day = 24 * 60 * 60_000

describe('a domain that is added', () => {
  test('says what to enter at the provider of the DNS, and is not served', async () => {
    const { domains } = await openWith()
    const added = await domains.add('docs', 'Docs.Example.com')
    expect(added).toEqual({
      domain: name,
      url: 'https://docs.example.com',
      primary: false,
      verified: false,
      addedAt: '2026-11-21T12:00:00.000Z',
      records: [
        {
          purpose: 'ownership',
          type: 'TXT',
          name: '_quire.docs.example.com',
          host: '_quire.docs',
          value: expect.stringMatching(/^quire-verification=[0-9a-f]{40}$/),
          note: expect.stringContaining('Keep it'),
        },
        {
          purpose: 'traffic',
          type: 'CNAME',
          name,
          host: 'docs',
          value: 'docs.quire-sites.net',
          note: expect.stringContaining('Leads readers here'),
        },
      ],
    })
    expect(domains.projectAt(name)).toBeUndefined()
    expect(domains.isServed(name)).toBe(false)
    expect(domains.canonicalUrl('docs')).toBeUndefined()
  })

  test('and is a whole domain leads here by an ALIAS, with words on what a provider without one needs', async () => {
    const { domains } = await openWith()
    const [ownership, traffic] = (await domains.add('docs', 'acme.co.uk')).records
    expect(ownership).toMatchObject({ name: '_quire.acme.co.uk', host: '_quire' })
    expect(traffic).toMatchObject({ type: 'ALIAS', name: 'acme.co.uk', host: '@', value: 'docs.quire-sites.net' })
    expect(traffic?.note).toMatch(/ANAME.*A and AAAA records/)
  })

  test('again stays as it is, and is listed once, the newest first', async () => {
    const { domains } = await openWith()
    const first = await domains.add('docs', name)
    await domains.add('docs', 'example.org')
    expect(await domains.add('docs', 'DOCS.example.com.')).toEqual(first)
    expect((await domains.list('docs')).map(({ domain }) => domain)).toEqual(['example.org', name])
  })

  test('by two projects has a text of its own in each, and keeps neither from it', async () => {
    const { domains } = await openWith()
    const [mine, theirs] = [await domains.add('docs', name), await domains.add('other', name)]
    expect(mine.records[0]?.value).not.toBe(theirs.records[0]?.value)
  })

  test('is refused when the project has ten', async () => {
    const { domains } = await openWith()
    const added = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => domains.add('docs', `a${at}.example.com`)),
    )
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect((await refusalOf(domains.add('docs', name))).message).toContain('has 10 domains, which is the most')
    await domains.remove('docs', 'a0.example.com')
    expect((await domains.add('docs', name)).domain).toBe(name)
  })

  test('to a project that is not there is refused', async () => {
    const { domains } = await openWith()
    expect((await refusalOf(domains.add('nobodys', name))).code).toBe('not_found')
    expect((await refusalOf(domains.verify('docs', name))).code).toBe('not_found')
    expect((await refusalOf(domains.remove('docs', name))).code).toBe('not_found')
  })
})

describe('a domain is verified', () => {
  test('when its record is there, and is served from then on', async () => {
    const { domains, dns } = await openWith()
    dns.enter(await domains.add('docs', name))
    expect(await domains.verify('docs', 'DOCS.example.com')).toMatchObject({
      verified: true,
      verifiedAt: '2026-11-21T12:00:00.000Z',
      checkedAt: '2026-11-21T12:00:00.000Z',
    })
    expect(dns.asked).toEqual(['_quire.docs.example.com'])
    expect(domains.projectAt(name)).toBe('docs')
    expect(domains.isServed('DOCS.example.com.')).toBe(true)
    expect(domains.canonicalUrl('docs')).toBe('https://docs.example.com')
  })

  test.each([
    [
      'no record',
      undefined,
      /There is no TXT record _quire\.docs\.example\.com\. Enter a TXT record.*quire-verification=/,
    ],
    ['other records', ['v=spf1 -all', 'quire-verification=0'], /say something else/],
    ['a prefix of the right one', ['quire-verification='], /say something else/],
    ['no answer', null, /gave no answer/],
  ] as const)('not where there is %s, and says so, also in the list', async (_what, records, problem) => {
    const { domains, dns } = await openWith()
    await domains.add('docs', name)
    if (records !== undefined) dns.records.set(`_quire.${name}`, records)
    const looked = await domains.verify('docs', name)
    expect(looked).toMatchObject({ verified: false, problem: expect.stringMatching(problem) })
    expect(await domains.list('docs')).toEqual([looked])
    expect(domains.isServed(name)).toBe(false)
  })

  test.each(['"quire-verification=T"', '  quire-verification=T  '])('by %s, which people enter too', async (text) => {
    const { domains, dns } = await openWith()
    const [record] = (await domains.add('docs', name)).records
    dns.records.set(`_quire.${name}`, ['other', text.replace('quire-verification=T', record?.value ?? '')])
    expect((await domains.verify('docs', name)).verified).toBe(true)
  })

  test('not by the text of another project', async () => {
    const { domains, dns } = await openWith()
    dns.enter(await domains.add('other', name))
    await domains.add('docs', name)
    expect((await domains.verify('docs', name)).verified).toBe(false)
  })

  test('not by the text that it had before it was removed', async () => {
    const { domains, dns } = await openWith()
    dns.enter(await domains.add('docs', name))
    await domains.remove('docs', name)
    await domains.add('docs', name)
    expect((await domains.verify('docs', name)).verified).toBe(false)
  })

  test('for one project, whichever of two comes first while both show their records', async () => {
    for (let round = 0; round < 5; round++) {
      const { domains, dns } = await openWith()
      const added = [await domains.add('docs', name), await domains.add('other', name)]
      // DNS gives records of a name in any order.
      dns.enter(...(round % 2 === 0 ? added : added.toReversed()))
      const ends = await Promise.allSettled([domains.verify('docs', name), domains.verify('other', name)])
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const [winner, loser] = ends[0].status === 'fulfilled' ? ['docs', 'other'] : ['other', 'docs']
      expect(domains.projectAt(name)).toBe(winner)
      const refusal = await refusalOf(domains.verify(loser, name))
      expect(refusal).toMatchObject({ code: 'domain_taken', hint: expect.stringContaining('_quire.docs.example.com') })
      expect((await domains.list(loser))[0]?.verified).toBe(false)
      expect((await domains.list(winner))[0]?.verified).toBe(true)
    }
  })

  test('for whoever shows the record, once that of the project which had it is gone; and that one is told', async () => {
    const { domains, dns } = await verified()
    dns.records.delete(`_quire.${name}`)
    dns.enter(await domains.add('other', name))
    expect((await domains.verify('other', name)).verified).toBe(true)
    expect(domains.projectAt(name)).toBe('other')
    expect(domains.canonicalUrl('docs')).toBeUndefined()
    expect(await domains.list('docs')).toMatchObject([
      { verified: false, problem: expect.stringContaining('Another project of this service has shown') },
    ])
  })

  test('for another project as soon as the one that had it removes it, or is removed', async () => {
    const { domains, dns, lifecycle } = await verified()
    dns.enter(await domains.add('other', name))
    expect((await refusalOf(domains.verify('other', name))).code).toBe('domain_taken')
    await domains.remove('docs', name)
    expect(domains.projectAt(name)).toBeUndefined()
    await domains.verify('other', name)
    dns.enter(await domains.add('docs', name))
    await lifecycle.remove('other')
    expect(domains.projectAt(name)).toBeUndefined()
    expect((await domains.verify('docs', name)).verified).toBe(true)
  })

  test('no more than a few at a time of an account', async () => {
    const { domains, dns } = await openWith()
    await domains.add('docs', name)
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    dns.pause = () => gate
    const looks = Array.from({ length: 10 }, () => domains.verify('docs', name))
    expect((await Promise.any(looks.map(refusalOf))).code).toBe('rate_limited')
    open()
    await Promise.allSettled(looks)
    expect((await domains.verify('docs', name)).verified).toBe(false)
  })
})

describe('a verified domain whose record is missing', () => {
  test('is served on for a week, and its project is told when that ends', async () => {
    const { domains, dns, pass } = await verified()
    dns.records.clear()
    const looked = await domains.verify('docs', name)
    expect(looked).toMatchObject({
      verified: true,
      missingSince: '2026-11-21T12:00:00.000Z',
      endsAt: '2026-11-28T12:00:00.000Z',
      problem: expect.stringContaining('for 7 days from when it went missing'),
    })
    pass(7 * day - 1)
    expect((await domains.verify('docs', name)).verified).toBe(true)
    pass(1)
    expect(await domains.verify('docs', name)).toMatchObject({
      verified: false,
      problem: expect.stringContaining('missing for 7 days'),
    })
    expect(domains.isServed(name)).toBe(false)
  })

  test('is as it was when the record is back', async () => {
    const { domains, dns, pass } = await verified()
    const before = [...dns.records]
    dns.records.clear()
    await domains.verify('docs', name)
    pass(6 * day)
    for (const [place, texts] of before) dns.records.set(place, texts)
    const looked = await domains.verify('docs', name)
    expect(looked).toMatchObject({ verified: true, verifiedAt: '2026-11-21T12:00:00.000Z' })
    expect(Object.keys(looked)).not.toEqual(expect.arrayContaining(['missingSince']))
    expect(looked.problem).toBeUndefined()
  })

  test('is never lost for want of an answer', async () => {
    const { domains, dns, pass } = await verified()
    dns.records.set(`_quire.${name}`, null)
    for (let days = 0; days < 30; days += 3) {
      pass(3 * day)
      expect(await domains.verify('docs', name)).toMatchObject({ verified: true })
    }
    expect(domains.projectAt(name)).toBe('docs')
  })
})

test('the canonical address is of the domain that the project has had longest', async () => {
  const { domains, dns, pass } = await verified()
  pass(1000)
  dns.enter(await domains.add('docs', 'a.example.org'))
  await domains.verify('docs', 'a.example.org')
  expect(domains.canonicalUrl('docs')).toBe('https://docs.example.com')
  await domains.remove('docs', name)
  expect(domains.canonicalUrl('docs')).toBe('https://a.example.org')
})
