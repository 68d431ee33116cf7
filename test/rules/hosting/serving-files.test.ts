import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sha256 } from '#lib/digest.ts'
import { listen, openHosting, send, serveSite } from '#test/support/hosting/support.ts'
import { composer, long, makeRelease, sampleSite } from '#test/support/hosting/support-release.ts'

describe('a file', () => {
  it('with a hash in its name is kept for ever', async () => {
    const reply = await (await serveSite(sampleSite)).get('/_quire/theme.abc.css')
    expect(reply.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
  })

  it('that could be opened as a document runs nothing', async () => {
    const site = await serveSite(sampleSite)
    expect((await site.get('/logo.svg')).headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    )
    for (const path of ['/page.html', '/sitemap.xml'])
      expect((await site.get(path)).headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect((await site.get('/photo.png')).headers['content-security-policy']).toBeUndefined()
  })

  it('asks nobody where it is a script that a page starts as a worker, which has no policy but its own', async () => {
    const type = 'text/javascript; charset=utf-8'
    const site = await serveSite({ files: { '/_quire/own/a.js': { content: 'fetch("https://x.example")', type } } })
    expect((await site.get('/_quire/own/a.js')).headers['content-security-policy']).toBe("default-src 'none'")
  })

  it('that is compressed already is not compressed again', async () => {
    const site = await serveSite(sampleSite)
    for (let i = 0; i < 3; i++)
      expect(
        (await site.get('/photo.png', { 'accept-encoding': 'br, gzip' })).headers['content-encoding'],
      ).toBeUndefined()
    const { headers } = await site.get('/photo.png')
    expect([headers.vary, headers['accept-ranges']]).toEqual([undefined, 'bytes'])
    expect((await site.get('/photo.png', { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
  })

  it('that was compressed before goes so to the first who asks, however large it is', async () => {
    const path = '/_quire/theme.abc.css'
    const blob = sha256(Buffer.from(sampleSite.files?.[path]?.content ?? ''))
    const compressed = new Map([[blob, { br: Buffer.from('as brotli'), gzip: Buffer.from('as gzip') }]])
    const site = await serveSite(sampleSite, { compressed })
    for (const [encoding, body] of [
      ['gzip', 'as gzip'],
      ['br', 'as brotli'],
    ] as const) {
      const reply = await site.get(path, { 'accept-encoding': encoding })
      expect([reply.headers['content-encoding'], reply.text]).toEqual([encoding, body])
    }
    expect((await site.get(path)).headers['content-encoding']).toBeUndefined()
  })

  it.each([
    ['bytes=0-9', 206, 'bytes 0-9/700000', 10],
    ['bytes=699990-', 206, 'bytes 699990-699999/700000', 10],
    ['bytes=-5', 206, 'bytes 699995-699999/700000', 5],
    ['bytes=0-9999999', 206, 'bytes 0-699999/700000', 700_000],
    ['bytes=700000-', 416, 'bytes */700000', 0],
    ['bytes=-0', 416, 'bytes */700000', 0],
    ['bytes=5-2', 200, undefined, 700_000],
    ['bytes=0-1,5-6', 200, undefined, 700_000],
    ['lines=1-2', 200, undefined, 700_000],
  ])('of film answers the range %s with %i', async (range, status, contentRange, length) => {
    const site = await serveSite(sampleSite)
    const reply = await site.get('/film.mp4', { range })
    expect([reply.status, reply.headers['content-range'], reply.body.length]).toEqual([status, contentRange, length])
    if (status === 416) return
    const start = Number(/bytes (\d+)/.exec(contentRange ?? 'bytes 0')?.[1])
    expect(reply.body.every((byte, i) => byte === (start + i) % 251)).toBe(true)
    expect(reply.headers['content-length']).toBe(String(length))
  })

  it('gives a range only of the file that the client has part of', async () => {
    const site = await serveSite(sampleSite)
    const { etag = '' } = (await site.get('/film.mp4', {}, 'HEAD')).headers
    expect((await site.get('/film.mp4', { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
    expect((await site.get('/film.mp4', { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
    expect((await site.get('/film.mp4', { 'if-none-match': etag })).status).toBe(304)
    expect((await site.get('/photo.png', { range: 'bytes=1-2' })).body).toEqual(Buffer.from([7, 7]))
  })

  it('stops in the middle without harm when the reader hangs up', async () => {
    const site = await serveSite(sampleSite)
    const socket = connect(site.port, '127.0.0.1', () => socket.write('GET /film.mp4 HTTP/1.1\r\nHost: x\r\n\r\n'))
    await once(socket, 'data')
    socket.destroy()
    expect((await site.get('/')).status).toBe(200)
    expect(site.errors).toEqual([])
  })
})

describe('when something is broken', () => {
  it('a lost blob is a 500 that tells nothing, and the log has it whole', async () => {
    const site = await serveSite(sampleSite)
    await rm(join(site.directory, 'docs', 'packs'), { recursive: true })
    for (const path of ['/', '/photo.png', '/logo.svg']) {
      const reply = await site.get(path)
      expect([reply.status, reply.text]).toEqual([500, 'The service made a mistake\n'])
    }
    expect(site.errors).toHaveLength(3)
    expect((await site.get('/film.mp4').catch(() => ({ status: 0 }))).status).not.toBe(500)
  })

  it('a theme that throws is a 500, and the next request tries again', async () => {
    let broken = true
    const site = await serveSite(sampleSite, {
      composer: {
        ...composer,
        *open(shell) {
          if (broken) throw new Error('no theme')
          return yield* composer.open(shell)
        },
      },
    })
    expect((await site.get('/')).status).toBe(500)
    broken = false
    expect((await site.get('/')).status).toBe(200)
  })

  it('a release that is gone is a 500, not another release', async () => {
    const { hosting, errors } = await openHosting()
    const { release, blobs } = makeRelease(sampleSite)
    await (await hosting.open('docs')).publish(release, blobs)
    const port = await listen(
      createServer((req, res) => hosting.respond(req, res, { project: 'docs', release: 'gone', preview: false })),
    )
    expect((await send(port, { path: '/', headers: {}, method: 'GET' })).status).toBe(500)
    expect(String(errors[0])).toMatch(/gone of docs/)
  })
})

describe('memory', () => {
  it('holds a bounded number of bytes, and serves all pages nevertheless', async () => {
    const pages = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`/p${i}`, `${i} ${long}`]))
    const site = await serveSite({ pages }, { memory: { projects: 1000, releases: 1000, answers: 40_000 } })
    for (let round = 0; round < 2; round++) {
      for (const [path, text] of Object.entries(pages)) expect((await site.get(path)).text).toContain(text)
    }
  })
})
