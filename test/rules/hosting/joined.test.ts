import { createServer } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limits } from '#contract/limits.ts'
import type { JoinedPages, Route } from '#contract/release.ts'
import { sha256 } from '#lib/digest.ts'
import { sendJoined } from '#hosting/serving/joined.ts'
import { ServedRelease } from '#hosting/serving/served.ts'
import { inDepth } from '#test/support/depth.ts'
import { listen, openHosting, send } from '#test/support/hosting/support.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'

const origin = 'https://docs.example'

/** A release with pages of the given texts, in this order, joined at `/llms-full.txt`. */
async function serve(pages: Readonly<Record<string, string>>, preview = false) {
  const { hosting } = await openHosting()
  const { release, blobs } = makeRelease({ pages })
  const list: JoinedPages = { head: '# Docs\n', origin, pages: Object.keys(pages) }
  const bytes = Buffer.from(JSON.stringify(list))
  const routes = { ...release.routes, '/llms-full.txt': { kind: 'joined' as const, blob: sha256(bytes) } }
  await (await hosting.open('docs')).publish({ ...release, routes }, new Map([...blobs, [sha256(bytes), bytes]]))
  const server = createServer((req, res) =>
    hosting.respond(req, res, { project: 'docs', release: release.id, preview }),
  )
  const port = await listen(server)
  return {
    port,
    get: (headers: Record<string, string> = {}, method = 'GET') =>
      send(port, { path: '/llms-full.txt', headers, method }),
  }
}

describe('pages as one text', () => {
  const pages = { '/b': 'Second', '/': 'First', '/ünï cöde': `Third\n\n${'Leaves. '.repeat(50_000)}` }

  it('have each its address below its title, in the order that was asked for', async () => {
    const { get } = await serve(pages)
    const { text, headers, status } = await get()
    expect(status).toBe(200)
    expect(text).toBe(
      `# Docs\n\n# Second\n\nSource: ${origin}/b\n\n# First\n\nSource: ${origin}/\n\n# Third\n\nSource: ${origin}/%C3%BCn%C3%AF%20c%C3%B6de\n\n${'Leaves. '.repeat(50_000)}\n`,
    )
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
  })

  it('are compressed on the way, and not sent again to whoever has them', async () => {
    const { get } = await serve(pages)
    const plain = await get()
    for (const accepted of ['gzip', 'gzip, deflate, br', '*']) {
      const packed = await get({ 'accept-encoding': accepted })
      expect([packed.headers['content-encoding'], packed.headers['vary']]).toEqual(['gzip', 'Accept-Encoding'])
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
      expect(packed.headers['etag']).not.toBe(plain.headers['etag'])
      const again = await get({ 'accept-encoding': accepted, 'if-none-match': String(packed.headers['etag']) })
      expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, packed.headers['etag']])
    }
    for (const accepted of ['br', 'gzip;q=0'])
      expect((await get({ 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined()
    expect(await get({}, 'HEAD')).toMatchObject({ status: 200, text: '', headers: { etag: plain.headers['etag'] } })
    const changed = await serve({ ...pages, '/b': 'Another' })
    expect((await changed.get()).headers['etag']).not.toBe(plain.headers['etag'])
  })

  const half = 'x'.repeat(limits.llmsFullBytes / 2 - 1000)
  it('end where there are too many, and say so', async () => {
    const { get } = await serve({ '/1': half, '/2': `${half}${'x'.repeat(5000)}`, '/3': 'More' })
    const cut = (await get()).text
    expect(cut.slice(-300)).toContain(
      `The last 2 of 3 pages are left out: this text has at most 16 MB. ${origin}/llms.txt names all of them`,
    )
    expect(cut).not.toContain('More')
  })

  inDepth('go to the last where all of them fit', async () => {
    const { get } = await serve({ '/1': half, '/2': half, '/3': 'More', '/4': 'Most' })
    const { body, headers } = await get()
    expect(body.length).toBe(Number(headers['content-length']))
    expect(body.length).toBeLessThan(limits.llmsFullBytes + 1000)
    const end = body.subarray(-300).toString()
    expect(end).toContain('More')
    expect(end).not.toContain('left out')
  })

  it('are noindex on a preview, and for nobody elsewhere', async () => {
    const { get } = await serve(pages, true)
    const { headers } = await get()
    expect(headers['x-robots-tag']).toBe('noindex')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  it('are read no faster than they are taken: of who stops reading, little is in memory', async () => {
    const large = `# Page\n${'y'.repeat(1 << 20)}`
    const urls = Array.from({ length: 60 }, (_, n) => `/${n}`)
    const list = JSON.stringify({ head: '', origin, pages: urls } satisfies JoinedPages)
    let read = 0
    const blob = async (name: string, range = { start: 0, end: large.length }): Promise<Buffer> => {
      if (name === 'list') return Buffer.from(list)
      read += 1
      return Buffer.from(large.slice(range.start, range.end))
    }
    const markdown = { kind: 'file', blob: 'page', size: large.length, type: 'text/markdown' } as const
    const routes: Record<string, Route> = { '/page.md': markdown }
    for (const url of urls) routes[url] = { kind: 'page', blob: 'none', markdown: '/page.md' }
    const table = { routes, redirects: [], shell: 'none' }
    const served = await ServedRelease.of({ blob, asset: () => undefined }, table)
    const port = await listen(
      createServer((req, res) => {
        sendJoined(req, res, { served, route: { kind: 'joined', blob: 'list' }, headers: [] }).catch(() => undefined)
      }),
    )
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined).write('GET /llms-full.txt HTTP/1.1\r\nHost: docs\r\n\r\n')
    socket.pause()
    let before = -1
    // What the sockets of both sides take is a few megabytes; then nothing more is read.
    await expect
      .poll(
        () => {
          const isSettled = read > 0 && read === before
          before = read
          return isSettled
        },
        { interval: 500 },
      )
      .toBe(true)
    expect(read).toBeLessThan((limits.llmsFullBytes / (256 * 1024)) * 0.75)
  })
})
