import { describe, expect, it } from 'vitest'
import { openHosting, serveSite } from '#test/support/hosting/support.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const at = (ms: number): Date => new Date(Date.now() + ms)
const big = (word: string): string => `${word} `.repeat(2000)

describe('collecting', () => {
  it('drops releases that are not kept, and the blobs that only they name', async () => {
    const { hosting, directory } = await openHosting()
    const docs = await hosting.open('docs')
    const old = makeRelease({ id: 'old', pages: { '/': 'Home', '/gone': big('gone') } })
    const live = makeRelease({ id: 'live', pages: { '/': 'Home', '/new': 'New' } })
    await docs.publish(old.release, old.blobs)
    await docs.publish(live.release, live.blobs)
    const collected = await docs.collect(new Set(['live']), at(2 * hour))
    expect(collected.releases).toBe(1)
    expect(collected.bytes).toBeGreaterThan(20_000)
    const again = await (await openHosting({ directory })).hosting.open('docs')
    expect(await again.read('old')).toBeNull()
    expect(JSON.parse(JSON.stringify(await again.read('live')))).toEqual(live.release)
    expect(again.has(old.release.routes['/gone']?.blob ?? '')).toBe(false)
    for (const blob of live.blobs.keys()) expect(again.has(blob)).toBe(true)
  })

  it('waits while somebody needs the files as they are', async () => {
    const { hosting } = await openHosting()
    const docs = await hosting.open('docs')
    const { release, blobs } = makeRelease({ id: 'old', pages: { '/': 'Home' } })
    await docs.publish(release, blobs)
    const letGo = await hosting.hold('docs')
    const collecting = docs.collect(new Set(), at(2 * hour))
    const other = await (await hosting.open('other')).collect(new Set(), at(2 * hour))
    expect(other.releases).toBe(0)
    expect(docs.keeps('old')).toBe(true)
    letGo()
    expect((await collecting).releases).toBe(1)
  })

  it('leaves a release alone for an hour after it was made or last read', async () => {
    const { hosting } = await openHosting()
    const docs = await hosting.open('docs')
    const { release, blobs } = makeRelease({ id: 'young', pages: { '/': 'Home' }, createdAt: '2020-01-01T00:00:00Z' })
    await docs.publish(release, blobs)
    expect((await docs.collect(new Set(), at(hour / 2))).releases).toBe(0)
    expect(await docs.read('young')).not.toBeNull()
    expect((await docs.collect(new Set(), at(hour + 10_000))).releases).toBe(1)
  })

  it('keeps blobs that a caller was told are there, so that a build under way can name them', async () => {
    const { hosting } = await openHosting()
    const docs = await hosting.open('docs')
    const old = makeRelease({ id: 'old', pages: { '/a': big('a'), '/b': big('b') } })
    await docs.publish(old.release, old.blobs)
    for (const blob of old.blobs.keys()) expect(docs.has(blob)).toBe(true)
    await docs.collect(new Set(), at(2 * hour))
    expect(await docs.read('old')).toBeNull()
    await docs.publish({ ...old.release, id: 'next' }, new Map())
    expect(await docs.read('next')).not.toBeNull()
  })

  it('never harms a publish that runs at the same time', async () => {
    const { hosting, directory } = await openHosting()
    const docs = await hosting.open('docs')
    let last = makeRelease({ id: 'r0', pages: { '/': 'Home', '/0': big('0') } })
    await docs.publish(last.release, last.blobs)
    for (let round = 1; round <= 12; round++) {
      const next = makeRelease({ id: `r${round}`, pages: { '/': 'Home', [`/${round}`]: big(String(round)) } })
      const collecting = docs.collect(new Set([last.release.id]), at(2 * hour))
      if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, round))
      await docs.publish(next.release, new Map([...next.blobs].filter(([blob]) => !docs.has(blob))))
      await collecting
      last = next
      const again = await (await openHosting({ directory })).hosting.open('docs')
      expect(JSON.parse(JSON.stringify(await again.read(next.release.id)))).toEqual(next.release)
      for (const route of Object.values(next.release.routes)) expect(again.has(route.blob)).toBe(true)
    }
  })

  it('keeps hashed assets of dropped releases answering for a month', async () => {
    const asset = { content: big('css'), type: 'text/css', immutable: true } as const
    const site = await serveSite({
      id: 'one',
      pages: { '/': 'Home' },
      files: { '/_quire/a.111.css': asset, '/plain.css': { content: 'p', type: 'text/css' } },
    })
    await site.publish({ id: 'two', pages: { '/': 'Home' }, files: {} })
    const docs = await site.hosting.open('docs')
    expect((await site.get('/_quire/a.111.css')).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect((await site.get('/plain.css')).status).toBe(404)
    expect((await docs.collect(new Set(['two']), at(2 * hour))).releases).toBe(1)
    expect((await site.get('/_quire/a.111.css')).text).toBe(asset.content)
    await docs.collect(new Set(['two']), at(29 * day))
    expect((await site.get('/_quire/a.111.css')).status).toBe(200)
    await docs.collect(new Set(['two']), at(31 * day))
    expect((await site.get('/_quire/a.111.css')).status).toBe(404)
  })

  it('never drops a hashed asset that a kept release names', async () => {
    const asset = { content: 'x', type: 'text/css', immutable: true } as const
    const site = await serveSite({ id: 'one', pages: { '/': 'Home' }, files: { '/a.111.css': asset } })
    const docs = await site.hosting.open('docs')
    for (const days of [1, 40, 80]) await docs.collect(new Set(['one']), at(days * day))
    expect((await site.get('/a.111.css')).status).toBe(200)
  })
})
